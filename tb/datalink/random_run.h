// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <cstdio>

#include "tb/datalink/link_pair.h"

namespace tern::tb {

// Epochs of random traffic and faults, then a drain.
inline void random_link_run(LinkPair& pair, std::uint64_t seed, std::uint64_t cycles) {
  std::mt19937_64 random(seed + 1);
  const auto pick = [&](std::initializer_list<unsigned> values) {
    return values.begin()[random() % values.size()];
  };
  const std::uint64_t end = pair.cycle() + cycles;
  while (pair.cycle() < end) {
    for (unsigned i = 0; i < 2; ++i) {
      pair.traffic[i].offer = pick({0, 8, 64, 256});
      pair.traffic[i].free = pick({2, 32, 256, 256});
      pair.traffic[i].max_dwords = pick({1, 8, 64, 64});
      pair.traffic[i].slot_gap = pick({0, 0, 1, 9});
      WireFaults& faults = pair.wire(i).faults;
      faults.flip = pick({0, 0, 500, 8000});
      faults.lose = pick({0, 0, 500, 8000});
      faults.burst = pick({0, 0, 200, 2000});
      faults.burst_flits = pick({2, 8, 40});
    }
    if (random() % 8 == 0) pair.train();
    if (random() % 8 == 0) {
      // At most as many as there are spare lanes.
      flit::LaneMask dead = pair.wire(0).faults.dead | pair.wire(1).faults.dead;
      dead.set(random() % flit::kPhysical);
      if (dead.count() > flit::kSpares) dead.reset();
      pair.wire(random() % 2).faults.dead = dead;
    }
    pair.run(1 + random() % 600);
  }
  for (unsigned i = 0; i < 2; ++i) pair.wire(i).faults.dead &= pair.replaced;
  pair.drain();
  for (unsigned i = 0; i < 2; ++i) {
    CHECK(pair.counts(i).delivered == pair.counts(1 - i).sent);
    const LinkPair::Counts& counts = pair.counts(i);
    if(0)std::printf(
        "end %u: %llu packets sent, %llu bad flits, %llu duplicates, %llu replays, %llu "
        "recoveries\n",
        i, (unsigned long long)counts.sent, (unsigned long long)counts.bad,
        (unsigned long long)counts.duplicates, (unsigned long long)counts.replays,
        (unsigned long long)counts.recoveries);
    CHECK(pair.counts(i).delivered > cycles / 500);
  }
}

}  // namespace tern::tb
