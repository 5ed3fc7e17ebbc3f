// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/config/load_chip_config.h"

namespace tern::app {

// The options of `tern check`.
struct CheckOptions {
  std::string chip = "trn3";  // preset or YAML file
  std::vector<ConfigOverride> overrides;
  std::vector<std::uint64_t> cores;  // empty: all
  bool full = false;
  std::vector<std::string> only;    // march, screen, training; empty: all
  std::vector<std::string> inject;  // stuck bits (sw/platform/stuck)
  bool record = false;              // prints the bits of the golden training instead
  std::string report;               // folder
  bool json = false, quiet = false;
  std::string command;  // as typed, for the report
};

// The exit code: 0 if every test passed, otherwise 1.
int check_command(const CheckOptions& options);

}  // namespace tern::app
