// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <utility>

#include "sw/spec/generated/mgmt.h"
#include "systemc/mgmt/domain/word_device.h"

namespace tern::mgmt {

// Memory that firmware writes and the board management controller reads. README.md.
class BmcTable : public WordDevice {
 public:
  using Table = std::array<std::uint32_t, TERN_REG_BMC_TABLE_COUNT>;
  // The attention line; called when it changes, after reset() and restore() in any case.
  using Line = std::function<void(bool level)>;
  struct State {
    Table table = {};
    bool attention = false;
  };

  explicit BmcTable(sc_core::sc_module_name name) : WordDevice(name) {}

  // The BMC's side.
  const Table& table() const { return state_.table; }
  bool attention() const { return state_.attention; }
  void set_line(Line line) { line_ = std::move(line); }

  void reset() { restore({}); }
  State save() const { return state_; }
  void restore(const State& state) {
    state_ = state;
    if (line_) line_(state_.attention);
  }

 private:
  static constexpr RegisterArray kTable{TERN_REG_BMC_TABLE, TERN_REG_BMC_TABLE_STRIDE,
                                        TERN_REG_BMC_TABLE_COUNT};
  std::uint32_t word(std::uint64_t offset, const sc_core::sc_time&) const override {
    if (const auto i = kTable.at(offset)) return state_.table[*i];
    return offset == TERN_REG_BMC_ATTENTION && state_.attention ? 1 : 0;
  }
  void set_word(std::uint64_t offset, std::uint32_t value, const sc_core::sc_time&) override {
    if (const auto i = kTable.at(offset)) state_.table[*i] = value;
    if (offset != TERN_REG_BMC_ATTENTION || state_.attention == ((value & 1) != 0)) return;
    state_.attention = (value & 1) != 0;
    if (line_) line_(state_.attention);
  }

  Line line_;
  State state_;
};

}  // namespace tern::mgmt
