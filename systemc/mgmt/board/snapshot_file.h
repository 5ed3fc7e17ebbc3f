// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/base/atomic_file.h"
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

// The state of a board as bytes, uncompressed, and the other way: UserError for what no board of
// this configuration is in.
std::string pack(BoardState state);
BoardState unpack(const std::string& bytes, const BoardConfig& config);
// At most so many bytes.
std::size_t most_packed_bytes(const BoardConfig& config);

// Compressed. Commits the file. Throws RunError.
void write_snapshot(base::AtomicFile& file, Snapshot snapshot, const std::string& identity);
// Of a board of this configuration and identity. Throws UserError "FILE: ...", also for a file of
// another version.
Snapshot read_snapshot(const std::string& path, const BoardConfig& config,
                       const std::string& identity);

}  // namespace tern::mgmt
