// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "systemc/mgmt/board/board.h"

namespace tern::app {

// Runs the board as a debugger at this port wants it; the first instruction waits for one. Returns
// when the software or the debugger ends it (then as a request), or done() holds where it stops.
// tick: called now and then while it runs.
mgmt::BoardStop run_with_gdb(mgmt::Board& board, std::uint16_t port, const sc_core::sc_time& limit,
                             const std::function<bool()>& done, const std::function<void()>& tick);

}  // namespace tern::app
