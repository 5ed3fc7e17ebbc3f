// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sw/live/live_state.h"

namespace tern::live {

// Of a process: "PID.json".
std::filesystem::path state_file(const std::filesystem::path& folder, int pid);

// Removes what processes that no longer run have left. Throws UserError if it cannot be read.
void remove_dead(const std::filesystem::path& folder);

// The states of the simulations that run, by process; what is left of those that do not is removed.
struct Found {
  std::vector<State> states;
  std::vector<std::string> refused;  // "FILE: why"
};
constexpr std::size_t kMaxStates = 1000, kMaxFileBytes = 1 << 20;
// Throws UserError for a folder that others control; without one nothing is found.
Found find_states(const std::filesystem::path& folder);
// Of the folder of this user.
Found find_states();

}  // namespace tern::live
