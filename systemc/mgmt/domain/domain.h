// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "systemc/mgmt/domain/bmc_table.h"
#include "systemc/mgmt/domain/control_block.h"
#include "systemc/mgmt/domain/crypto_engine.h"
#include "systemc/mgmt/domain/domain_config.h"
#include "systemc/mgmt/domain/flash.h"
#include "systemc/mgmt/domain/mailbox.h"
#include "systemc/mgmt/domain/otp.h"
#include "systemc/mgmt/domain/power_control.h"
#include "systemc/mgmt/domain/sensors.h"
#include "systemc/mgmt/domain/stand_alone_chip.h"
#include "systemc/mgmt/domain/watchdog.h"

namespace tern::mgmt {

// All devices of the management domain, connected. README.md.
class Domain : public sc_core::sc_module {
 public:
  // The board around it.
  struct Board {
    std::uint64_t memory_bytes = 0;
    CryptoEngine::Reader read_memory;                          // not flash
    std::function<void(unsigned source, bool level)> set_irq;  // of the PLIC
    std::function<void()> reset;                               // the watchdog's
  };
  struct Range {
    std::uint64_t base, bytes;
    RegisterDevice* device;
  };
  struct State {
    Otp::State otp;
    CryptoEngine::State crypto;
    Flash::State flash;
    ControlBlock::State control;
    Watchdog::State watchdog;
    Mailbox::State mailbox;
    PowerControl::State power;
    Sensors::State sensors;
    BmcTable::State bmc;
    std::uint64_t elapsed = 0, events_done = 0;  // of the chip's events
  };

  // chip: what the control block controls; null: a StandAloneChip of this configuration.
  Domain(sc_core::sc_module_name name, const DomainConfig& config, Board board,
         ChipControl* chip = nullptr);

  // Where the devices are on the bus.
  std::vector<Range> ranges();

  // Power on, or a reset for this cause (TERN_RESET_CAUSE_...). After the PLIC's reset.
  void reset(std::uint32_t cause);
  State save() const;
  void restore(const State& state);

  Flash& flash() { return flash_; }
  Otp& otp() { return otp_; }
  CryptoEngine& crypto() { return crypto_; }
  ControlBlock& control() { return control_; }
  Mailbox& mailbox() { return mailbox_; }
  Sensors& sensors() { return sensors_; }
  PowerControl& power() { return power_; }
  BmcTable& bmc() { return bmc_; }
  // As if the chip reported this error now.
  void raise(const ChipError& error) { control_.arrive(error); }

 private:
  SC_HAS_PROCESS(Domain);
  bool read(std::uint64_t address, void* data, std::size_t bytes);
  void next_event();
  void schedule();

  const Board board_;
  const std::vector<ChipEvent> events_;  // by time
  std::unique_ptr<StandAloneChip> own_chip_;
  Otp otp_;
  CryptoEngine crypto_;
  Flash flash_;
  FlashWindow window_;
  ControlBlock control_;
  Watchdog watchdog_;
  Mailbox mailbox_;
  PowerControl power_;
  Sensors sensors_;
  BmcTable bmc_;
  std::uint64_t start_ = 0;  // of the events' times; wraps
  std::size_t done_ = 0;     // events
  sc_core::sc_event event_;
};

}  // namespace tern::mgmt
