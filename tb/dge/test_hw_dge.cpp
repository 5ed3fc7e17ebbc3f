// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "systemc/dge/hw_dge.h"
#include "tb/dge/made.h"
#include "tb/dge/ring_bench.h"

using namespace tern;
using namespace tern::tb;
using sc_core::SC_NS;
using sc_core::sc_time;

namespace {

struct Bench : RingBench {
  explicit Bench(double gb_per_s = 0)
      : RingBench(bench_name()), dge("dge", config(gb_per_s), 3, *this, nullptr, "core3", "dge") {}
  static DmaConfig config(double gb_per_s) {
    DmaConfig config;
    config.hwdge_gb_per_s = gb_per_s;
    config.hwdge_latency_ns = 600;
    config.hwdge_clock_ghz = 1;
    return config;
  }
  dge::HwDge dge;
};

// Eight processors of 1 GHz: 16 cycles for each of the eight rows.
struct SoftwareBench : RingBench {
  SoftwareBench()
      : RingBench(bench_name()), dge("dge", timing(), 3, *this, nullptr, "core3", "dge") {}
  static dge::GeneratorTiming timing() {
    DmaConfig config;
    config.swdge_start_cycles = 100;
    config.swdge_row_cycles = 16;
    config.hwdge_clock_ghz = 1;
    config.hwdge_gb_per_s = 2;  // of the hardware alone
    return dge::software_timing(config, 1);
  }
  dge::HwDge dge;
};

tern_instr_dma_copy_t eight_rows() {
  return dma_copy(kCore3, kHbm, 512,
                  {{1, 0, 0}, {1, 0, 0}, {8, static_cast<int>(kPartition), 512}});
}

}  // namespace

TEST_CASE("hardware DGE: 600 ns, then a pair per cycle, one instruction after the other") {
  Bench bench;
  bench.run([&] {
    wait(sc_time(1000, SC_NS));
    bench.dge.execute(eight_rows());
    bench.dge.execute(eight_rows());
    CHECK(sc_core::sc_time_stamp() == sc_time(1000, SC_NS));  // the queue continues
    CHECK_FALSE(bench.dge.idle());
    wait(sc_time(5000, SC_NS));
    CHECK(bench.dge.idle());
    // On each of eight engines a row and one pair to the semaphore, on the others this pair.
    REQUIRE(bench.pushed.size() == 48);
    for (unsigned i = 0; i < 48; ++i) {
      const double begin = i < 24 ? 1600 : 1600 + 24 + 600;
      CHECK(bench.pushed[i].when == sc_time(begin + i % 24, SC_NS));
      CHECK(bench.pushed[i].ring == 9);
      const unsigned of = i % 24;
      CHECK(bench.pushed[i].engine == (of < 16 ? of / 2 : of - 8));
    }
  });
}

TEST_CASE("hardware DGE: the next instruction follows when the bytes of this one can be moved") {
  Bench bench(2);
  bench.run([&] {
    bench.dge.execute(eight_rows());
    bench.dge.execute(eight_rows());
    wait(sc_time(5000, SC_NS));
    REQUIRE(bench.pushed.size() == 48);
    CHECK(bench.pushed[0].when == sc_time(600, SC_NS));
    CHECK(bench.pushed[23].when == sc_time(623, SC_NS));
    CHECK(bench.pushed[24].when == sc_time(8 * 512 / 2 + 600, SC_NS));
  });
}

TEST_CASE("copies by GpSimd: the next ones' descriptors while pairs of this one go out") {
  SoftwareBench bench;
  bench.run([&] {
    wait(sc_time(1000, SC_NS));
    for (unsigned i = 0; i < 3; ++i) bench.dge.execute(eight_rows());
    CHECK(sc_core::sc_time_stamp() == sc_time(1000, SC_NS));  // the queue continues
    wait(sc_time(5000, SC_NS));
    CHECK(bench.dge.idle());
    REQUIRE(bench.pushed.size() == 72);
    for (unsigned i = 0; i < 72; ++i) {
      const double begin = 1000 + 116 * (i / 24 + 1);
      CHECK(bench.pushed[i].when == sc_time(begin + i % 24, SC_NS));
    }
  });
}

TEST_CASE("copies by GpSimd: each run of a row has its descriptors") {
  SoftwareBench bench;
  bench.run([&] {
    bench.dge.execute(dma_copy(kCore3, kHbm, 64,
                               {{4, 64, 128}, {1, 0, 0}, {8, static_cast<int>(kPartition), 512}}));
    wait(sc_time(5000, SC_NS));
    REQUIRE_FALSE(bench.pushed.empty());
    CHECK(bench.pushed[0].when == sc_time(100 + 4 * 8 * 16 / 8, SC_NS));
  });
}

TEST_CASE("hardware DGE: the queue waits when four instructions wait") {
  Bench bench;
  bench.run([&] {
    for (unsigned i = 0; i < 5; ++i) {
      bench.dge.execute(eight_rows());
      if (i == 0) wait(sc_time(1, SC_NS));  // it is taken
    }
    CHECK(sc_core::sc_time_stamp() == sc_time(1, SC_NS));
    bench.dge.execute(eight_rows());
    CHECK(sc_core::sc_time_stamp() == sc_time(624, SC_NS));
  });
}

TEST_CASE("hardware DGE: a full ring holds it up, a stopped one is passed over") {
  Bench bench;
  bench.run([&] {
    bench.room[0] = 1;
    bench.dge.execute(eight_rows());
    wait(sc_time(2000, SC_NS));
    CHECK(bench.pushed.size() == 1);
    bench.room[0] = 1 << 30;
    wait(sc_time(100, SC_NS));
    CHECK(bench.pushed.size() == 24);
    CHECK(bench.pushed[1].when >= sc_time(2000, SC_NS));
    CHECK(bench.pushed[1].when <= sc_time(2016, SC_NS));

    bench.pushed.clear();
    bench.room[0] = 0;
    bench.stopped_engine = 0;
    bench.dge.execute(eight_rows());
    wait(sc_time(2000, SC_NS));
    CHECK(bench.pushed.size() == 7 + 15);  // the other engines continue
    CHECK(bench.dge.idle());
  });
}
