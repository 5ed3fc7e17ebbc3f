// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/config/chip_config.h"

namespace tern::nrt {

// What the environment says (README.md, "Settings").
struct Settings {
  ChipConfig chip;
  unsigned chips = 1;
  unsigned logical = 1;                     // cores of the chip in a logical core
  std::vector<unsigned> visible;            // logical cores of all chips
  double execution_seconds = 30;            // of simulated time
  unsigned most_in_flight = 64;             // asynchronous requests of a unit
  std::string firmware;                     // the board of a management core, or empty
  std::vector<std::string> without_effect;  // variables that are set, and do nothing here

  unsigned logical_per_chip() const { return chip.cores / logical; }
  unsigned all_logical() const { return chips * logical_per_chip(); }
  bool operator==(const Settings& other) const;
};

// Throws UserError, which names the variable.
Settings read_settings();

}  // namespace tern::nrt
