// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "sw/spec/generated/mgmt.h"
#include "systemc/mgmt/domain/chip_control.h"
#include "systemc/mgmt/domain/word_device.h"

namespace tern::mgmt {

// Registers of the chip: training, resets, errors, and what software reports of itself. README.md.
class ControlBlock : public WordDevice {
 public:
  // The line of an error class; called when it changes, after reset() and restore() in any case.
  using Line = std::function<void(unsigned error_class, bool level)>;
  // A write of register phase, at the time of the hart.
  using PhaseHandler = std::function<void(std::uint32_t phase, const sc_core::sc_time& at)>;

  struct Unit {
    std::uint32_t status = TERN_TRAINING_ABSENT, attempts = 0, margin = 0;
    bool passes = false;              // the attempt that is busy
    std::uint32_t coming_margin = 0;  // if it does
    sc_core::sc_time busy;            // until then; in a snapshot from now on
  };
  struct Error {
    std::uint32_t count = 0;
    std::uint16_t unit = 0;
    std::uint64_t address = 0;
  };
  struct State {
    std::uint32_t phase = 0, heartbeat = 0, boot_error = 0;
    std::uint32_t reset_cause = TERN_RESET_CAUSE_POWER_ON, resets = 0;
    std::uint32_t core_reset = 0;
    std::array<sc_core::sc_time, DomainConfig::kMaxCores> core_busy = {};  // from now on
    std::array<Unit, DomainConfig::kUnits> units = {};
    std::uint32_t enable = 0, pending = 0;
    std::array<Error, TERN_ERROR_CLASS_COUNT> errors = {};
  };

  // memory_bytes: of the management core.
  ControlBlock(sc_core::sc_module_name name, ChipControl& chip, std::uint64_t memory_bytes,
               Line line);

  void set_phase_handler(PhaseHandler handler) { on_phase_ = std::move(handler); }
  std::uint32_t phase() const { return state_.phase; }
  std::uint32_t boot_error() const { return state_.boot_error; }
  std::uint32_t heartbeat() const { return state_.heartbeat; }

  // An error of the chip, now: counted, and an interrupt if its class is enabled.
  void arrive(const ChipError& error);

  // All cores are held, and no unit is trained. Power on also begins to count resets anew.
  void reset(std::uint32_t cause);
  State save() const;
  void restore(const State& state);

 private:
  std::uint32_t word(std::uint64_t offset, const sc_core::sc_time& at) const override;
  void set_word(std::uint64_t offset, std::uint32_t value, const sc_core::sc_time& at) override;
  std::uint32_t training_word(std::uint64_t offset, const sc_core::sc_time& at) const;
  std::uint32_t error_word(std::uint64_t offset) const;
  std::uint32_t ready_cores(const sc_core::sc_time& at) const;
  std::uint32_t all_cores() const;
  void start_training(unsigned number, const sc_core::sc_time& at);
  void set_core_reset(std::uint32_t value, const sc_core::sc_time& at);
  void update(bool always = false);

  ChipControl& chip_;
  const std::uint32_t memory_bytes_;
  const Line line_;
  PhaseHandler on_phase_;
  State state_;               // times in it are absolute
  std::uint32_t levels_ = 0;  // of the lines
};

}  // namespace tern::mgmt
