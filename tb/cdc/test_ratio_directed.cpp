// SPDX-License-Identifier: Apache-2.0
// Rates and latencies of the crossings between derived clocks, in cycles counted by hand.
#include <VCdcDown2.h>
#include <VCdcDown4.h>
#include <VCdcUp2.h>
#include <VCdcUp4.h>

#include "tb/cdc/ratio_bench.h"

using namespace tern::tb;  // NOLINT: a test uses the names of what it tests

namespace {

template <typename Dut>
void full_rate_down(unsigned ratio) {
  DownBench<Dut> bench(ratio);
  for (unsigned cycle = 0; cycle < 100 * ratio; ++cycle) {
    const bool edge = cycle % ratio == ratio - 1;
    bench.step(edge, true, static_cast<std::uint8_t>(cycle), true);
    CAPTURE(cycle);
    CHECK(bench.model().gathered.size() == (cycle + 1) % ratio);  // every word was taken
    if (edge) CHECK(bench.dut().count_o == ratio);
  }
}

template <typename Dut>
void full_rate_up(unsigned ratio) {
  UpBench<Dut> bench(ratio);
  unsigned taken = 0;
  const Words words(ratio, 0x11);
  for (unsigned cycle = 0; cycle < 100 * ratio; ++cycle) {
    const bool edge = cycle % ratio == ratio - 1;
    bench.step(edge, true, words, true);
    if (bench.dut().valid_o != 0) ++taken;
    CAPTURE(cycle);
    CHECK(bench.dut().ready_o == 1);
  }
  CHECK(taken == 99 * ratio + 1);  // a word in every cycle from the first edge on
}

}  // namespace

TEST_CASE("cdc down: a word in every cycle of the fast clock") {
  full_rate_down<VCdcDown2>(2);
  full_rate_down<VCdcDown4>(4);
}

TEST_CASE("cdc up: a word in every cycle of the fast clock") {
  full_rate_up<VCdcUp2>(2);
  full_rate_up<VCdcUp4>(4);
}

TEST_CASE(
    "cdc down: a word is with the slow side after the next edge, that of its cycle included") {
  for (unsigned cycle = 0; cycle < 4; ++cycle) {
    DownBench<VCdcDown4> bench(4);
    for (unsigned now = 0; now < 8; ++now) {
      CAPTURE(cycle, now);
      CHECK(bench.dut().valid_o == (now >= 4));
      bench.step(now % 4 == 3, now == cycle, 0xA5, false);
    }
    CHECK(bench.dut().data_o % 256 == 0xA5);
  }
}

TEST_CASE("cdc down: a slow side that takes nothing holds back 2 * Ratio words") {
  DownBench<VCdcDown4> bench(4);
  unsigned taken = 0;
  for (unsigned cycle = 0; cycle < 40; ++cycle) {
    taken += bench.model().ready(cycle % 4 == 3, false) ? 1 : 0;
    bench.step(cycle % 4 == 3, true, static_cast<std::uint8_t>(cycle), false);
  }
  CHECK(taken == 8);
  CHECK(bench.dut().ready_o == 0);
}

TEST_CASE("cdc up: words follow from the cycle after the edge, and ready waits for room") {
  UpBench<VCdcUp4> bench(4);
  const Words words{1, 2, 3, 4};
  for (unsigned cycle = 0; cycle < 12; ++cycle) {
    CAPTURE(cycle);
    CHECK(bench.dut().valid_o == (cycle >= 4));
    CHECK(bench.dut().ready_o == (cycle < 8));  // two times four words wait
    bench.step(cycle % 4 == 3, true, words, false);
  }
  for (unsigned cycle = 12; cycle < 16; ++cycle) bench.step(cycle % 4 == 3, false, words, true);
  CHECK(bench.dut().ready_o == 1);
}
