// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tern::app {

// A file that a command writes under a name that an option gives. Empty path: not given.
struct NamedOutput {
  const char* option;
  std::string path;
};

// What a command reads and writes. An output in place of a file that is read would destroy it; of
// two in one place one would be lost. Devices and pipes may take several.
struct NamedFiles {
  std::vector<std::string> inputs;
  std::vector<NamedOutput> outputs;
  std::string report, report_name;  // the folder of --report, and what the files in it begin with
};

// Throws UserError.
void refuse_overwriting(const NamedFiles& files);

}  // namespace tern::app
