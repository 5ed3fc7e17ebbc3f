// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/spec/generated/link.h"

namespace tern::fabric::faults {

// Random wrong units (flits, packets) on one direction of a link. Each is wrong on its own; what is
// drawn is how many good ones come before the next wrong one, so that rare errors cost nothing.
class LineErrors {
 public:
  // The link retrains when a unit is lost this many times in a row. It is given up when one unit
  // makes it retrain this many times in a row, a choice.
  static constexpr unsigned kLossesToRetrain = TERN_LINK_MAX_REPLAYS, kRetrainsToFail = 3;

  // Of a unit: that it is lost, that its code corrects it.
  LineErrors(std::uint64_t seed, double lost, double corrected);

  struct Hits {
    std::uint64_t corrected = 0, replays = 0, retrains = 0;
    bool failed = false;
  };
  // Of a train of this many units; errors of what is sent again count too.
  Hits send(std::uint64_t units);

 private:
  std::uint64_t gap(double probability);

  std::uint64_t state_;
  double lost_, corrected_;
  std::uint64_t to_loss_, to_corrected_;  // good units before the next wrong one
};

}  // namespace tern::fabric::faults
