// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sw/base/state_archive.h"
#include "sw/config/qos_settings.h"

namespace tern::qos {

// Which class is next, and the token buckets that decide it: rules, bounds and their proof in
// rtl/qos/README.md. Without a clock: the state in a cycle follows from the last change, however
// often it is read. Cycles never go back; they are the caller's own.
class ClassShaper {
 public:
  // All buckets empty (balance 0), class 0 first in every round.
  void reset(std::uint64_t cycle);
  // New settings act from `cycle`; balances stay. Throws UserError for a value out of range.
  void configure(const Settings& settings, std::uint64_t cycle);
  const Settings& settings() const { return settings_; }

  // The class to serve among those that wait (bit c of class_mask); none when the mask is empty.
  // Without `granted` nothing changes. Round robin here is one over the waiting classes.
  std::optional<unsigned> pick(std::uint64_t cycle, unsigned class_mask) const;
  // The class has been served in `cycle`: takes `bytes` out of its bucket if it was served by
  // right. Several grants of one cycle count in their order.
  void granted(std::uint64_t cycle, unsigned cls, std::uint32_t bytes);

  // Whether a grant of the class in `cycle` is one by right: part of its share, charged to it.
  bool by_right(std::uint64_t cycle, unsigned cls) const;
  // Tokens in 1/256 byte; negative: in debt.
  std::int64_t balance_256(std::uint64_t cycle, unsigned cls) const;

  // For a snapshot; cycle: the present one.
  void archive_state(base::StateArchive& archive, std::uint64_t cycle);

 private:
  Settings settings_;
  std::array<std::int64_t, kClasses> balance_{};  // in cycle at_
  std::uint64_t at_ = 0;
  unsigned last_ = kClasses - 1;  // the class served by right most recently
};

}  // namespace tern::qos
