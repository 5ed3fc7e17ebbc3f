// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <systemc>

#include "systemc/mgmt/domain/domain_config.h"

namespace tern::mgmt {

// The chip as its management core controls it. ControlBlock is the registers in front of it;
// StandAloneChip implements it where there is no chip, ChipUnits (sw/platform/managed) for one.
class ChipControl {
 public:
  // An attempt to train a unit: over after `time`.
  struct Attempt {
    sc_core::sc_time time;
    bool passed = false;
    std::uint32_t margin = 0;  // permille of the unit interval
  };
  using ErrorHandler = std::function<void(const ChipError& error)>;

  // As configured.
  static Attempt attempt_of(const TrainingConfig& config, std::uint32_t attempt) {
    return {sc_core::sc_time(config.us, sc_core::SC_US),
            !config.dead && attempt > config.fail_attempts, config.margin};
  }

  virtual ~ChipControl() = default;

  virtual unsigned hbm_stacks() const = 0;
  virtual unsigned cores() const = 0;
  virtual unsigned dies() const = 0;
  virtual unsigned links() const = 0;
  // Training units: TERN_MGMT_UNIT_...
  virtual bool has_unit(unsigned unit) const = 0;
  // A reset of the management core: no unit is trained.
  virtual void forget_training() = 0;
  // attempt: 1 for the first one since a reset.
  virtual Attempt train(unsigned unit, std::uint32_t attempt) = 0;
  // A core leaves reset; it is ready after this time.
  virtual sc_core::sc_time start_core(unsigned core) = 0;
  // It enters reset, at once.
  virtual void hold_core(unsigned core) = 0;

  // Whom the chip tells of its errors, in simulated time.
  void set_error_handler(ErrorHandler handler) { on_error_ = std::move(handler); }

 protected:
  void report(const ChipError& error) {
    if (on_error_) on_error_(error);
  }

 private:
  ErrorHandler on_error_;
};

}  // namespace tern::mgmt
