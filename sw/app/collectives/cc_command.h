// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace tern::app {

// The options of `tern cc`.
struct CcOptions {
  std::string operation, system;
  std::string begin = "1K", end = "64M";  // with K, M, G: powers of 1024
  unsigned factor = 4;
  std::string element = "bf16";
  std::string algorithm = "best";  // or "all", or a name
  std::string schedule;            // a file
  std::string group = "all";
  unsigned root = 0;
  std::string level = "flow";
  std::optional<unsigned> planes;
  unsigned traffic_class = 1;
  std::string faults;  // file of a script
  std::string write;   // file: the schedule
  std::string report;  // folder
  std::uint64_t seed = 0;
  bool json = false, quiet = false;
  std::string command;  // as typed
};

// Prints what a collective takes, size by size. Exit code 1: something was lost.
int cc_command(const CcOptions& options);

}  // namespace tern::app
