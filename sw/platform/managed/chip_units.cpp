// SPDX-License-Identifier: Apache-2.0
#include "sw/platform/managed/chip_units.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "sw/base/user_error.h"
#include "sw/spec/generated/address_map.h"
#include "systemc/hbm/secded.h"

namespace tern {

namespace {

using sc_core::sc_time;
using sc_core::sc_time_stamp;

mgmt::ChipError error_of(const ChipFault& fault) {
  mgmt::ChipError error;
  error.unit = static_cast<std::uint16_t>(fault.unit);
  error.address = fault.address;
  switch (fault.kind) {
    case ChipFault::Kind::kCorrected:
      error.error = TERN_ERROR_CLASS_ECC_CORRECTED;
      break;
    case ChipFault::Kind::kUncorrectable:
      error.error = TERN_ERROR_CLASS_ECC_UNCORRECTABLE;
      break;
    case ChipFault::Kind::kDmaAbort:
      error.error = TERN_ERROR_CLASS_DMA_ABORT;
      break;
    case ChipFault::Kind::kSemaphore:
      error.error = TERN_ERROR_CLASS_SEMAPHORE_OVERFLOW;
      break;
    case ChipFault::Kind::kSequencer:
      error.error = TERN_ERROR_CLASS_SEQUENCER_FATAL;
      break;
  }
  return error;
}

}  // namespace

ChipUnits::ChipUnits(sc_core::sc_module_name name, Chip& chip, const mgmt::DomainConfig& config)
    : sc_module(name),
      chip_(chip),
      config_(config),
      stacks_(hbm_stacks()),
      cores_(cores()),
      repairs_(hbm_stacks()),
      repaired_(hbm_stacks()),
      progress_(cores()) {
  using mgmt::DomainConfig;
  if (hbm_stacks() > DomainConfig::kMaxStacks || cores() > DomainConfig::kMaxCores)
    throw UserError(fmt::format(
        "management: a chip with {} HBM stacks and {} cores; it controls at most {} and {}",
        hbm_stacks(), cores(), DomainConfig::kMaxStacks, DomainConfig::kMaxCores));
  chip_.health().listen([this](const ChipFault& fault) { arrive(fault); });
  SC_METHOD(update);
  sensitive << due_;
  dont_initialize();
  if (config_.hang_us > 0) SC_THREAD(look_for_hangs);
}

bool ChipUnits::has_unit(unsigned unit) const {
  if (unit < TERN_MGMT_UNIT_DIE) return unit < hbm_stacks();
  if (unit == TERN_MGMT_UNIT_DIE) return dies() > 1;
  return unit >= TERN_MGMT_UNIT_LINK && unit < TERN_MGMT_UNIT_LINK + links();
}

void ChipUnits::arrive(const ChipFault& fault) {
  mgmt::ChipError error = error_of(fault);
  if (fault.kind == ChipFault::Kind::kUncorrectable && repairs(fault.unit, fault.address))
    error.error = TERN_ERROR_CLASS_ECC_REPAIRABLE;
  report(error);
}

bool ChipUnits::repairs(unsigned stack, std::uint64_t address) {
  std::set<std::uint64_t>& waiting = repairs_[stack];
  if (waiting.count(address) != 0) return true;
  if (repaired_[stack] + waiting.size() >= config_.spare_rows) return false;
  waiting.insert(address);
  return true;
}

std::uint64_t ChipUnits::progress_of(unsigned n) const {
  const NeuronCore& core = std::as_const(chip_).core(n);
  std::uint64_t sum = 0;
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) sum += core.queue(q).executed_instructions();
  for (unsigned e = 0; e < NeuronCore::kDmaEngines; ++e)
    sum += chip_.core(n).dma(e).counters().descriptors;
  return sum;
}

// A hang is reported once, until the core makes progress again.
void ChipUnits::look_for_hangs() {
  for (;;) {
    wait(sc_time(config_.hang_us, sc_core::SC_US));
    for (unsigned n = 0; n < progress_.size(); ++n) {
      const std::uint64_t now = progress_of(n);
      const bool hangs = chip_.core(n).registers().running() && now == progress_[n].seen;
      if (hangs && !progress_[n].reported)
        report({TERN_ERROR_CLASS_HANG, static_cast<std::uint16_t>(n), 0, 1});
      progress_[n] = {now, hangs};
    }
  }
}

void ChipUnits::forget_training() {
  for (unsigned s = 0; s < hbm_stacks(); ++s) {
    stacks_[s].reset();
    chip_.hbm().set_ready(s, false);
  }
}

mgmt::ChipControl::Attempt ChipUnits::train(unsigned unit, std::uint32_t attempt) {
  Attempt result = attempt_of(config_.training[unit], attempt);
  if (unit < hbm_stacks()) {
    chip_.hbm().set_ready(unit, false);
    stacks_[unit].reset();
    if (result.passed) stacks_[unit] = sc_time_stamp() + result.time;
    schedule();
  }
  return result;
}

sc_time ChipUnits::start_core(unsigned core) {
  const sc_time time(config_.core_ready_us, sc_core::SC_US);
  cores_[core] = sc_time_stamp() + time;
  schedule();
  return time;
}

void ChipUnits::hold_core(unsigned core) {
  cores_[core].reset();
  chip_.core(core).hold();
}

void ChipUnits::update() {
  const sc_time now = sc_time_stamp();
  for (unsigned s = 0; s < stacks_.size(); ++s) {
    if (!stacks_[s] || *stacks_[s] > now) continue;
    stacks_[s].reset();
    chip_.hbm().set_ready(s, true);
    // A spare row begins with zeros.
    const std::array<std::uint8_t, hbm::kBurstBytes> zeros{};
    for (const std::uint64_t address : repairs_[s])
      chip_.hbm().stack(s).write_now(address % TERN_HBM_STRIDE, zeros.data(), zeros.size());
    repaired_[s] += static_cast<unsigned>(repairs_[s].size());
    repairs_[s].clear();
  }
  for (unsigned n = 0; n < cores_.size(); ++n) {
    if (!cores_[n] || *cores_[n] > now) continue;
    cores_[n].reset();
    chip_.core(n).release();
  }
  schedule();
}

void ChipUnits::archive_due(base::StateArchive& archive, Due& due) {
  constexpr std::uint64_t kMostFs = 1'000'000'000'000'000;  // a second
  bool waits = due.has_value();
  archive.number(waits);
  const std::uint64_t now = sc_time_stamp().value();
  std::uint64_t at = waits && due ? due->value() : now;
  if (waits) archive.number(at, now, now + kMostFs);
  due = waits ? Due(sc_time::from_value(at)) : std::nullopt;
}

void ChipUnits::archive_state(base::StateArchive& archive) {
  archive.section("units");
  for (Due& due : stacks_) archive_due(archive, due);
  for (Due& due : cores_) archive_due(archive, due);
  for (unsigned s = 0; s < stacks_.size(); ++s) {
    archive.number(repaired_[s], config_.spare_rows);
    std::vector<std::uint64_t> bursts(repairs_[s].begin(), repairs_[s].end());
    bursts.resize(archive.size(bursts.size(), config_.spare_rows));
    const std::uint64_t base = TERN_HBM_BASE + s * TERN_HBM_STRIDE,
                        end = base + chip_.config().hbm.stack_bytes;
    for (std::uint64_t& burst : bursts) archive.number(burst, base, end - hbm::kBurstBytes);
    repairs_[s] = {bursts.begin(), bursts.end()};
  }
  for (Progress& progress : progress_) archive.numbers(progress.seen, progress.reported);
  schedule();
}

void ChipUnits::schedule() {
  Due next;
  for (const auto* units : {&stacks_, &cores_}) {
    for (const Due& due : *units) {
      if (due && (!next || *due < *next)) next = due;
    }
  }
  due_.cancel();
  if (next) due_.notify(*next - sc_time_stamp());
}

}  // namespace tern
