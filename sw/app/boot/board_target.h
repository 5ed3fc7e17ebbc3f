// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "systemc/mgmt/board/board.h"
#include "systemc/mgmt/board/board_state.h"
#include "systemc/mgmt/gdb/target.h"

namespace tern::app {

// The board as a debugger sees it.
class BoardTarget final : public gdb::Target {
 public:
  explicit BoardTarget(mgmt::Board& board) : board_(board), hart_config_(board.config().hart()) {}

  unsigned harts() const override { return board_.harts(); }
  riscv::Hart& hart(unsigned number) override { return board_.hart(number); }
  const riscv::HartConfig& hart_config() const override { return hart_config_; }
  bool peek(std::uint64_t address, void* data, unsigned bytes) override {
    return board_.peek(address, data, bytes);
  }
  bool poke(std::uint64_t address, const void* data, unsigned bytes) override {
    return board_.poke(address, data, bytes);
  }
  std::string monitor(const std::string& command) override;

 private:
  std::string time_text() const;
  std::string interrupts_text();

  mgmt::Board& board_;
  const riscv::HartConfig hart_config_;
  std::optional<mgmt::BoardState> snapshot_;
};

}  // namespace tern::app
