// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/app/host/link_choice.h"

namespace tern::app {

// The options of `tern traffic`.
struct TrafficOptions {
  std::string system;  // preset or YAML file
  std::optional<unsigned> units;
  std::string pattern = "all-to-all", level = "packet";
  std::string bytes = "64K";  // with K, M, G: powers of 1024
  std::string from, to;       // names of chips
  unsigned streams = 1, traffic_class = 3;
  std::optional<unsigned> targets;
  std::vector<std::string> also;  // further patterns: "pattern=incast,class=0"
  std::string report;             // folder
  std::uint64_t seed = 0;
  std::string faults;  // file of a script
  std::string heat;    // SVG file
  LinkChoice flit_by_flit;
  bool json = false, quiet = false;
  std::string command;  // as typed
};

// Prints what the traffic takes. Exit code 1: something was lost.
int traffic_command(const TrafficOptions& options);

}  // namespace tern::app
