// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "sw/spec/generated/mgmt.h"
#include "systemc/mgmt/domain/word_device.h"

namespace tern::mgmt {

// Write-once fuses. README.md.
class Otp : public WordDevice {
 public:
  using Fuses = std::array<std::uint32_t, TERN_MGMT_OTP_WORDS>;
  struct State {
    Fuses fuses = {};
    std::uint32_t index = 0, value = 0;
    bool error = false, locked = false;
    sc_core::sc_time busy;  // from now on
  };

  // burn: of a command.
  Otp(sc_core::sc_module_name name, const Fuses& fuses, const sc_core::sc_time& burn);

  const Fuses& fuses() const { return state_.fuses; }

  // Fuses stay.
  void reset();
  State save() const;
  void restore(const State& state);

 private:
  std::uint32_t word(std::uint64_t offset, const sc_core::sc_time& at) const override;
  void set_word(std::uint64_t offset, std::uint32_t value, const sc_core::sc_time& at) override;
  void command(std::uint32_t value, const sc_core::sc_time& at);

  const sc_core::sc_time burn_;
  State state_;
  sc_core::sc_time until_;  // busy
};

}  // namespace tern::mgmt
