// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <systemc>

#include "sw/platform/hosted_chip.h"
#include "sw/platform/managed/chip_units.h"
#include "systemc/mgmt/board/board.h"

namespace tern {

// The management core of a chip, in the chip's simulation: the board, which controls the chip's
// units, and the host's end of its mailbox behind the chip's registers. Before the simulation
// starts.
class ManagedChip : private ManagementPort {
 public:
  // name: of its modules. board: with a management domain. uart: the other end of the serial line,
  // or null. Throws UserError.
  ManagedChip(const std::string& name, Chip& chip, const mgmt::BoardConfig& board,
              mgmt::BoardImages images, mgmt::UartBackend* uart = nullptr);

  // Simulated times: Tern's firmware is ready, degraded or has given up by then; it has taken an
  // interrupt by then, two quanta of its board and its handler.
  static constexpr double kBootLimitMs = 1000, kInterruptUs = 200;

  // Blocks a SystemC thread until the firmware has reported that the chip is ready or degraded;
  // returns which (TERN_PHASE_...). RunError if it shuts down or stops, or if `limit` of simulated
  // time passes.
  std::uint32_t wait_ready(const sc_core::sc_time& limit);

  mgmt::Board& board() { return board_; }
  // As reported, at the simulation's time.
  std::uint32_t phase();

 private:
  bool read(std::uint64_t offset, std::uint32_t* value) override;
  bool write(std::uint64_t offset, std::uint32_t value) override;
  void archive_state(base::StateArchive& archive) override;

  const std::string identity_;  // of the board and its images, in a snapshot
  ChipUnits units_;
  mgmt::Board board_;
  struct Report {
    std::uint32_t phase;
    sc_core::sc_time at;
  };
  std::uint32_t phase_ = TERN_PHASE_RESET;
  std::deque<Report> reports_;  // of harts that are ahead
  sc_core::sc_event_queue phase_changed_;
};

}  // namespace tern
