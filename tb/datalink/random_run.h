// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>

#include "tb/datalink/link_pair.h"
#include "tb/datalink/reference.h"

namespace tern::tb {

// Both directions seen from outside.
class PairWatch {
 public:
  PairWatch(LinkPair& pair, unsigned flit_cycles)
      : watches_{FlitWatch(flit_cycles), FlitWatch(flit_cycles)} {
    pair.on_cycle = [this, &pair](unsigned end, const flit::LinkOutputs& outputs) {
      if (outputs.tx_valid) watches_[end].see(ref_flit(outputs.tx, pair.dead_lanes()));
      if (!outputs.running) watches_[end].restart();
    };
  }
  const FlitWatch& of(unsigned end) const { return watches_[end]; }

 private:
  std::array<FlitWatch, 2> watches_;
};

// Random traffic and faults of one direction.
inline void random_direction(EndTraffic& traffic, WireFaults& faults, std::mt19937_64& random) {
  const auto pick = [&](std::initializer_list<unsigned> values) {
    return values.begin()[random() % values.size()];
  };
  traffic.offer = pick({0, 8, 64, 256});
  traffic.free = pick({2, 32, 256, 256});
  traffic.max_dwords = pick({1, 8, 64, 64});
  traffic.slot_gap = pick({0, 0, 1, 9});
  faults.flip = pick({0, 0, 500, 8000});
  faults.lose = pick({0, 0, 500, 8000});
  faults.burst = pick({0, 0, 200, 2000});
  faults.burst_flits = pick({2, 8, 40});
}

// Epochs of random traffic and faults, then a drain.
inline void random_link_run(LinkPair& pair, std::uint64_t seed, std::uint64_t cycles) {
  std::mt19937_64 random(seed + 1);
  PairWatch watch(pair, pair.options().flit_cycles);
  const std::uint64_t end = pair.cycle() + cycles;
  while (pair.cycle() < end) {
    for (unsigned i = 0; i < 2; ++i) {
      random_direction(pair.traffic[i], pair.wire(i).faults, random);
    }
    if (random() % 8 == 0) pair.train();
    if (random() % 8 == 0) {
      // At most as many as there are spare lanes.
      flit::LaneMask dead = pair.wire(0).faults.dead | pair.wire(1).faults.dead;
      dead.set(random() % flit::kPhysical);
      if (dead.count() > flit::kSpares) dead.reset();
      pair.wire(static_cast<unsigned>(random() % 2)).faults.dead = dead;
    }
    pair.run(1 + random() % 600);
  }
  pair.drain();
  for (unsigned i = 0; i < 2; ++i) {
    CHECK(pair.counts(i).delivered == pair.counts(1 - i).sent);
    CHECK(pair.counts(i).delivered == watch.of(1 - i).packets);
    CHECK(pair.counts(i).delivered > cycles / 500);
    CHECK(pair.counts(i).bad > 0);
    CHECK(watch.of(i).repeated > 0);
  }
  pair.on_cycle = nullptr;
}

}  // namespace tern::tb
