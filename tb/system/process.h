// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tern::tb {

// The results of a run of the tern binary.
struct Outcome {
  int exit_code = -1;  // 128 + n when killed by signal n
  std::string out, err;
  // The error that the user gets: the one line on stderr that is not progress.
  std::string error_line() const;
};

// Runs the built tern with these arguments. `meanwhile`, if any, is called with the process id
// while it runs.
Outcome run_tern(const std::vector<std::string>& arguments,
                 const std::function<void(int pid)>& meanwhile = {});

// A `meanwhile` that sends a signal once a file exists, or nothing when the run ends before.
std::function<void(int pid)> signal_once_there(const std::string& file, int signal);

// The one line of a run that must be refused, with exit code 2 and nothing on stdout.
std::string error_of(const std::vector<std::string>& arguments);
// A run that must pass, with --json.
nlohmann::json json_of(std::vector<std::string> arguments);

}  // namespace tern::tb
