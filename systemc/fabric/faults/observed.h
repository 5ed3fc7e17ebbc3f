// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace tern::fabric::faults {

// What is seen of faults, counted by link. What each means: README.md.
enum class Observed : std::uint8_t {
  kCorrected,
  kReplayed,
  kRetrained,
  kSpared,
  kDegraded,
  kLinkDown,
  kRerouted,
  kLost,
};
inline constexpr std::array<const char*, 8> kObservedNames = {
    "corrected", "replayed", "retrained", "spared", "degraded", "link down", "rerouted", "lost"};

class ObservedCounts {
 public:
  std::uint64_t& operator[](Observed what) { return counts_[static_cast<unsigned>(what)]; }
  std::uint64_t operator[](Observed what) const { return counts_[static_cast<unsigned>(what)]; }
  bool operator==(const ObservedCounts& other) const { return counts_ == other.counts_; }

 private:
  std::array<std::uint64_t, kObservedNames.size()> counts_{};
};

}  // namespace tern::fabric::faults
