// SPDX-License-Identifier: Apache-2.0
// The formulas of systemc/dma/README.md, evaluated here by hand.
#include <unistd.h>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "systemc/trace/perfetto_sink.h"
#include "tb/dma/dma_bench.h"

using tern::tb::DmaBench;

namespace {

double ns(std::uint64_t fs) {
  return static_cast<double>(fs) * 1e-6;
}

// One engine, `count` packets of `bytes` each from HBM to SBUF, then a semaphore increment; time to
// the increment.
double stream_ns(DmaBench& bench, unsigned count, std::uint32_t bytes) {
  std::uint64_t begin = 0;
  bench.run([&] {
    bench.set_up(0, 0, 1024);
    unsigned pairs = 0;
    for (unsigned i = 0; i < count; ++i) {
      pairs +=
          bench.add_copy(0, 0, i * 0x10000ull, tern::tb::kCore + (i % 128) * 0x40000ull, bytes);
    }
    pairs += bench.add_increment(0, 0, 3);
    begin = tern::now_fs();
    bench.release(0, 0, pairs);
    bench.settle();
  });
  REQUIRE(bench.errors.empty());
  REQUIRE(bench.core.increment_fs.size() == 1);
  return ns(bench.core.increment_fs[0] - begin);
}

double formula_ns(unsigned count, std::uint32_t bytes) {
  // The first read follows the first burst of descriptors over the same stack: 2 x 16 bytes a pair.
  const double descriptors = 32.0 * std::min(64u, count + 1);
  const double first_read = 200 + (descriptors + bytes) / 1024.0;
  return 1300 + first_read + count * (10 + bytes / 32.0) + (10 + 4 / 32.0);
}

}  // namespace

TEST_CASE("one engine: 4 KiB packets stream at overhead + bytes/rate") {
  DmaBench bench;
  CHECK(stream_ns(bench, 500, 4096) == Approx(formula_ns(500, 4096)).epsilon(1e-4));
  const auto& counters = bench.engines[0]->counters();
  CHECK(counters.packets == 501);
  CHECK(counters.descriptors == 501);
  CHECK(counters.bytes == 500 * 4096 + 4);
  CHECK(ns(counters.busy_fs) == Approx(500 * (10 + 128.0) + 10.125));
}

TEST_CASE("one engine: 64 KiB packets") {
  DmaBench bench;
  CHECK(stream_ns(bench, 100, 65536) == Approx(formula_ns(100, 65536)).epsilon(1e-4));
}

TEST_CASE("one engine: 64-byte packets are bound by the overhead") {
  DmaBench bench;
  CHECK(stream_ns(bench, 500, 64) == Approx(formula_ns(500, 64)).epsilon(1e-4));
}

TEST_CASE("one small transfer shows every latency once") {
  DmaBench bench;
  CHECK(stream_ns(bench, 1, 512) == Approx(formula_ns(1, 512)).epsilon(1e-6));
}

TEST_CASE("HBM latency that read-ahead cannot cover limits the stream to window / latency") {
  auto hbm = tern::tb::test_hbm();
  hbm.latency_ns = 10000;
  auto dma = tern::tb::test_dma();
  dma.start_latency_ns = 20000;
  DmaBench bench(1, dma, hbm);
  // About 32 KiB (and the piece in progress) per 10 us instead of 32 bytes per ns.
  const double rate = 400 * 4096 / (stream_ns(bench, 400, 4096) - 30000);
  CHECK(rate < 9 * 4096 / 10000.0 * 1.05);
  CHECK(rate > 8 * 4096 / 10000.0 * 0.95);
}

TEST_CASE("16 engines together keep the rate of one each") {
  DmaBench bench(16);
  std::uint64_t begin = 0;
  bench.run([&] {
    unsigned pairs = 0;
    for (unsigned e = 0; e < 16; ++e) {
      bench.set_up(e, 0, 1024);
      pairs = 0;
      for (unsigned i = 0; i < 500; ++i) {
        pairs += bench.add_copy(e, 0, e * 0x400000ull + (i % 64) * 0x10000,
                                tern::tb::kCore + e * 0x40000ull, 4096);
      }
      pairs += bench.add_increment(e, 0, 0);
    }
    begin = tern::now_fs();
    for (unsigned e = 0; e < 16; ++e) bench.release(e, 0, pairs);
    bench.settle();
  });
  REQUIRE(bench.errors.empty());
  CHECK(bench.core.semaphores[0] == 16);
  CHECK(ns(bench.core.increment_fs.back() - begin) == Approx(formula_ns(500, 4096)).epsilon(0.01));
}

TEST_CASE("16 engines on a slow stack share its bandwidth fairly") {
  auto hbm = tern::tb::test_hbm();
  hbm.bandwidth_gb_per_s = 4 * 256;  // half of what 16 engines ask for
  DmaBench bench(16, tern::tb::test_dma(), hbm);
  std::uint64_t begin = 0;
  bench.run([&] {
    unsigned pairs = 0;
    for (unsigned e = 0; e < 16; ++e) {
      bench.set_up(e, 0, 1024);
      pairs = 0;
      for (unsigned i = 0; i < 500; ++i)
        pairs += bench.add_copy(e, 0, e * 0x100000ull, tern::tb::kCore, 4096);
      pairs += bench.add_increment(e, 0, 0);
    }
    begin = tern::now_fs();
    for (unsigned e = 0; e < 16; ++e) bench.release(e, 0, pairs);
    bench.settle();
  });
  const double expected = 1300 + 200 + 16 * (500 * 4096 + 501 * 32) / 256.0;
  CHECK(ns(bench.core.increment_fs.back() - begin) == Approx(expected).epsilon(0.01));
  CHECK(ns(bench.core.increment_fs.front() - begin) == Approx(expected).epsilon(0.01));
}

TEST_CASE("writes to a slow HBM stack hold the engine back") {
  auto hbm = tern::tb::test_hbm();
  hbm.bandwidth_gb_per_s = 4 * 16;  // half the engine's rate
  DmaBench bench(1, tern::tb::test_dma(), hbm);
  std::uint64_t begin = 0;
  bench.run([&] {
    bench.set_up(0, 0, 1024);
    unsigned pairs = 0;
    for (unsigned i = 0; i < 400; ++i)
      pairs += bench.add_copy(0, 0, tern::tb::kCore, tern::tb::kStack, 4096);
    pairs += bench.add_increment(0, 0, 0);
    begin = tern::now_fs();
    bench.release(0, 0, pairs);
    bench.settle();
  });
  REQUIRE(bench.core.increment_fs.size() == 1);
  // All but the posted writes of the window have passed the stack when the increment is written.
  const double expected = 1300 + (400 * 4096 - 32768) / 16.0;
  CHECK(ns(bench.core.increment_fs[0] - begin) == Approx(expected).epsilon(0.01));
}

TEST_CASE("a doorbell of a busy engine hides its latency, one of an idle engine does not") {
  DmaBench bench;
  std::vector<double> times;
  bench.run([&] {
    bench.set_up(0, 0, 64);
    const std::uint64_t begin = tern::now_fs();
    unsigned pairs = bench.add_copy(0, 0, 0, tern::tb::kCore, 65536) + bench.add_increment(0, 0, 0);
    bench.release(0, 0, pairs);
    sc_core::wait(1.4, sc_core::SC_US);  // 64 KiB take 2 us more
    pairs = bench.add_increment(0, 0, 0);
    bench.release(0, 0, pairs);
    bench.settle(10);
    pairs = bench.add_increment(0, 0, 0);
    const std::uint64_t again = tern::now_fs();
    bench.release(0, 0, pairs);
    bench.settle(10);
    const auto& at = bench.core.increment_fs;
    REQUIRE(at.size() == 3);
    CHECK(ns(at[0] - begin) == Approx(1300 + 200 + 64 + 64 / 1024.0 + 10 + 2048 + 10.125));
    CHECK(ns(at[1] - at[0]) == Approx(10.125));
    CHECK(ns(at[2] - again) == Approx(1300 + 200 + 10.125).epsilon(1e-4));
  });
}

TEST_CASE("the trace of two busy engines is JSON whose spans follow each other") {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("tern_dma_" + std::to_string(getpid()) + ".json"))
          .string();
  tern::trace::Bus trace;
  auto sink = std::make_shared<tern::trace::PerfettoSink>(path);
  trace.add_sink(sink);
  DmaBench bench(2, tern::tb::test_dma(), tern::tb::test_hbm(), &trace);
  bench.run([&] {
    for (unsigned e = 0; e < 2; ++e) {
      for (unsigned ring : {0u, 7u}) {
        bench.set_up(e, ring, 64);
        unsigned pairs = 0;
        for (unsigned i = 0; i < 10; ++i)
          pairs += bench.add_copy(e, ring, i * 512, tern::tb::kCore, 512);
        bench.release(e, ring, pairs);
      }
    }
    bench.settle();
  });
  sink->close();
  std::ifstream in(path);
  const auto events = nlohmann::json::parse(in).at("traceEvents");
  std::map<int, double> end;
  unsigned spans = 0;
  for (const auto& event : events) {
    if (event.at("ph") != "X") continue;
    ++spans;
    const double ts = event.at("ts"), dur = event.at("dur");
    CHECK(ts >= end[event.at("tid")] - 1e-9);
    CHECK(dur == Approx((10 + 16) * 1e-3));
    end[event.at("tid")] = ts + dur;
    CHECK(event.at("args").at("bytes") == 512);
  }
  CHECK(spans == 40);
  std::filesystem::remove(path);
}
