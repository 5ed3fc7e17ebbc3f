// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sw/app/kinds/kind.h"
#include "sw/numerics/dtype.h"

namespace tern::app {

// One product in many formats (sw/kernels/matmul_format.h), with normal random operands: four
// matrices each, one below the other, of which all but quad formats take the first.
struct SweepWorkload : Workload {
  std::size_t m = 0, k = 0, n = 0;
  std::vector<std::string> formats;
  numerics::DType psum = numerics::DType::kFp32;
  std::vector<float> a, b;

  std::string describe() const override;
};

SweepWorkload load_sweep(const config::YamlMap& top, std::uint64_t seed);

int run_sweep(const RunOptions& options, const SweepWorkload& sweep);

// Of its report.
Compared sweep_compared();

}  // namespace tern::app
