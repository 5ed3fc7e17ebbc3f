// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/devices/plic.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sw/base/user_error.h"
#include "systemc/mgmt/devices/memory_map.h"

namespace tern::mgmt {

namespace {

constexpr std::uint64_t kPending = 0x1000, kEnable = 0x2000, kContexts = 0x200000;
constexpr std::uint64_t kEnableStride = 0x80, kContextStride = 0x1000;
constexpr std::uint64_t kThreshold = 0, kClaim = 4;
constexpr std::uint8_t kPriorityMask = 7;

Plic::Config checked(const Plic::Config& config) {
  if (config.sources == 0 || config.sources > Plic::kMaxSources) {
    throw UserError(
        fmt::format("PLIC: {} sources, 1 to {} are possible", config.sources, Plic::kMaxSources));
  }
  if (config.harts == 0 || config.harts > Plic::kMaxHarts) {
    throw UserError(
        fmt::format("PLIC: {} harts, 1 to {} are possible", config.harts, Plic::kMaxHarts));
  }
  return config;
}

bool has(const Plic::Sources& sources, unsigned source) {
  return (sources[source / 32] >> source % 32 & 1) != 0;
}
void set(Plic::Sources& sources, unsigned source, bool value) {
  const std::uint32_t bit = std::uint32_t{1} << source % 32;
  sources[source / 32] = (sources[source / 32] & ~bit) | (value ? bit : 0);
}

Plic::State empty_state(const Plic::Config& config) {
  Plic::State state;
  const Plic::Sources none(config.sources / 32 + 1);
  state.priorities.resize(config.sources + 1);
  state.inputs = state.pending = state.in_service = none;
  state.contexts.resize(2 * config.harts, {none, 0});
  return state;
}

}  // namespace

Plic::Plic(sc_core::sc_module_name name, const Config& config, Line line)
    : RegisterDevice(name, 4, kPlicBytes),
      config_(checked(config)),
      line_(std::move(line)),
      state_(empty_state(config)),
      levels_(state_.contexts.size()) {}

// The gateway: a level becomes one request, and the next one only after completion. A request that
// has been made stays when the level falls.
void Plic::set_level(unsigned source, bool level) {
  if (source == 0 || source > config_.sources) {
    throw RunError(fmt::format("PLIC: no source {}", source));
  }
  set(state_.inputs, source, level);
  if (!level || has(state_.pending, source) || has(state_.in_service, source)) return;
  set(state_.pending, source, true);
  update();
}

// The pending, enabled source of the highest priority above `above`, of equal ones the lowest; 0:
// none.
unsigned Plic::best(const Context& context, unsigned above) const {
  unsigned found = 0;
  for (unsigned word = 0; word < state_.pending.size(); ++word) {
    std::uint32_t bits = state_.pending[word] & context.enabled[word];
    for (unsigned source = 32 * word; bits != 0; ++source, bits >>= 1) {
      if ((bits & 1) == 0 || state_.priorities[source] <= above) continue;
      above = state_.priorities[source];
      found = source;
    }
  }
  return found;
}

void Plic::complete(const Context& context, std::uint32_t source) {
  if (source == 0 || source > config_.sources || !has(context.enabled, source)) return;
  set(state_.in_service, source, false);
  if (has(state_.inputs, source)) set(state_.pending, source, true);
}

void Plic::update(bool always) {
  for (unsigned context = 0; context < levels_.size(); ++context) {
    const Context& its = state_.contexts[context];
    const bool level = best(its, its.threshold) != 0;
    if (level == levels_[context] && !always) continue;
    levels_[context] = level;
    if (line_) line_(context, level);
  }
}

// The sources of a word that there are.
std::uint32_t Plic::existing(std::uint64_t word) const {
  std::uint32_t bits = ~std::uint32_t{0};
  if (word == config_.sources / 32) bits >>= 31 - config_.sources % 32;
  return word == 0 ? bits & ~std::uint32_t{1} : bits;
}

std::uint64_t Plic::peek(std::uint64_t offset) const {
  if (offset < kPending) {
    return offset / 4 <= config_.sources ? state_.priorities[offset / 4] : 0;
  }
  if (offset < kEnable) {
    const std::uint64_t word = (offset - kPending) / 4;
    return word < state_.pending.size() ? state_.pending[word] : 0;
  }
  if (offset < kContexts) {
    const std::uint64_t context = (offset - kEnable) / kEnableStride;
    const std::uint64_t word = offset % kEnableStride / 4;
    const bool there = context < state_.contexts.size() && word < state_.pending.size();
    return there ? state_.contexts[context].enabled[word] : 0;
  }
  const std::uint64_t context = (offset - kContexts) / kContextStride;
  if (context >= state_.contexts.size()) return 0;
  const Context& its = state_.contexts[context];
  if (offset % kContextStride == kThreshold) return its.threshold;
  return offset % kContextStride == kClaim ? best(its, 0) : 0;
}

// Reading claim/complete is the claim. The threshold does not count.
RegisterDevice::Status Plic::read(std::uint64_t offset, unsigned, const sc_core::sc_time&,
                                  std::uint64_t& value) {
  value = peek(offset);
  if (offset >= kContexts && offset % kContextStride == kClaim && value != 0) {
    set(state_.pending, static_cast<unsigned>(value), false);
    set(state_.in_service, static_cast<unsigned>(value), true);
    update();
  }
  return kDone;
}

RegisterDevice::Status Plic::write(std::uint64_t offset, unsigned, const sc_core::sc_time&,
                                   std::uint64_t value) {
  if (offset < kPending) {
    const std::uint64_t source = offset / 4;
    if (source == 0 || source > config_.sources) return kDone;
    state_.priorities[source] = static_cast<std::uint8_t>(value) & kPriorityMask;
  } else if (offset >= kEnable) {
    write_context(offset, static_cast<std::uint32_t>(value));
  }
  update();
  return kDone;
}

void Plic::write_context(std::uint64_t offset, std::uint32_t value) {
  if (offset < kContexts) {
    const std::uint64_t context = (offset - kEnable) / kEnableStride;
    const std::uint64_t word = offset % kEnableStride / 4;
    if (context >= state_.contexts.size() || word >= state_.pending.size()) return;
    state_.contexts[context].enabled[word] = value & existing(word);
    return;
  }
  const std::uint64_t context = (offset - kContexts) / kContextStride;
  if (context >= state_.contexts.size()) return;
  Context& its = state_.contexts[context];
  if (offset % kContextStride == kThreshold) {
    its.threshold = static_cast<std::uint8_t>(value) & kPriorityMask;
  } else if (offset % kContextStride == kClaim) {
    complete(its, value);
  }
}

// Levels belong to the devices, which report them when they are reset.
void Plic::reset() {
  restore(empty_state(config_));
}

void Plic::restore(const State& state) {
  const auto possible = [&](const Sources& sources) {
    if (sources.size() != state_.pending.size()) return false;
    for (unsigned word = 0; word < sources.size(); ++word) {
      if ((sources[word] & ~existing(word)) != 0) return false;
    }
    return true;
  };
  const auto level = [](std::uint8_t priority) { return priority <= kPriorityMask; };
  const bool fits =
      state.priorities.size() == state_.priorities.size() &&
      std::all_of(state.priorities.begin(), state.priorities.end(), level) &&
      possible(state.inputs) && possible(state.pending) && possible(state.in_service) &&
      state.contexts.size() == state_.contexts.size() &&
      std::all_of(state.contexts.begin(), state.contexts.end(), [&](const Context& its) {
        return possible(its.enabled) && level(its.threshold);
      });
  if (!fits) throw RunError("PLIC: the snapshot is one of another configuration");
  state_ = state;
  update(true);
}

}  // namespace tern::mgmt
