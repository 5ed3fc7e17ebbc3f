// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/mgmt/domain/chip_control.h"

namespace tern::mgmt {

// Times, failures and errors of a configuration; nothing computes.
class StandAloneChip : public ChipControl {
 public:
  explicit StandAloneChip(const DomainConfig& config) : config_(config) {}

  unsigned hbm_stacks() const override { return config_.hbm_stacks; }
  unsigned cores() const override { return config_.cores; }
  unsigned dies() const override { return config_.dies; }
  unsigned links() const override { return config_.links; }
  bool has_unit(unsigned unit) const override { return config_.has_unit(unit); }
  void forget_training() override {}
  Attempt train(unsigned unit, std::uint32_t attempt) override {
    return attempt_of(config_.training[unit], attempt);
  }
  sc_core::sc_time start_core(unsigned /*core*/) override {
    return {config_.core_ready_us, sc_core::SC_US};
  }
  void hold_core(unsigned /*core*/) override {}

 private:
  const DomainConfig config_;
};

}  // namespace tern::mgmt
