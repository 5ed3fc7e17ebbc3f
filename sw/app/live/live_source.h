// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sw/live/live_state.h"

namespace tern::app {

// The simulations that run now, or only that of one process; texts of the states are still
// anybody's. What is refused is reported on standard error, each file once.
class LiveSource {
 public:
  explicit LiveSource(std::optional<int> pid = {}) : pid_(pid) {}
  // RunError if the folder is refused.
  std::vector<live::State> read();

 private:
  std::optional<int> pid_;
  std::set<std::string> reported_;
};

// "no simulation runs", "process 12 runs no simulation".
std::string nothing_text(std::optional<int> pid);

// Waits, at most this long, or until the user ends the program; false: ended.
bool wait_or_end(double seconds);

}  // namespace tern::app
