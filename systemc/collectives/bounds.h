// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/collectives/operation.h"
#include "sw/system/fabric.h"
#include "systemc/collectives/schedule_run.h"

namespace tern::collectives {

// What no algorithm is faster than, however it is scheduled. Seconds; 0: not of this operation.
struct Bound {
  // One byte between the two ranks that are furthest apart.
  double latency = 0;
  // The way to the nearest chip, and what chips must send or get at the raw rate of their links:
  // the slowest one, and all together.
  double links = 0;
  // A way, and what must cross a cut of the system at the raw rate of its links.
  double cut = 0;
  std::string cut_name;  // "cut of 16 chips"

  double alpha_beta() const { return latency > links ? latency : links; }
  double seconds() const { return alpha_beta() > cut ? alpha_beta() : cut; }
  // "latency", "links of chips", "cut of 16 chips"; empty: nothing is bound.
  std::string what() const;
};

// Bytes a second that can flow from some chips of a system to the others of a group: the smallest
// cut of its links, which are used without overheads of packets.
double cut_of(const system::Fabric& fabric, const std::vector<std::uint32_t>& from,
              const std::vector<std::uint32_t>& to);

// Of an operation of a group, whatever the bytes. Cuts: around parts of the group (trays, racks,
// units, halves of a torus).
class Bounds {
 public:
  // chips_of_ranks: a chip may have several ranks. times: with step 0 and wake 0 only the network
  // bounds.
  Bounds(const Problem& problem, const std::vector<std::uint32_t>& chips_of_ranks,
         const system::Fabric& fabric, const CoreTimes& times);

  // bytes: of `data`, or of `input`.
  Bound of(std::uint64_t bytes) const;

 private:
  double start_ = 0;     // of a stream's first put
  double furthest_ = 0;  // ways
  double nearest_ = 0;
  double links_ = 0, cut_ = 0;  // a byte
  std::string cut_name_;
};

}  // namespace tern::collectives
