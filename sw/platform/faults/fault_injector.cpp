// SPDX-License-Identifier: Apache-2.0
#include "sw/platform/faults/fault_injector.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/isa.h"
#include "sw/spec/generated/registers.h"
#include "systemc/hbm/secded.h"

namespace tern {

namespace {

using sc_core::sc_time;
using sc_core::sc_time_stamp;

sc_time us(double value) {
  return {value, sc_core::SC_US};
}

std::uint64_t ring_registers(const Fault& fault) {
  return TERN_CORE_BASE + fault.core * TERN_CORE_STRIDE + TERN_CORE_DMA_BASE +
         fault.engine * TERN_CORE_DMA_STRIDE + fault.ring * TERN_REG_DMA_RING_SIZE_STRIDE;
}

}  // namespace

FaultInjector::FaultInjector(sc_core::sc_module_name name, FaultPlan plan, Chip& chip,
                             mgmt::Board* board)
    : sc_module(name),
      plan_(std::move(plan)),
      chip_(chip),
      board_(board),
      outcomes_(plan_.faults.size()),
      open_(plan_.faults.size(), true) {
  check_fault_plan(
      plan_, {chip.hbm().stacks(), chip.cores(), chip.config().hbm.stack_bytes, board != nullptr});
  SC_THREAD(run);
}

void FaultInjector::program_starts() {
  if (program_) return;
  program_ = sc_time_stamp();
  changed_.notify(sc_core::SC_ZERO_TIME);
}

std::optional<sc_time> FaultInjector::due(const Fault& fault) const {
  switch (fault.from) {
    case Fault::From::kBoot:
      return us(fault.at_us);
    case Fault::From::kProgram:
      if (!program_) return {};
      return *program_ + us(fault.at_us);
    case Fault::From::kInstructions:
      if (!program_) return {};
      return std::as_const(chip_).core(fault.core).queue(fault.queue).executed_instructions() >=
                     fault.instructions
                 ? sc_time_stamp()
                 : sc_time_stamp() + sc_time(kLookNs, sc_core::SC_NS);
  }
  return {};
}

void FaultInjector::run() {
  const sc_time look(kLookNs, sc_core::SC_NS);
  for (;;) {
    std::optional<sc_time> next;
    const auto earliest = [&next](const sc_time& at) {
      if (!next || at < *next) next = at;
    };
    const sc_time now = sc_time_stamp();
    for (std::size_t i = 0; i < plan_.faults.size(); ++i) {
      if (!open_[i]) continue;
      const Fault& fault = plan_.faults[i];
      const auto at = due(fault);
      if (at && *at > now) earliest(*at);
      if (!at || *at > now) continue;
      outcomes_[i] = {Outcome::State::kNowhere, now};
      if (waits_for_ring(fault)) {
        earliest(now + look);
        continue;
      }
      open_[i] = false;
      outcomes_[i].state = inject(fault);
    }
    for (std::size_t i = 0; i < throttled_.size();) {
      if (!throttled_[i].end || *throttled_[i].end > now) {
        if (throttled_[i].end) earliest(*throttled_[i].end);
        ++i;
        continue;
      }
      const unsigned core = throttled_[i].fault->core;
      throttled_.erase(throttled_.begin() + static_cast<std::ptrdiff_t>(i));
      throttle(core);
    }
    if (next) {
      wait(*next - now, changed_);
    } else {
      wait(changed_);
    }
  }
}

void FaultInjector::throttle(unsigned core) {
  double factor = 1;
  for (const Throttling& each : throttled_) {
    if (each.fault->core == core) factor = std::max(factor, each.fault->factor);
  }
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) chip_.core(core).queue(q).throttle(factor);
}

bool FaultInjector::waits_for_ring(const Fault& fault) const {
  return fault.kind == Fault::Kind::kBadDescriptor &&
         !chip_.core(fault.core).dma(fault.engine).ring_is_set_up(fault.ring);
}

// A reserved bit, so that the scan refuses the descriptor; the burst's own code is right.
FaultInjector::Outcome::State FaultInjector::damage_descriptor(const Fault& fault) {
  constexpr std::uint8_t kReserved = 0x10;  // of byte 2: bit 20 of the first word
  const std::uint64_t registers = ring_registers(fault);
  std::array<std::uint32_t, 2> base{};
  std::uint32_t size = 0;
  if (!chip_.peek(registers + TERN_REG_DMA_RING_TX_BASE, &base[0], 4) ||
      !chip_.peek(registers + TERN_REG_DMA_RING_TX_BASE + 4, &base[1], 4) ||
      !chip_.peek(registers + TERN_REG_DMA_RING_SIZE, &size, 4))
    return Outcome::State::kNowhere;
  if (fault.index >= size) return Outcome::State::kNowhere;
  const std::uint64_t address =
      (std::uint64_t{base[1]} << 32 | base[0]) + fault.index * TERN_DESCRIPTOR_BYTES;
  const std::uint64_t stack = address / TERN_HBM_STRIDE, offset = address % TERN_HBM_STRIDE;
  if (stack >= chip_.hbm().stacks() || offset + 4 > chip_.config().hbm.stack_bytes)
    return Outcome::State::kNowhere;
  std::array<std::uint8_t, 4> word{};
  hbm::Stack& memory = chip_.hbm().stack(static_cast<unsigned>(stack));
  memory.read_now(offset, word.data(), word.size());
  word[2] ^= kReserved;
  memory.write_now(offset, word.data(), word.size());
  return Outcome::State::kHappened;
}

FaultInjector::Outcome::State FaultInjector::inject(const Fault& fault) {
  NeuronCore& core = chip_.core(fault.core);
  switch (fault.kind) {
    case Fault::Kind::kHbmBits:
      for (unsigned bit = 0; bit < fault.bits; ++bit)
        chip_.hbm().stack(fault.stack).memory().flip(fault.offset, bit);
      return Outcome::State::kHappened;
    case Fault::Kind::kDmaAbort:
      core.dma(fault.engine).abort_ring(fault.ring);
      return Outcome::State::kHappened;
    case Fault::Kind::kHang:
      if (core.queue(fault.queue).status() != Sequencer::Status::kRunning)
        return Outcome::State::kNowhere;
      core.queue(fault.queue).hang();
      return Outcome::State::kHappened;
    case Fault::Kind::kBadDescriptor:
      return damage_descriptor(fault);
    case Fault::Kind::kThrottle:
      throttled_.push_back({&fault, {}});
      if (fault.for_us > 0) throttled_.back().end = sc_time_stamp() + us(fault.for_us);
      throttle(fault.core);
      return Outcome::State::kHappened;
    case Fault::Kind::kCoreReset:
      core.reset();
      return Outcome::State::kHappened;
    case Fault::Kind::kUart:
      for (const char byte : fault.bytes) board_->uart().arrive(static_cast<std::uint8_t>(byte));
      return Outcome::State::kHappened;
    case Fault::Kind::kFlashBit:
      board_->domain()->flash().flip_bit(static_cast<std::uint32_t>(fault.offset), fault.bit);
      return Outcome::State::kHappened;
    case Fault::Kind::kChipError:
      board_->domain()->raise(
          {static_cast<std::uint8_t>(fault.error), static_cast<std::uint16_t>(fault.unit), 0, 1});
      return Outcome::State::kHappened;
  }
  return Outcome::State::kNowhere;
}

}  // namespace tern
