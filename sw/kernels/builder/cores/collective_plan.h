// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <tuple>
#include <vector>

#include "sw/collectives/schedule.h"

namespace tern::kernels {

// What a rank's collective cores do. Each takes the steps of some streams, in one order that all
// waits of all ranks allow: so it need not take turns.
struct RankSteps {
  struct Taken {
    unsigned stream = 0;
    std::size_t step = 0;
  };
  std::vector<Taken> order;
  std::vector<unsigned> core_of_stream;

  // Throws UserError as collectives::walk() does.
  RankSteps(const collectives::Schedule& schedule, unsigned rank);
};

// Puts and signals of a stream to a rank, in order.
struct Flow {
  unsigned source = 0, stream = 0, target = 0;
  std::vector<const collectives::Step*> puts;
};
// All of a schedule, by target, source and stream.
std::vector<Flow> flows_of(const collectives::Schedule& schedule);

// Of a program: its semaphores of two directions, less that of repetitions.
constexpr unsigned kMostFlags = 127;

// Semaphores by which ranks tell each other that puts have come: which one, of each part that takes
// part. All parts reckon alike, as they write the same collectives in the same order; so each knows
// the numbers of the others.
class CollectiveFlags {
 public:
  // Engines of a ring overtake each other, so the puts of a flow take these in turn.
  static constexpr unsigned kSlots = 8;
  static constexpr unsigned kReady = ~0u;  // in place of a stream: `source` is ready for puts

  // In the part `at`. Numbers that are new begin at `next`.
  unsigned number(unsigned at, unsigned source, unsigned stream, unsigned slot);
  // Reserves the numbers of a schedule among groups of parts, those of ranks 0, 1 ... of each, from
  // `first` on where they are new. The first number beyond.
  unsigned reserve(const std::vector<Flow>& flows, const std::vector<std::vector<unsigned>>& groups,
                   unsigned first);

 private:
  using Key = std::tuple<unsigned, unsigned, unsigned, unsigned>;  // at, source, stream, slot
  std::map<Key, unsigned> numbers_;
};

}  // namespace tern::kernels
