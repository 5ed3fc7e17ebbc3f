// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tern::app {

// The options of `tern cc`.
struct CcOptions {
  std::string operation;
  std::vector<std::string> systems;
  std::string begin = "1K", end = "64M";  // with K, M, G: powers of 1024
  unsigned factor = 4;
  std::optional<unsigned> units;  // of each system
  std::string element = "bf16";
  std::string algorithm = "best";  // or "all", "table", or a name
  std::string table;               // a file; empty: the one in the binary
  std::string schedule;            // a file
  std::string group = "all";
  unsigned root = 0;
  std::optional<unsigned> to;  // of send_recv
  std::optional<double> hot;   // of all_to_all_v: how often rank 0 gets what is routed at random
  std::string counts;          // of all_to_all_v: a file instead
  unsigned cores = 1;          // of each chip: ranks
  std::string level = "flow";  // or "packet", "ideal", "cores"
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
