// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sw/config/load_chip_config.h"

namespace tern::app {

// One run of a comparison: a chip, and the settings that differ between the runs.
struct Variant {
  std::string chip;
  std::vector<ConfigOverride> settings;  // of every --set with several values, one of them
  std::string label() const;             // "trn3, core.vector.exp_per_cycle=4"
};

// Every chip with every combination of values. A value with commas outside brackets stands for
// several: "1,2,4". One variant when nothing is given twice. UserError for an empty value, a chip
// or a value given twice, or more than kMaxVariants.
constexpr std::size_t kMaxVariants = 256;
std::vector<Variant> variants_of(const std::vector<std::string>& chips,
                                 const std::vector<ConfigOverride>& overrides);

}  // namespace tern::app
