// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tern::app {

// The options of `tern fidelity`.
struct FidelityOptions {
  std::vector<std::string> only;  // ids or their beginnings; empty: all
  std::string report;             // folder
  bool markdown = false;          // the table of docs/fidelity.md
  bool list = false;              // names only
  bool check = false;             // exit code 1 if an aim is missed
  bool json = false;
  bool quiet = false;
  std::string command;  // as typed, for the report
};

// The exit code.
int fidelity_command(const FidelityOptions& options);

}  // namespace tern::app
