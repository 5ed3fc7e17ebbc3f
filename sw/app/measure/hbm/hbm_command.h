// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/config/load_chip_config.h"

namespace tern::app {

// The options of `tern hbm`.
struct HbmOptions {
  std::string chip = "trn3";             // preset or YAML file
  std::string trace;                     // file; empty: one of the two generators
  std::uint64_t stream = 0, random = 0;  // requests
  std::uint32_t bytes = 64;
  unsigned write_percent = 0, traffic_class = 3;
  double gap_ns = 0;
  std::uint64_t seed = 0;
  bool no_refresh = false, channels = false;
  std::vector<ConfigOverride> overrides;
  bool json = false;
  bool quiet = false;
  std::string report;   // folder
  std::string command;  // as typed, for the report
};

// The exit code.
int hbm_command(const HbmOptions& options);

}  // namespace tern::app
