// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/app/kinds/kind.h"
#include "sw/app/kinds/program_run.h"

namespace tern::app {

// `kind: matmul`: C = A^T B.
struct MatmulWorkload : Workload {
  std::size_t k = 0, m = 0, n = 0;
  std::vector<float> a;  // [K, M]; rounded already if the only format is bf16 or fp16
  std::vector<float> b;  // [K, N]
  std::vector<std::string> formats = {"bf16"};
  std::optional<ExpectedOutput> expected;

  std::string describe() const override;
};

MatmulWorkload load_matmul(const config::YamlMap& top, std::uint64_t seed);

int run_matmul(const RunOptions& options, const MatmulWorkload& matmul);

}  // namespace tern::app
