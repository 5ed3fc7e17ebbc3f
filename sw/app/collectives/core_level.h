// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sw/collectives/evaluate.h"
#include "sw/collectives/schedule.h"
#include "sw/config/chip_config.h"
#include "sw/system/fabric.h"

namespace tern::app {

// Collectives on the collective cores of simulated chips, with the packets of the network between
// them. Ranks are the first cores of each chip. Each is measured on new chips, in a copy of this
// process: its time does not depend on what was measured before.
class CoreLevel {
 public:
  struct Options {
    std::vector<std::uint32_t> chips;
    unsigned cores = 1;  // of each chip
    collectives::Element element = collectives::Element::kBf16;
    unsigned priority = 1;   // class of service
    std::uint64_t seed = 0;  // of the operands
  };
  CoreLevel(const system::Fabric& fabric, const Options& options);

  // Bytes of a buffer that this schedule can have: those, or the next more. Throws UserError: more
  // than SBUF holds.
  std::uint64_t size_of(const collectives::Schedule& schedule, std::uint64_t bytes) const;

  struct Result {
    std::uint64_t fs = 0;  // that a program takes longer with it
    bool equal = false;    // to the bits of the host
  };
  Result measure(const collectives::Schedule& schedule, std::uint64_t bytes,
                 const std::function<void(double)>& progress) const;

 private:
  const system::Fabric& fabric_;
  const Options options_;
  const ChipConfig config_;
};

}  // namespace tern::app
