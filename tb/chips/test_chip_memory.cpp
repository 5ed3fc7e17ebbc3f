// SPDX-License-Identifier: Apache-2.0
// What chips of a system take of the host's memory: the largest published system fits into a
// workstation.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <fstream>

#include "tb/chips/chips_bench.h"
#include "tb/common/sanitizers.h"

using namespace tern;  // NOLINT: test file
using tb::ChipsBench;
using tb::sums;
using tb::Values;

namespace {

// Memory of this process, in the host's own.
double resident_mib() {
  std::uint64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

constexpr bool kMeasures =
    !TERN_HAS_SANITIZER(address_sanitizer) && !TERN_HAS_SANITIZER(thread_sanitizer);
constexpr unsigned kChips = 64;

}  // namespace

TEST_CASE("chip memory: a chip that runs nothing takes next to none") {
  const double before = resident_mib();
  ChipsBench bench("trn3-nl64-3d", kChips);
  bench.simulation.run([] { sc_core::wait(100, sc_core::SC_US); });
  const double each = (resident_mib() - before) / kChips;
  CAPTURE(each);
  if (kMeasures) CHECK(each < 8);
}

TEST_CASE("chip memory: sixty-four that add up, from one core each, take less than 2 GiB") {
  ChipsBench bench("trn3-nl64-3d", kChips);
  bench.simulation.run([&] {
    std::vector<std::pair<unsigned, unsigned>> places;
    for (unsigned chip = 0; chip < kChips; ++chip) places.emplace_back(chip, 0);
    const std::vector<Values> x(kChips, Values(128 * 64, 1.0f));
    for (const Values& y : sums(bench, places, x, true)) REQUIRE(y == Values(128 * 64, kChips));
  });
  const double each = resident_mib() / kChips;
  CAPTURE(each);
  if (kMeasures) CHECK(each < 32);
}
