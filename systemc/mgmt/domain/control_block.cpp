// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/domain/control_block.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tern::mgmt {

namespace {

using sc_core::sc_time;
using sc_core::sc_time_stamp;

constexpr std::uint64_t kUnits = TERN_REG_CONTROL_TRAINING_START_COUNT;
constexpr std::uint64_t kUnitStride = TERN_REG_CONTROL_TRAINING_START_STRIDE;
constexpr std::uint64_t kErrorStride = TERN_REG_CONTROL_ERROR_COUNT_STRIDE;
constexpr std::uint32_t kAll32 = std::numeric_limits<std::uint32_t>::max();

// The four registers of a unit or a class have one stride.
constexpr RegisterArray kTraining{TERN_REG_CONTROL_TRAINING_START, 4, kUnits* kUnitStride / 4};
constexpr RegisterArray kErrors{TERN_REG_CONTROL_ERROR_COUNT, 4,
                                TERN_ERROR_CLASS_COUNT* kErrorStride / 4};

}  // namespace

ControlBlock::ControlBlock(sc_core::sc_module_name name, ChipControl& chip,
                           std::uint64_t memory_bytes, Line line)
    : WordDevice(name),
      chip_(chip),
      memory_bytes_(static_cast<std::uint32_t>(std::min<std::uint64_t>(memory_bytes, kAll32))),
      line_(std::move(line)) {
  chip_.set_error_handler([this](const ChipError& error) { arrive(error); });
}

std::uint32_t ControlBlock::all_cores() const {
  return static_cast<std::uint32_t>((std::uint64_t{1} << chip_.cores()) - 1);
}

std::uint32_t ControlBlock::ready_cores(const sc_time& at) const {
  std::uint32_t ready = 0;
  for (unsigned core = 0; core < chip_.cores(); ++core) {
    if ((state_.core_reset >> core & 1) == 0 && at >= state_.core_busy[core]) ready |= 1u << core;
  }
  return ready;
}

std::uint32_t ControlBlock::training_word(std::uint64_t offset, const sc_time& at) const {
  const std::uint64_t from = offset - TERN_REG_CONTROL_TRAINING_START;
  const Unit& unit = state_.units[from / kUnitStride];
  const bool over = unit.status == TERN_TRAINING_BUSY && at >= unit.busy;
  switch (from % kUnitStride + TERN_REG_CONTROL_TRAINING_START) {
    case TERN_REG_CONTROL_TRAINING_STATUS:
      if (!over) return unit.status;
      return unit.passes ? TERN_TRAINING_PASSED : TERN_TRAINING_FAILED;
    case TERN_REG_CONTROL_TRAINING_ATTEMPTS:
      return unit.attempts;
    case TERN_REG_CONTROL_TRAINING_MARGIN:
      return over && unit.passes ? unit.coming_margin : unit.margin;
    default:
      return 0;
  }
}

std::uint32_t ControlBlock::error_word(std::uint64_t offset) const {
  const std::uint64_t from = offset - TERN_REG_CONTROL_ERROR_COUNT;
  const Error& error = state_.errors[from / kErrorStride];
  switch (from % kErrorStride + TERN_REG_CONTROL_ERROR_COUNT) {
    case TERN_REG_CONTROL_ERROR_COUNT:
      return error.count;
    case TERN_REG_CONTROL_ERROR_UNIT:
      return error.unit;
    case TERN_REG_CONTROL_ERROR_ADDRESS_LOW:
      return static_cast<std::uint32_t>(error.address);
    default:
      return static_cast<std::uint32_t>(error.address >> 32);
  }
}

std::uint32_t ControlBlock::word(std::uint64_t offset, const sc_time& at) const {
  if (kTraining.at(offset)) return training_word(offset, at);
  if (kErrors.at(offset)) return error_word(offset);
  switch (offset) {
    case TERN_REG_CONTROL_ID:
      return TERN_REG_CONTROL_ID_RESET;
    case TERN_REG_CONTROL_HBM_STACKS:
      return chip_.hbm_stacks();
    case TERN_REG_CONTROL_CORES:
      return chip_.cores();
    case TERN_REG_CONTROL_DIES:
      return chip_.dies();
    case TERN_REG_CONTROL_LINKS:
      return chip_.links();
    case TERN_REG_CONTROL_PHASE:
      return state_.phase;
    case TERN_REG_CONTROL_HEARTBEAT:
      return state_.heartbeat;
    case TERN_REG_CONTROL_BOOT_ERROR:
      return state_.boot_error;
    case TERN_REG_CONTROL_RESET_CAUSE:
      return state_.reset_cause;
    case TERN_REG_CONTROL_RESETS:
      return state_.resets;
    case TERN_REG_CONTROL_MEMORY_BYTES:
      return memory_bytes_;
    case TERN_REG_CONTROL_CORE_RESET:
      return state_.core_reset;
    case TERN_REG_CONTROL_CORE_READY:
      return ready_cores(at);
    case TERN_REG_CONTROL_ERROR_ENABLE:
      return state_.enable;
    case TERN_REG_CONTROL_ERROR_PENDING:
      return state_.pending;
    default:
      return 0;
  }
}

void ControlBlock::set_word(std::uint64_t offset, std::uint32_t value, const sc_time& at) {
  if (const auto index = kTraining.at(offset)) {
    if (*index % (kUnitStride / 4) == 0 && value == 1)
      start_training(static_cast<unsigned>(*index / (kUnitStride / 4)), at);
    return;
  }
  switch (offset) {
    case TERN_REG_CONTROL_PHASE:
      state_.phase = value;
      if (on_phase_) on_phase_(value, at);
      break;
    case TERN_REG_CONTROL_HEARTBEAT:
      state_.heartbeat = value;
      break;
    case TERN_REG_CONTROL_BOOT_ERROR:
      state_.boot_error = value;
      break;
    case TERN_REG_CONTROL_CORE_RESET:
      set_core_reset(value & all_cores(), at);
      break;
    case TERN_REG_CONTROL_ERROR_ENABLE:
      state_.enable = value & TERN_REG_CONTROL_ERROR_ENABLE_MASK;
      update();
      break;
    case TERN_REG_CONTROL_ERROR_PENDING:
      state_.pending &= ~value;
      update();
      break;
    default:
      break;
  }
}

void ControlBlock::start_training(unsigned number, const sc_time& at) {
  Unit& unit = state_.units[number];
  const bool busy = unit.status == TERN_TRAINING_BUSY && at < unit.busy;
  if (unit.status == TERN_TRAINING_ABSENT || busy) return;
  ++unit.attempts;
  const ChipControl::Attempt attempt = chip_.train(number, unit.attempts);
  unit.status = TERN_TRAINING_BUSY;
  unit.margin = 0;
  unit.passes = attempt.passed;
  unit.coming_margin = attempt.margin;
  unit.busy = at + attempt.time;
}

void ControlBlock::set_core_reset(std::uint32_t value, const sc_time& at) {
  for (unsigned core = 0; core < chip_.cores(); ++core) {
    const bool held = (state_.core_reset >> core & 1) != 0, hold = (value >> core & 1) != 0;
    if (held && !hold) state_.core_busy[core] = at + chip_.start_core(core);
    if (!held && hold) chip_.hold_core(core);
  }
  state_.core_reset = value;
}

void ControlBlock::arrive(const ChipError& error) {
  Error& kept = state_.errors.at(error.error);
  kept.count = error.count > kAll32 - kept.count ? kAll32 : kept.count + error.count;
  kept.unit = error.unit;
  kept.address = error.address;
  state_.pending |= 1u << error.error;
  update();
}

void ControlBlock::update(bool always) {
  const std::uint32_t levels = state_.pending & state_.enable;
  for (unsigned c = 0; c < TERN_ERROR_CLASS_COUNT; ++c) {
    const bool level = (levels >> c & 1) != 0;
    if (line_ && (always || level != ((levels_ >> c & 1) != 0))) line_(c, level);
  }
  levels_ = levels;
}

void ControlBlock::reset(std::uint32_t cause) {
  State state;
  state.reset_cause = cause;
  state.resets = cause == TERN_RESET_CAUSE_POWER_ON ? 0 : state_.resets + 1;
  for (unsigned unit = 0; unit < state.units.size(); ++unit)
    state.units[unit].status = chip_.has_unit(unit) ? TERN_TRAINING_IDLE : TERN_TRAINING_ABSENT;
  chip_.forget_training();
  state.core_reset = all_cores();
  for (unsigned core = 0; core < chip_.cores(); ++core) chip_.hold_core(core);
  state_ = state;
  update(true);
}

ControlBlock::State ControlBlock::save() const {
  State state = state_;
  for (sc_time& busy : state.core_busy) busy = remaining(busy);
  for (Unit& unit : state.units) unit.busy = remaining(unit.busy);
  return state;
}

void ControlBlock::restore(const State& state) {
  const sc_time now = sc_time_stamp();
  state_ = state;
  for (sc_time& busy : state_.core_busy) busy += now;
  for (Unit& unit : state_.units) unit.busy += now;
  update(true);
}

}  // namespace tern::mgmt
