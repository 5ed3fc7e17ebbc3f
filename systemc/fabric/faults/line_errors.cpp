// SPDX-License-Identifier: Apache-2.0
#include "systemc/fabric/faults/line_errors.h"

#include <cmath>

namespace tern::fabric::faults {

namespace {

constexpr std::uint64_t kFar = std::uint64_t{1} << 62;

// SplitMix64: a step of the state, and its output.
std::uint64_t next(std::uint64_t* state) {
  std::uint64_t z = *state += 0x9e3779b97f4a7c15ULL;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
  return z ^ z >> 31;
}

}  // namespace

LineErrors::LineErrors(std::uint64_t seed, double lost, double corrected)
    : state_(seed),
      lost_(lost),
      corrected_(corrected),
      to_loss_(gap(lost)),
      to_corrected_(gap(corrected)) {}

// Geometric.
std::uint64_t LineErrors::gap(double probability) {
  if (probability <= 0) return kFar;
  const double uniform = static_cast<double>((next(&state_) >> 11) + 1) * 0x1p-53;  // in (0, 1]
  const double units = std::log(uniform) / std::log1p(-probability);
  return units < static_cast<double>(kFar) ? static_cast<std::uint64_t>(units) : kFar;
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
