// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "systemc/mgmt/board/board_archive.h"
#include "systemc/mgmt/board/board_state.h"
#include "systemc/mgmt/history/history.h"

namespace tern::tb {

// All that a moment is: registers, memory, devices, and the time as the board counts it.
struct Picture {
  mgmt::Moment at;
  std::size_t state = 0;

  static Picture of(mgmt::Board& board) {
    mgmt::BoardState state = board.save();
    state.finisher.last.at = {};  // the kernel's time, which software cannot read
    mgmt::ArchiveWriter archive;
    visit(archive, state);
    std::string text = archive.bytes;
    for (unsigned h = 0; h < board.harts(); ++h) text += "," + std::to_string(board.now(h).value());
    return {board.moment(), std::hash<std::string>()(text)};
  }
  bool operator==(const Picture& other) const { return at == other.at && state == other.state; }
};

}  // namespace tern::tb
