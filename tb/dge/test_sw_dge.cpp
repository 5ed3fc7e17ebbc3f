// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <random>

#include "systemc/dge/sw_dge.h"
#include "tb/common/seed.h"
#include "tb/dge/made.h"
#include "tb/dge/ring_bench.h"

using namespace tern;
using namespace tern::tb;
using sc_core::SC_NS;
using sc_core::sc_time;

namespace {

constexpr unsigned kRing = 5, kSlots = 64;
constexpr std::uint32_t kRingByte = 0x8000, kIndexByte = 0x100;
constexpr std::size_t kPartitionBytes = 0x10000;

struct Bench : RingBench {
  Bench()
      : RingBench(bench_name()),
        memory(128 * kPartitionBytes),
        dge(config(), 1.0, 3, {memory.data(), kPartitionBytes}, kPartitionBytes, *this) {
    for (unsigned e = 0; e < dge::kEngines; ++e) {
      const std::uint64_t tx = kCore3 + 8 * e * kPartition + kRingByte;
      const auto write = [&](std::uint32_t reg, std::uint64_t value) {
        dge.register_written(e, kRing * 0x40 + reg, static_cast<std::uint32_t>(value));
      };
      write(0x00, tx);
      write(0x04, tx >> 32);
      write(0x08, tx + kSlots * 16);
      write(0x0c, tx >> 32);
      write(0x10, kSlots);
    }
  }
  static DmaConfig config() {
    DmaConfig config;
    config.swdge_start_cycles = 150;
    config.swdge_row_cycles = 24;
    return config;
  }
  void indices(const std::vector<std::uint32_t>& rows) {
    for (std::size_t p = 0; p < rows.size(); ++p) {
      std::memcpy(&memory[p * kPartitionBytes + kIndexByte], &rows[p], 4);
    }
  }
  // What the ring of an engine holds.
  PairBytes slot(unsigned engine, unsigned at) const {
    PairBytes pair{};
    const std::size_t tx = 8 * engine * kPartitionBytes + kRingByte + 16 * at;
    std::memcpy(pair.data(), &memory[tx], 16);
    std::memcpy(pair.data() + 16, &memory[tx + 16 * kSlots], 16);
    return pair;
  }
  std::vector<std::uint8_t> memory;
  dge::SwDge dge;
};

tern_instr_dma_indirect_t gather(unsigned partitions, std::uint32_t rows, std::uint32_t length) {
  tern_instr_dma_indirect_t in{};
  in.header.opcode = TERN_OPCODE_DMA_INDIRECT;
  in.table_lo = static_cast<std::uint32_t>(kHbm);
  in.table_hi = static_cast<std::uint32_t>(kHbm >> 32);
  in.rows = rows;
  in.pitch = 4096;
  in.length = length;
  in.tile = 0x2000;
  in.index = kIndexByte;
  in.partitions = static_cast<std::uint8_t>(partitions);
  in.ring = kRing;
  in.semaphore = 77;
  return in;
}

}  // namespace

TEST_CASE("software DGE: random gathers and scatters, rings wrap") {
  const std::uint64_t seed = test_seed();
  INFO("seed " << seed);
  Bench bench;
  std::mt19937_64 random(seed);
  bench.run([&] {
    std::array<std::vector<PairBytes>, dge::kEngines> written;
    std::map<std::uint64_t, std::uint64_t> expected;
    for (unsigned round = 0; round < 40; ++round) {
      const unsigned partitions = 1 + static_cast<unsigned>(random() % 128);
      const bool scatter = round % 2 == 1;
      auto in = gather(partitions, 1000, 1 + static_cast<unsigned>(random() % 400));
      in.bounds = TERN_BOUNDS_MODE_SKIP;
      in.direction = scatter;
      in.table_hi += round;  // every round its own bytes
      in.tile = 0x2000 + 400 * round;
      std::vector<std::uint32_t> rows(partitions);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        // Distinct when scattered; some out of bounds.
        rows[i] = scatter ? static_cast<std::uint32_t>(i * 8) : random() % 1010;
        const std::uint64_t table = kHbm + (std::uint64_t{round} << 32) + rows[i] * 4096ull;
        const std::uint64_t tile = kCore3 + i * kPartition + in.tile;
        for (std::uint32_t b = 0; rows[i] < 1000 && b < in.length; ++b) {
          expected[(scatter ? table : tile) + b] = (scatter ? tile : table) + b;
        }
      }
      bench.indices(rows);
      bench.rung.clear();
      REQUIRE_FALSE(bench.dge.execute(in));
      REQUIRE(bench.rung.size() == dge::kEngines);
      for (const auto& bell : bench.rung) {
        REQUIRE(bell.ring == kRing);
        for (unsigned i = 0; i < bell.pairs; ++i) {
          auto& list = written[bell.engine];
          list.push_back(bench.slot(bell.engine, static_cast<unsigned>(list.size() % kSlots)));
        }
        bench.heads[bell.engine] += bell.pairs;  // done at once
      }
    }
    std::map<std::uint64_t, std::uint64_t> moved;
    for (unsigned e = 0; e < dge::kEngines; ++e) {
      Moved of;
      interpret(written[e], kSlots, &of);
      CHECK(of.immediates.size() == 40);
      CHECK(of.largest_packet <= 16384);
      moved.insert(of.source_of.begin(), of.source_of.end());
    }
    CHECK(written[0].size() > 2 * kSlots);
    CHECK(moved == expected);
  });
}

TEST_CASE("software DGE: time, and an index out of bounds") {
  Bench bench;
  bench.run([&] {
    std::vector<std::uint32_t> rows(128, 7);
    bench.indices(rows);
    wait(sc_time(1000, SC_NS));
    REQUIRE_FALSE(bench.dge.execute(gather(128, 8, 64)));
    CHECK(sc_core::sc_time_stamp() == sc_time(1000 + 150 + 16 * 24, SC_NS));
    REQUIRE(bench.rung.size() == 16);
    for (const auto& bell : bench.rung) CHECK(bell.pairs == 9);

    rows[37] = 8;
    bench.indices(rows);
    const auto fault = bench.dge.execute(gather(128, 8, 64));
    REQUIRE(fault);
    CHECK(fault->code == TERN_ERROR_DMA_INDEX);
    CHECK(fault->detail == 37);
    CHECK(fault->value == 8);
    CHECK(bench.rung.size() == 16);  // nothing is moved

    auto skipping = gather(128, 8, 64);
    skipping.bounds = TERN_BOUNDS_MODE_SKIP;
    REQUIRE_FALSE(bench.dge.execute(skipping));
    REQUIRE(bench.rung.size() == 32);
    for (unsigned e = 0; e < 16; ++e) CHECK(bench.rung[16 + e].pairs == (e == 37 / 8 ? 8 : 9));
  });
}

TEST_CASE("software DGE: waits for room, refuses a ring that is not in SBUF") {
  Bench bench;
  bench.run([&] {
    bench.indices(std::vector<std::uint32_t>(128, 0));
    for (unsigned i = 0; i < 7; ++i) REQUIRE_FALSE(bench.dge.execute(gather(128, 8, 64)));
    CHECK(bench.rung.size() == 7 * 16);  // 63 of 64 slots
    const sc_time before = sc_core::sc_time_stamp();
    bench.late_head = [&](unsigned engine) {
      const bool late = sc_core::sc_time_stamp() < before + sc_time(10, sc_core::SC_US);
      return engine == 4 && late ? 0u : 9u;
    };
    REQUIRE_FALSE(bench.dge.execute(gather(128, 8, 64)));
    CHECK(sc_core::sc_time_stamp() - before >= sc_time(10, sc_core::SC_US));
    CHECK(sc_core::sc_time_stamp() - before <= sc_time(10.1, sc_core::SC_US));

    auto other = gather(128, 8, 64);
    other.ring = kRing + 1;
    const auto fault = bench.dge.execute(other);
    REQUIRE(fault);
    CHECK(fault->code == TERN_ERROR_ILLEGAL_FIELD);
    CHECK(fault->detail == offsetof(tern_instr_dma_indirect_t, ring));
  });
}
