// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sw/spec/access_pattern.h"
#include "systemc/engines/ports/clock_domain.h"

using namespace tern;

TEST_CASE("clock domain: edges of clocks whose period is no whole number of femtoseconds") {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  const ClockDomain clock(2.4);  // 416,666.67 fs
  CHECK(clock.time_of(0).value() == 0);
  CHECK(clock.time_of(1).value() == 416'666);
  CHECK(clock.time_of(3).value() == 1'250'000);
  CHECK(clock.time_of(2'400'000'000).value() == 1'000'000'000'000'000);
  for (double ghz : {2.4, 1.2, 0.96, 1.0, 2.8}) {
    const ClockDomain any(ghz);
    for (std::uint64_t cycle :
         {0ull, 1ull, 2ull, 3ull, 7ull, 999'999'937ull, 3'600'000'000'000ull}) {
      CHECK(any.cycle_at(any.time_of(cycle)) == cycle);
      CHECK(any.cycle_at(any.time_of(cycle) + sc_core::sc_time(1, sc_core::SC_FS)) == cycle + 1);
      CHECK(any.fs_of(cycle) == any.time_of(cycle).value());
      CHECK(any.cycle_begun(any.fs_of(cycle)) == cycle);
      CHECK(any.cycle_begun(any.fs_of(cycle + 1) - 1) == cycle);
    }
  }
}

TEST_CASE("access pattern: fields, extent, contiguity") {
  const AccessPattern ap(tern_ap_t{0x80000000u | 5u << 24 | 0x123, 4, -3, 6, 10});
  CHECK(ap.psum);
  CHECK(ap.partition == 5);
  CHECK(ap.byte == 0x123);
  CHECK(ap.count() == 24);
  CHECK(ap.lowest() == -9);
  CHECK(ap.highest() == 50);
  CHECK_FALSE(ap.contiguous());
  CHECK(AccessPattern(tern_ap_t{0, 8, 1, 4, 8}).contiguous());
  CHECK_FALSE(AccessPattern(tern_ap_t{0, 8, 1, 4, 9}).contiguous());
  CHECK(AccessPattern(tern_ap_t{0, 1, 77, 1, 55}).contiguous());
  CHECK(AccessPattern(tern_ap_t{0, 1, 77, 9, 1}).contiguous());
  CHECK_FALSE(AccessPattern(tern_ap_t{0, 9, 0, 1, 0}).contiguous());
}
