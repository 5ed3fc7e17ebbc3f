// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "systemc/mgmt/board/archive.h"
#include "systemc/mgmt/domain/domain.h"

// The state of the management domain as bytes.
namespace tern::mgmt {

template <typename Archive>
void visit(Archive& a, Otp::State& s) {
  each_number(a, s.fuses);
  numbers(a, s.index, s.value, s.error, s.locked);
  visit(a, s.busy);
}

template <typename Archive>
void visit(Archive& a, CryptoEngine::State& s) {
  numbers(a, s.source, s.length, s.status, s.result, s.new_result);
  each_number(a, s.digest);
  each_number(a, s.new_digest);
  each_number(a, s.public_key);
  each_number(a, s.signature);
  visit(a, s.busy);
}

template <typename Archive>
void visit(Archive& a, Flash::State& s) {
  std::vector<std::uint8_t> bytes = s.bytes ? *s.bytes : std::vector<std::uint8_t>();
  bytes.resize(TERN_MGMT_FLASH_BYTES);
  a.block(bytes);
  s.bytes = std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
  numbers(a, s.address, s.data, s.protect, s.error);
  visit(a, s.busy);
}

template <typename Archive>
void visit(Archive& a, ControlBlock::State& s) {
  numbers(a, s.phase, s.heartbeat, s.boot_error, s.reset_cause, s.resets, s.core_reset, s.enable,
          s.pending);
  for (sc_core::sc_time& busy : s.core_busy) visit(a, busy);
  for (ControlBlock::Unit& unit : s.units) {
    numbers(a, unit.status, unit.attempts, unit.margin, unit.passes, unit.coming_margin);
    visit(a, unit.busy);
  }
  for (ControlBlock::Error& error : s.errors) numbers(a, error.count, error.unit, error.address);
}

template <typename Archive>
void visit(Archive& a, Watchdog::State& s) {
  numbers(a, s.control, s.stage1_us, s.stage2_us, s.fired, s.bitten);
  visit(a, s.since_start);
}

template <typename Archive>
void visit(Archive& a, Mailbox::State& s) {
  each_number(a, s.request);
  each_number(a, s.response);
  numbers(a, s.request_waits, s.response_waits, s.ignored);
}

template <typename Archive>
void visit(Archive& a, PowerControl::State& s) {
  numbers(a, s.target, s.step, s.from);
  visit(a, s.passed);
}

template <typename Archive>
void visit(Archive& a, Sensors::State& s) {
  a.resize(s.motions, DomainConfig::kMaxSensors);
  for (Sensors::Motion& motion : s.motions) {
    numbers(a, motion.from, motion.to, motion.offset);
    visit(a, motion.passed);
  }
}

template <typename Archive>
void visit(Archive& a, BmcTable::State& s) {
  each_number(a, s.table);
  a.number(s.attention);
}

template <typename Archive>
void visit(Archive& a, Domain::State& s) {
  visit(a, s.otp);
  visit(a, s.crypto);
  visit(a, s.flash);
  visit(a, s.control);
  visit(a, s.watchdog);
  visit(a, s.mailbox);
  visit(a, s.power);
  visit(a, s.sensors);
  visit(a, s.bmc);
  numbers(a, s.elapsed, s.events_done);
}

// What a device could not have come to.
inline bool is_sane(const Domain::State& s, const DomainConfig& config) {
  const auto unit_is_sane = [](const ControlBlock::Unit& unit) {
    return unit.status < TERN_TRAINING_COUNT;
  };
  const std::uint64_t cores = (std::uint64_t{1} << config.cores) - 1;
  return s.otp.index < TERN_MGMT_OTP_WORDS && s.crypto.status < TERN_CRYPTO_STATUS_COUNT &&
         (s.flash.protect & ~TERN_REG_FLASH_PROTECT_MASK) == 0 &&
         (s.control.core_reset & ~cores) == 0 &&
         std::all_of(s.control.units.begin(), s.control.units.end(), unit_is_sane) &&
         ((s.control.enable | s.control.pending) & ~TERN_REG_CONTROL_ERROR_ENABLE_MASK) == 0 &&
         s.power.target <= PowerControl::kFull && s.power.from <= PowerControl::kFull &&
         s.sensors.motions.size() == config.sensors.size() && s.events_done <= config.events.size();
}

// Times from now on, or how long ago.
inline bool times_are_sane(const Domain::State& s) {
  const sc_core::sc_time most(1000, sc_core::SC_SEC);
  const auto sane = [&](const sc_core::sc_time& time) { return time <= most; };
  return sane(s.otp.busy) && sane(s.crypto.busy) && sane(s.flash.busy) &&
         std::all_of(s.control.core_busy.begin(), s.control.core_busy.end(), sane) &&
         std::all_of(s.control.units.begin(), s.control.units.end(),
                     [&](const ControlBlock::Unit& unit) { return sane(unit.busy); });
}

}  // namespace tern::mgmt
