// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "systemc/link/flit/data_link.h"

namespace tern::flit {

// Logical lanes on the good physical ones, in order; found one physical lane a cycle.
class LaneMap {
 public:
  void load() { at_ = found_ = 0; }
  void cycle(const LaneMask& dead);
  bool ready() const { return at_ == kPhysical && found_ == kLanes; }
  bool is_short() const { return at_ == kPhysical && found_ < kLanes; }

  LaneWords stripe(const FlitBytes& flit) const;
  FlitBytes destripe(const LaneWords& lanes) const;

 private:
  unsigned at_ = 0, found_ = 0;
  std::array<unsigned, kLanes> physical_{};
};

}  // namespace tern::flit
