// SPDX-License-Identifier: Apache-2.0
#include "systemc/qos/class_shaper.h"

#include <algorithm>
#include <cassert>
#include <string>

#include "sw/base/user_error.h"
#include "systemc/qos/round_robin.h"

namespace tern::qos {

void ClassShaper::reset(std::uint64_t cycle) {
  balance_ = {};
  at_ = cycle;
  last_ = kClasses - 1;
}

void ClassShaper::configure(const Settings& settings, std::uint64_t cycle) {
  for (unsigned c = 0; c < kClasses; ++c) {
    if (settings.rate_256[c] >> kRateBits != 0 || settings.depth[c] >> kDepthBits != 0) {
      throw UserError("QoS class " + std::to_string(c) + ": rate " +
                      std::to_string(settings.rate_256[c]) + " (16 bits) or depth " +
                      std::to_string(settings.depth[c]) + " (20 bits) is too large");
    }
    balance_[c] = balance_256(cycle, c);
  }
  at_ = cycle;
  settings_ = settings;
}

std::int64_t ClassShaper::balance_256(std::uint64_t cycle, unsigned cls) const {
  assert(cycle >= at_);
  // Any bucket is full after 2^(8 + kDepthBits) + 2^(8 + kChargeBits) cycles.
  const auto elapsed =
      static_cast<std::int64_t>(std::min<std::uint64_t>(cycle - at_, std::uint64_t{1} << 32));
  if (elapsed == 0) return balance_[cls];
  return std::min(std::int64_t{settings_.depth[cls]} * 256,
                  balance_[cls] + elapsed * settings_.rate_256[cls]);
}

bool ClassShaper::by_right(std::uint64_t cycle, unsigned cls) const {
  if (settings_.policy == Policy::kRoundRobin || settings_.rate_256[cls] == 0) return false;
  const std::int64_t needed =
      settings_.policy == Policy::kStrict ? std::int64_t{settings_.depth[cls]} * 256 : 0;
  return balance_256(cycle, cls) >= needed;
}

std::optional<unsigned> ClassShaper::pick(std::uint64_t cycle, unsigned class_mask) const {
  class_mask &= (1u << kClasses) - 1;
  if (class_mask == 0) return std::nullopt;
  if (settings_.policy == Policy::kRoundRobin) return next_after(last_, class_mask);
  unsigned rightful = 0;
  for (unsigned c = 0; c < kClasses; ++c) {
    if ((class_mask >> c & 1) != 0 && by_right(cycle, c)) rightful |= 1u << c;
  }
  if (rightful != 0) return next_after(last_, rightful);
  return next_after(kClasses - 1, class_mask);
}

void ClassShaper::granted(std::uint64_t cycle, unsigned cls, std::uint32_t bytes) {
  if (settings_.policy == Policy::kRoundRobin) last_ = cls;
  if (!by_right(cycle, cls)) return;
  for (unsigned c = 0; c < kClasses; ++c) balance_[c] = balance_256(cycle, c);
  at_ = cycle;
  balance_[cls] -= std::int64_t{std::min(bytes, (1u << kChargeBits) - 1)} * 256;
  last_ = cls;
}

void ClassShaper::archive_state(base::StateArchive& archive, std::uint64_t cycle) {
  constexpr std::int64_t kLeast = -(std::int64_t{256} << kChargeBits);
  archive.number(settings_.policy, Policy::kWeighted);
  for (auto& rate : settings_.rate_256) archive.number(rate, (1u << kRateBits) - 1);
  for (auto& depth : settings_.depth) archive.number(depth, (1u << kDepthBits) - 1);
  for (unsigned c = 0; c < kClasses; ++c)
    archive.number(balance_[c], kLeast, std::int64_t{256} << kDepthBits);
  archive.number(at_, cycle);
  archive.number(last_, kClasses - 1);
}

}  // namespace tern::qos
