// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/live/live_state.h"
#include "sw/platform/hosted_chip.h"
#include "systemc/mgmt/board/board.h"

namespace tern::live {

// A chip's counters as a live state; utilisations are since the previous sample.
class ChipSampler {
 public:
  ChipSampler(HostedChip& chip, std::string name) : chip_(&chip), name_(std::move(name)) {}

  Device sample();

 private:
  HostedChip* chip_;
  std::string name_;
  std::vector<Core> last_;
  double last_us_ = 0;
};

// Of a management core. It reads what the firmware has been told, not its memory.
Management sample_of(mgmt::Board& board);

}  // namespace tern::live
