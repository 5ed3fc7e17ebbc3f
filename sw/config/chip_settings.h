// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/config/chip_config.h"

namespace tern {

struct ChipSetting {
  std::string key, value;
  bool operator==(const ChipSetting& other) const {
    return key == other.key && value == other.value;
  }
};

// Everything on which the behaviour of a chip of models depends, exactly, in a fixed order: two
// chips with the same settings do the same. Not its name, nor which blocks are RTL.
std::vector<ChipSetting> chip_settings(const ChipConfig& config);

}  // namespace tern
