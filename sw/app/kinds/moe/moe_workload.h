// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/app/kinds/kind.h"
#include "sw/kernels/moe/moe.h"

namespace tern::app {

// A mixture-of-experts layer with random operands, both ways of bringing tokens to their experts,
// once per routing.
struct MoeWorkload : Workload {
  struct Routing {
    std::string name;
    std::vector<float> bias;  // of each expert's logit
  };
  kernels::MoeSpec spec;
  std::string function = "gelu";
  std::vector<Routing> routings;

  std::string describe() const override;
};

MoeWorkload load_moe(const config::YamlMap& top, std::uint64_t seed);

}  // namespace tern::app
