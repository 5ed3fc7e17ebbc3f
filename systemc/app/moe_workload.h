// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/kernels/moe/moe.h"
#include "systemc/config/yaml_reader.h"

namespace tern::app {

// A mixture-of-experts layer with random operands, both ways of bringing tokens to their experts,
// once per routing.
struct MoeWorkload {
  struct Routing {
    std::string name;
    std::vector<float> bias;  // of each expert's logit
  };
  kernels::MoeSpec spec;
  std::string function = "gelu";
  std::vector<Routing> routings;
};

MoeWorkload load_moe(const config::YamlMap& top);

}  // namespace tern::app
