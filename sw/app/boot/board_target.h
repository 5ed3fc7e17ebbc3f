// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "systemc/mgmt/board/board.h"
#include "systemc/mgmt/board/board_state.h"
#include "systemc/mgmt/gdb/target.h"
#include "systemc/mgmt/history/history.h"

namespace tern::app {

// The board as a debugger sees it.
class BoardTarget final : public gdb::Target {
 public:
  BoardTarget(mgmt::Board& board, mgmt::History& history)
      : board_(board), history_(history), hart_config_(board.config().hart()) {}

  unsigned harts() const override { return board_.harts(); }
  riscv::Hart& hart(unsigned number) override { return board_.hart(number); }
  const riscv::HartConfig& hart_config() const override { return hart_config_; }
  bool peek(std::uint64_t address, void* data, unsigned bytes) override {
    return board_.peek(address, data, bytes);
  }
  bool poke(std::uint64_t address, const void* data, unsigned bytes) override {
    return history_.write_memory(address, data, bytes);
  }
  bool write_register(unsigned hart, unsigned number, std::string_view bytes) override {
    if (!gdb::Target::write_register(hart, number, bytes)) return false;
    history_.hart_written(hart);
    return true;
  }
  bool reverses() const override { return true; }
  std::string monitor(const std::string& command) override;
  // The user wants to go back from where the software ends.
  bool stays() const { return stays_; }

 private:
  std::string time_text() const;
  std::string interrupts_text();
  std::string history_text() const;

  mgmt::Board& board_;
  mgmt::History& history_;
  const riscv::HartConfig hart_config_;
  std::optional<mgmt::BoardState> snapshot_;
  bool stays_ = false;
};

}  // namespace tern::app
