// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "systemc/qos/class_shaper.h"

namespace tern::qos {

// Model of rtl/qos/qos_arbiter.sv: the class by ClassShaper, round robin over the requesters of the
// class (policy round robin: over all requesters).
class Arbiter {
 public:
  explicit Arbiter(unsigned requesters);  // 2 .. 64

  void reset(std::uint64_t cycle);
  void configure(const Settings& settings, std::uint64_t cycle) {
    shaper_.configure(settings, cycle);
  }

  // The requester to serve in `cycle`, of those with their bit set in request_mask; class_of: one
  // entry per requester, 0 .. 3. None without a request. Without `granted` nothing changes.
  std::optional<unsigned> pick(std::uint64_t cycle, const std::uint32_t* class_of,
                               std::uint64_t request_mask) const;
  // The result of `pick` for this cycle is taken: a packet of `bytes`, of class `cls`.
  void granted(std::uint64_t cycle, unsigned requester, unsigned cls, std::uint32_t bytes);

  const ClassShaper& shaper() const { return shaper_; }

  // For a snapshot; cycle: the present one.
  void archive_state(base::StateArchive& archive, std::uint64_t cycle) {
    shaper_.archive_state(archive, cycle);
    for (unsigned& last : last_) archive.number(last, requesters_ - 1);
  }

 private:
  unsigned order_of(unsigned cls) const {
    return shaper_.settings().policy == Policy::kRoundRobin ? 0 : cls;
  }

  unsigned requesters_;
  ClassShaper shaper_;
  // Served most recently, per class; round robin over all uses the entry of class 0.
  std::array<unsigned, kClasses> last_{};
};

}  // namespace tern::qos
