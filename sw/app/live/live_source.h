// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sw/live/live_state.h"

namespace tern::app {

// The simulations that run now, or only that of one process; texts of the states are still
// anybody's.
class LiveSource {
 public:
  // What is refused is reported on standard error, each file once; or the caller shows it.
  enum class Warnings { kStderr, kCaller };
  explicit LiveSource(std::optional<int> pid = {}, Warnings warnings = Warnings::kStderr)
      : pid_(pid), warnings_(warnings) {}
  // RunError if the folder is refused.
  std::vector<live::State> read();
  // Of the newest read: "FILE: why", printable.
  const std::vector<std::string>& refused() const { return refused_; }

 private:
  std::optional<int> pid_;
  Warnings warnings_;
  std::vector<std::string> refused_;
  std::set<std::string> reported_;
};

// "no simulation runs", "process 12 runs no simulation".
std::string nothing_text(std::optional<int> pid);

// Waits, at most this long, or until the user ends the program; false: ended.
bool wait_or_end(double seconds);

}  // namespace tern::app
