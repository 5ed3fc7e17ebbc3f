// SPDX-License-Identifier: Apache-2.0
#include "systemc/link/line/line_wire.h"

#include "systemc/link/error_gap.h"

namespace tern::link {

void LineWire::set_loss(double probability) {
  loss_ = probability;
  to_loss_ = error_gap(&random_, loss_);
}

bool LineWire::put(std::uint64_t cycle, const flit::LaneWords& lanes) {
  flits_.push_back({cycle + delay_, lanes});
  if (to_loss_-- > 0) return false;
  to_loss_ = error_gap(&random_, loss_);
  // The last byte of a lane may be one of the error correction, which nobody looks at.
  const std::uint64_t place = next_random(&random_);
  for (std::uint64_t bits = 0; bits < 2 + (place >> 8) % 7; ++bits)
    flits_.back().lanes[(place + bits) % flit::kLanes] ^= 1u << next_random(&random_) % 24;
  return true;
}

const flit::LaneWords* LineWire::take(std::uint64_t cycle) {
  if (flits_.empty() || flits_.front().arrives > cycle) return nullptr;
  taken_ = flits_.front();
  flits_.pop_front();
  return &taken_.lanes;
}

}  // namespace tern::link
