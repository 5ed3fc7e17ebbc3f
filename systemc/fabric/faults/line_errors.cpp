// SPDX-License-Identifier: Apache-2.0
#include "systemc/fabric/faults/line_errors.h"

#include "systemc/link/error_gap.h"

namespace tern::fabric::faults {

LineErrors::LineErrors(std::uint64_t seed, double lost, double corrected)
    : state_(seed),
      lost_(lost),
      corrected_(corrected),
      to_loss_(gap(lost)),
      to_corrected_(gap(corrected)) {}

std::uint64_t LineErrors::gap(double probability) {
  return link::error_gap(&state_, probability);
}

LineErrors::Hits LineErrors::send(std::uint64_t units) {
  Hits hits;
  unsigned in_a_row = 0;
  std::uint64_t left = units;
  while (to_loss_ < left) {
    if (to_loss_ > 0) in_a_row = 0;
    left -= to_loss_;
    to_loss_ = gap(lost_);
    ++hits.replays;
    if (++in_a_row % kLossesToRetrain != 0) continue;
    ++hits.retrains;
    hits.failed = in_a_row == kLossesToRetrain * kRetrainsToFail;
    if (hits.failed) break;
  }
  if (!hits.failed) to_loss_ -= left;
  for (std::uint64_t sent = units + hits.replays;; ++hits.corrected) {
    if (to_corrected_ >= sent) {
      to_corrected_ -= sent;
      break;
    }
    sent -= to_corrected_ + 1;
    to_corrected_ = gap(corrected_);
  }
  return hits;
}

}  // namespace tern::fabric::faults
