// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "sw/platform/stuck/stuck_bit.h"
#include "systemc/chip/chip.h"

namespace tern {

// The back ends of a chip's sockets with stuck bits in them: each of those that have one is
// wrapped, whatever it is. Bits of memories: StuckMemory.
ChipOptions with_stuck_bits(ChipOptions options, const std::vector<StuckBit>& bits);

// Stuck bits of the memories of a chip, which have no socket. A cell of SBUF is looked at every
// 10 ns of simulated time, and has its value again. Before the simulation starts.
class StuckMemory : public sc_core::sc_module {
 public:
  static constexpr double kLookNs = 10;

  StuckMemory(sc_core::sc_module_name name, Chip& chip, std::vector<StuckBit> bits);

 private:
  SC_HAS_PROCESS(StuckMemory);
  void look();

  Chip& chip_;
  std::vector<StuckBit> cells_;
};

}  // namespace tern
