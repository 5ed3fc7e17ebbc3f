// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "systemc/mgmt/board/board_state.h"

namespace tern::mgmt {

// What a snapshot file holds: the board, and the last line of its output, to which somebody at the
// serial line reacts.
struct Snapshot {
  BoardState board;
  std::string line;
};

// In words: everything on which the meaning of a state depends.
std::string identity(const BoardConfig& config, const BoardImages& images);

// Compressed; appears when it is complete. Throws UserError, RunError.
void write_snapshot(const std::string& path, Snapshot snapshot, const std::string& identity);
// Of a board of this configuration and identity. Throws UserError "FILE: ...", also for a file of
// another version.
Snapshot read_snapshot(const std::string& path, const BoardConfig& config,
                       const std::string& identity);

}  // namespace tern::mgmt
