// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "systemc/mgmt/domain/bmc_table.h"
#include "tb/mgmt/domain/word_bench.h"

using namespace tern;
using namespace tern::tb;

TEST_CASE("bmc: a table of 256 words and a line") {
  WordBench bench;
  mgmt::BmcTable bmc("bmc");
  std::vector<bool> lines;
  bmc.set_line([&](bool level) { lines.push_back(level); });
  bench.run(bmc, [&] {
    for (unsigned i = 0; i < 256; ++i) bench.put(4 * i, 0x01010101 * i);
    for (unsigned i = 0; i < 256; ++i) {
      CHECK(bmc.table()[i] == 0x01010101 * i);
      CHECK(bench.get(4 * i) == 0x01010101 * i);
    }
    CHECK(lines.empty());
    for (const std::uint32_t value : {2u, 1u, 3u, 0u, 0u}) bench.put(0x400, value);
    CHECK(lines == std::vector<bool>{true, false});
    bench.put(0x400, 1);
    CHECK(bench.get(0x400) == 1);
    CHECK(bmc.attention());
    const auto state = bmc.save();
    bmc.reset();
    CHECK_FALSE(lines.back());
    CHECK(bmc.table()[255] == 0);
    bmc.restore(state);
    CHECK(lines.back());
    CHECK(bmc.table()[255] == 0xFFFFFFFF);
  });
}
