// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/domain/domain.h"

#include <algorithm>
#include <utility>

#include "sw/base/user_error.h"
#include "sw/spec/generated/address_map.h"

namespace tern::mgmt {

namespace {

using sc_core::sc_time;
using sc_core::sc_time_stamp;

sc_time us(double value) {
  return {value, sc_core::SC_US};
}

CryptoEngine::Config crypto_of(const DomainConfig& config) {
  return {config.crypto_ghz, config.hash_block_cycles, config.verify_cycles};
}

std::vector<ChipEvent> by_time(std::vector<ChipEvent> events) {
  std::stable_sort(events.begin(), events.end(),
                   [](const ChipEvent& a, const ChipEvent& b) { return a.at_us < b.at_us; });
  return events;
}

}  // namespace

Domain::Domain(sc_core::sc_module_name name, const DomainConfig& config, Board board,
               ChipControl* chip)
    : sc_module(name),
      board_(std::move(board)),
      events_(by_time(config.events)),
      own_chip_(chip == nullptr ? std::make_unique<StandAloneChip>(config) : nullptr),
      otp_("otp", config.fuses, us(config.burn_us)),
      crypto_("crypto", crypto_of(config),
              [this](std::uint64_t address, void* data, std::size_t bytes) {
                return read(address, data, bytes);
              }),
      flash_("flash", us(config.erase_us), us(config.program_us)),
      window_("flash_window", flash_),
      control_("control", chip == nullptr ? *own_chip_ : *chip, board_.memory_bytes,
               [this](unsigned error_class, bool level) {
                 board_.set_irq(TERN_MGMT_IRQ_ERROR + error_class, level);
               }),
      watchdog_(
          "watchdog", [this](bool level) { board_.set_irq(TERN_MGMT_IRQ_WATCHDOG, level); },
          [this] { board_.reset(); }),
      mailbox_("mailbox", [this](bool level) { board_.set_irq(TERN_MGMT_IRQ_MAILBOX, level); }),
      power_("power", config.power_max_step, config.power_interval_us,
             [this](std::uint32_t target, const sc_time& at) { sensors_.set_target(target, at); }),
      sensors_("sensors", config.sensors, [this](const sc_time& at) { return power_.level(at); }),
      bmc_("bmc"),
      start_(sc_time_stamp().value()) {
  SC_METHOD(next_event);
  sensitive << event_;
  dont_initialize();
  schedule();
}

std::vector<Domain::Range> Domain::ranges() {
  return {{TERN_MGMT_OTP_BASE, TERN_MGMT_OTP_STRIDE, &otp_},
          {TERN_MGMT_CRYPTO_BASE, TERN_MGMT_CRYPTO_STRIDE, &crypto_},
          {TERN_MGMT_FLASH_CONTROL_BASE, TERN_MGMT_FLASH_CONTROL_STRIDE, &flash_},
          {TERN_MGMT_CONTROL_BASE, TERN_MGMT_CONTROL_STRIDE, &control_},
          {TERN_MGMT_WATCHDOG_BASE, TERN_MGMT_WATCHDOG_STRIDE, &watchdog_},
          {TERN_MGMT_MAILBOX_BASE, TERN_MGMT_MAILBOX_STRIDE, &mailbox_},
          {TERN_MGMT_SENSORS_BASE, TERN_MGMT_SENSORS_STRIDE, &sensors_},
          {TERN_MGMT_POWER_BASE, TERN_MGMT_POWER_STRIDE, &power_},
          {TERN_MGMT_BMC_BASE, TERN_MGMT_BMC_STRIDE, &bmc_},
          {TERN_MGMT_FLASH_BASE, TERN_MGMT_FLASH_BYTES, &window_}};
}

bool Domain::read(std::uint64_t address, void* data, std::size_t bytes) {
  const std::uint64_t offset = address - TERN_MGMT_FLASH_BASE;
  if (address < TERN_MGMT_FLASH_BASE || offset >= TERN_MGMT_FLASH_BYTES)
    return board_.read_memory(address, data, bytes);
  if (bytes > TERN_MGMT_FLASH_BYTES - offset) return false;
  std::copy_n(flash_.data() + offset, bytes, static_cast<std::uint8_t*>(data));
  return true;
}

void Domain::reset(std::uint32_t cause) {
  otp_.reset();
  crypto_.reset();
  flash_.reset();
  control_.reset(cause);
  watchdog_.reset();
  mailbox_.reset();
  sensors_.reset();
  power_.reset();
  bmc_.reset();
}

void Domain::next_event() {
  const std::uint64_t elapsed = sc_time_stamp().value() - start_;
  for (; done_ < events_.size() && us(events_[done_].at_us).value() <= elapsed; ++done_)
    raise(events_[done_].error);
  schedule();
}

void Domain::schedule() {
  event_.cancel();
  if (done_ == events_.size()) return;
  const std::uint64_t elapsed = sc_time_stamp().value() - start_;
  const std::uint64_t due = us(events_[done_].at_us).value();
  event_.notify(sc_time::from_value(due > elapsed ? due - elapsed : 0));
}

Domain::State Domain::save() const {
  return {otp_.save(),
          crypto_.save(),
          flash_.save(),
          control_.save(),
          watchdog_.save(),
          mailbox_.save(),
          power_.save(),
          sensors_.save(),
          bmc_.save(),
          sc_time_stamp().value() - start_,
          done_};
}

void Domain::restore(const State& state) {
  if (state.events_done > events_.size())
    throw RunError("management domain: the snapshot is one of another board");
  otp_.restore(state.otp);
  crypto_.restore(state.crypto);
  flash_.restore(state.flash);
  control_.restore(state.control);
  watchdog_.restore(state.watchdog);
  mailbox_.restore(state.mailbox);
  power_.restore(state.power);
  sensors_.restore(state.sensors);
  bmc_.restore(state.bmc);
  start_ = sc_time_stamp().value() - state.elapsed;
  done_ = state.events_done;
  schedule();
}

}  // namespace tern::mgmt
