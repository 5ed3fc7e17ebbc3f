// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tern::fabric::faults {

// Random wrong units (flits, packets) on one direction of a link. Each is wrong on its own; what is
// drawn is how many good ones come before the next wrong one, so that rare errors cost nothing.
class LineErrors {
 public:
  // A unit lost so often in a row makes the link retrain; after so many of those in a row for one
  // unit it is given up.
  static constexpr unsigned kLossesToRetrain = 4, kRetrainsToFail = 3;

  // Of a unit: that it is lost, that its code corrects it.
  LineErrors(std::uint64_t seed, double lost, double corrected);

  struct Hits {
    std::uint64_t corrected = 0, replays = 0, retrains = 0;
    bool failed = false;
  };
  // Of a train of so many units, what is sent again included.
  Hits send(std::uint64_t units);

 private:
  std::uint64_t gap(double probability);

  std::uint64_t state_;
  double lost_, corrected_;
  std::uint64_t to_loss_, to_corrected_;  // good units before the next wrong one
};

}  // namespace tern::fabric::faults
