// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "systemc/mgmt/board/board.h"

namespace tern::mgmt {

// All of a board, with times relative to the simulation's, so that it can be restored at another
// one.
struct BoardState {
  struct Page {
    std::uint64_t address = 0;
    std::vector<std::uint8_t> bytes;  // kPageBytes
  };
  static constexpr std::uint64_t kPageBytes = 4096;

  std::uint64_t ram_bytes = 0;
  std::vector<Page> pages;  // of memory, those that are not zero, by address
  std::vector<HartRunner::State> harts;
  Finisher::State finisher;
  Clint::State clint;
  Plic::State plic;
  Uart16550::State uart;
  Rtc::State rtc;
  std::optional<Domain::State> domain;
  std::uint64_t turn = 0, last_hart = 0, round_end_fs = 0;
  bool reset_pending = false;
  std::uint32_t reset_cause = TERN_RESET_CAUSE_POWER_ON;
  std::uint32_t resets = 0;
};

}  // namespace tern::mgmt
