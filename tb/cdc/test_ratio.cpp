// SPDX-License-Identifier: Apache-2.0
// Crossings between derived clocks against their model, in every port and cycle.
#include <VCdcDown2.h>
#include <VCdcDown4.h>
#include <VCdcUp2.h>
#include <VCdcUp4.h>

#include "tb/cdc/ratio_bench.h"
#include "tb/common/seed.h"

using namespace tern::tb;  // NOLINT: a test uses the names of what it tests

namespace {

constexpr unsigned kCycles = 20000;

// How often either side has a word or takes one, in eighths; it changes now and then.
struct Pace {
  unsigned fast = 4, slow = 4;

  void change(std::mt19937_64& random) {
    if (random() % 64 != 0) return;
    fast = random() % 9;
    slow = random() % 9;
  }
};

// The slow clock's edges: regular, or at any distance.
struct Edges {
  unsigned ratio, count = 0;
  bool next(std::mt19937_64& random, unsigned cycle) {
    if (cycle % 4096 >= 2048) return random() % ratio == 0;
    return count++ % ratio == ratio - 1;
  }
};

template <typename Dut>
void run_down(unsigned ratio) {
  std::mt19937_64 random(test_seed());
  DownBench<Dut> bench(ratio);
  Pace pace;
  Edges edges{ratio};
  bool ready = false;
  for (unsigned cycle = 0; cycle < kCycles; ++cycle) {
    pace.change(random);
    const bool edge = edges.next(random, cycle);
    bench.step(edge, random() % 8 < pace.fast, static_cast<std::uint8_t>(random()), ready);
    if (edge) ready = random() % 8 < pace.slow;
    if (random() % 1000 == 0) bench.reset();
  }
}

template <typename Dut>
void run_up(unsigned ratio) {
  std::mt19937_64 random(test_seed());
  UpBench<Dut> bench(ratio);
  Pace pace;
  Edges edges{ratio};
  bool valid = false;
  Words words(1);
  for (unsigned cycle = 0; cycle < kCycles; ++cycle) {
    pace.change(random);
    const bool edge = edges.next(random, cycle), taken = edge && valid && bench.model().ready;
    bench.step(edge, valid, words, random() % 8 < pace.fast);
    if (edge && (!valid || taken)) {
      valid = random() % 8 < pace.slow;
      words.assign(1 + random() % ratio, 0);
      for (auto& word : words) word = static_cast<std::uint8_t>(random());
    }
    if (random() % 1000 == 0) bench.reset();
  }
}

}  // namespace

TEST_CASE("cdc down: at any pace equal to the model, with resets in mid-work") {
  run_down<VCdcDown2>(2);
  run_down<VCdcDown4>(4);
}

TEST_CASE("cdc up: at any pace equal to the model, with resets in mid-work") {
  run_up<VCdcUp2>(2);
  run_up<VCdcUp4>(4);
}

TEST_CASE("a mismatch on purpose: cdc", "[.]") {
  DownBench<VCdcDown4> bench(4);
  for (unsigned i = 0; i < 20; ++i)
    bench.step(i % 4 == 3, true, static_cast<std::uint8_t>(i), true);
  bench.model().offered.front() ^= 1;
  bench.step(false, false, 0, true);
}
