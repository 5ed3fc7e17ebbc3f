// SPDX-License-Identifier: Apache-2.0
#define SC_INCLUDE_DYNAMIC_PROCESSES
#include <catch2/catch.hpp>

#include "tb/noc/noc_bench.h"

using namespace tern;
using tern::tb::NocBench;

// Formulas of systemc/noc/README.md with the numbers of test_noc(): hop 10 ns, core port 512 GB/s,
// stack port 1024 GB/s, die link 128 GB/s and 30 ns, host port 32 GB/s, HBM 100 ns.

namespace {
std::vector<std::uint8_t> kilobyte(std::uint8_t value = 1) {
  return std::vector<std::uint8_t>(1024, value);
}
}  // namespace

TEST_CASE("unloaded accesses take the sum of their parts, to the femtosecond") {
  NocBench bench;
  bench.simulation.run([&] {
    auto& engine = *bench.engines[0];
    const auto one = [&](auto& access) {
      engine.wait_all();
      REQUIRE(access.payload.is_response_ok());
      return access.end_fs - access.begin_fs;
    };
    const std::uint64_t ns = 1'000'000;
    CHECK(one(engine.read(NocBench::stack(0), 1024)) == (10 + 100 + 10 + 1) * ns);
    CHECK(one(engine.write(NocBench::stack(0), kilobyte())) == (10 + 1 + 100 + 10) * ns);
    CHECK(one(engine.read(NocBench::sbuf(0), 1024)) == (10 + 2 + 10) * ns);
    CHECK(one(engine.write(NocBench::sbuf(1), kilobyte())) == (10 + 2 + 10) * ns);
    // Less than a flit takes a flit: 64 / 512 ns.
    CHECK(one(engine.read(NocBench::sbuf(0, 3), 4)) == 20 * ns + 125'000);
    // Far: the slowest part counts, hops and the link's latency in both directions.
    CHECK(one(engine.read(NocBench::stack(2), 1024)) == (4 * 10 + 2 * 30 + 100 + 8) * ns);
    CHECK(one(engine.write(NocBench::stack(3), kilobyte())) == (4 * 10 + 2 * 30 + 100 + 8) * ns);
    CHECK(one(engine.write(NocBench::sbuf(3), kilobyte())) == (4 * 10 + 2 * 30 + 8) * ns);
    CHECK(one(engine.read(NocBench::sbuf(2), 1024)) == (4 * 10 + 2 * 30 + 8) * ns);
    // PSUM and registers take their own time.
    CHECK(one(engine.read(NocBench::sbuf(0, TERN_CORE_PSUM_BASE), 1024)) == (20 + 7 + 2) * ns);
    CHECK(one(engine.write(NocBench::sbuf(0, TERN_CORE_REGS_BASE), {1, 2, 3, 4})) ==
          (20 + 7) * ns + 125'000);
    CHECK(one(engine.read(TERN_CHIP_REGS_BASE, 4)) == 20 * ns);
    // From the other die.
    auto& other = *bench.engines[3];
    auto& access = other.read(NocBench::stack(2), 1024);
    other.wait_all();
    CHECK(access.end_fs - access.begin_fs == (10 + 100 + 10 + 1) * ns);
  });
}

TEST_CASE("blocking accesses: host port, pieces, the delay comes back as zero") {
  NocBench bench;
  bench.simulation.run([&] {
    std::vector<std::uint8_t> data(4096, 7);
    const std::uint64_t ns = 1'000'000;
    std::uint64_t begin = now_fs();
    auto result = bench.host.write(NocBench::stack(0), data.data(), 1024);
    CHECK(result.status == tlm::TLM_OK_RESPONSE);
    CHECK(result.delay == sc_core::SC_ZERO_TIME);
    // hop, host port 32, port next to it, HBM, two hops back (the data passed one hop more)
    CHECK(now_fs() - begin == (20 + 32 + 100 + 20) * ns);
    begin = now_fs();
    // Four pieces: the host port is the bottleneck.
    bench.host.read(NocBench::stack(0), data.data(), 4096);
    CHECK(now_fs() - begin == (20 + 100 + 20 + 4 * 32) * ns);
    begin = now_fs();
    bench.host.access(tlm::TLM_READ_COMMAND, NocBench::stack(0), data.data(), 64,
                      sc_core::sc_time(5, sc_core::SC_NS));
    CHECK(now_fs() - begin == (5 + 20 + 100 + 20 + 2) * ns);
    begin = now_fs();
    bench.host.read(TERN_CHIP_REGS_BASE, data.data(), 4);
    CHECK(now_fs() - begin == (20 + 20 + 2) * ns);
    begin = now_fs();
    bench.host.write(NocBench::sbuf(0), data.data(), 4);
    CHECK(now_fs() - begin == (20 + 20 + 2) * ns);
    begin = now_fs();
    bench.host.write(NocBench::sbuf(3), data.data(), 1024);
    CHECK(now_fs() - begin == (6 * 10 + 2 * 30 + 32) * ns);
    begin = now_fs();
    bench.host.read(NocBench::sbuf(3), data.data(), 1024);
    CHECK(now_fs() - begin == (6 * 10 + 2 * 30 + 32) * ns);
    // Class of an initiator that specifies none.
    CHECK(bench.stacks[0]->classes.back() == 2);
    bench.fetch.read(NocBench::stack(0), data.data(), 64);
    CHECK(bench.stacks[0]->classes.back() == 1);
  });
}

TEST_CASE("on one die nothing is far") {
  NocConfig config = tb::test_noc();
  config.dies = 1;
  NocBench bench(config);
  CHECK(bench.noc.resources() == 4 + 2 * 4 + 2);
  bench.simulation.run([&] {
    auto& engine = *bench.engines[0];
    const std::uint64_t ns = 1'000'000;
    auto& read = engine.read(NocBench::stack(3), 1024);
    engine.wait_all();
    CHECK(read.end_fs - read.begin_fs == (10 + 100 + 10 + 1) * ns);
    auto& write = engine.write(NocBench::sbuf(3), kilobyte());
    engine.wait_all();
    CHECK(write.end_fs - write.begin_fs == (10 + 2 + 10) * ns);
  });
}

TEST_CASE("a core port is shared by reads and writes") {
  NocBench bench;
  bench.simulation.run([&] {
    // 64 reads by one engine and 64 writes by another: 128 kilobytes of 2 ns each.
    const std::uint64_t begin = now_fs();
    for (unsigned n = 0; n < 64; ++n) {
      bench.engines[0]->read(NocBench::sbuf(0, n * 1024), 1024);
      bench.engines[1]->write(NocBench::sbuf(0, (64 + n) * 1024), kilobyte());
    }
    bench.engines[0]->wait_all();
    bench.engines[1]->wait_all();
    CHECK(now_fs() - begin == (20 + 128 * 2) * std::uint64_t{1'000'000});
    const noc::Resource& port = bench.noc.resource(bench.noc.topology().core_port(0));
    CHECK(port.statistics(3).messages == 128);
    CHECK(port.statistics(3).bytes == 128 * 1024);
    CHECK(port.statistics(3).busy_fs == 256'000'000);
    CHECK(port.longest_queue() == 127);
    CHECK(port.statistics(3).waiting.max_fs() == 127 * 2'000'000);
  });
}

TEST_CASE("HBM ports and die links carry both directions at once") {
  NocBench bench;
  bench.simulation.run([&] {
    const std::uint64_t ns = 1'000'000;
    std::uint64_t begin = now_fs();
    for (unsigned n = 0; n < 64; ++n) {
      bench.engines[0]->read(NocBench::stack(1, n * 1024), 1024);
      bench.engines[1]->write(NocBench::stack(1, (64 + n) * 1024), kilobyte());
    }
    bench.engines[0]->wait_all();
    bench.engines[1]->wait_all();
    CHECK(now_fs() - begin == (20 + 100 + 64) * ns);
    begin = now_fs();
    for (unsigned n = 0; n < 64; ++n) {
      bench.engines[0]->read(NocBench::sbuf(2, n * 1024), 1024);
      bench.engines[2]->read(NocBench::sbuf(1, n * 1024), 1024);
    }
    bench.engines[0]->wait_all();
    bench.engines[2]->wait_all();
    CHECK(now_fs() - begin == (4 * 10 + 2 * 30 + 64 * 8) * ns);
  });
}

TEST_CASE("strict: the most urgent class goes first, in a class the order of arrival") {
  NocBench bench;
  bench.simulation.run([&] {
    std::vector<tb::AtInitiator::Access*> background, urgent;
    for (unsigned n = 0; n < 32; ++n) {
      background.push_back(&bench.engines[0]->write(NocBench::sbuf(0, n * 1024), kilobyte(), 3));
    }
    for (unsigned n = 0; n < 4; ++n) {
      urgent.push_back(&bench.engines[1]->write(NocBench::sbuf(0, n * 1024), kilobyte(), 0));
    }
    bench.engines[0]->wait_all();
    bench.engines[1]->wait_all();
    for (unsigned n = 0; n < 4; ++n) CHECK(urgent[n]->latency_ns() == 20 + 2 * (n + 1));
    for (unsigned n = 0; n < 32; ++n) CHECK(background[n]->latency_ns() == 20 + 2 * (n + 5));
    CHECK(bench.noc.traffic(0).write_latency.count() == 4);
    CHECK(bench.noc.traffic(0).write_latency.max_fs() == 28'000'000);
  });
}

TEST_CASE("round robin looks at no class") {
  NocConfig config = tb::test_noc();
  config.qos.policy = qos::Policy::kRoundRobin;
  NocBench bench(config);
  bench.simulation.run([&] {
    for (unsigned n = 0; n < 32; ++n) {
      bench.engines[0]->write(NocBench::sbuf(0, n * 1024), kilobyte(), 3);
    }
    auto& urgent = bench.engines[1]->write(NocBench::sbuf(0), kilobyte(), 0);
    bench.engines[1]->wait_all();
    CHECK(urgent.latency_ns() == 20 + 2 * 33);
    bench.engines[0]->wait_all();
  });
}

TEST_CASE("weighted: classes get their shares of a port that all request") {
  NocConfig config = tb::test_noc();
  config.qos.policy = qos::Policy::kWeighted;
  config.qos.shares = {0.5, 0.25, 0.125, 0.125};
  config.qos.bucket_bytes = 8192;
  NocBench bench(config);
  bench.simulation.run([&] {
    // Every class requests a megabyte; half of the total has passed after 4096 ns.
    for (unsigned n = 0; n < 1024; ++n) {
      for (unsigned c = 0; c < 4; ++c) {
        bench.engines[c / 2]->write(NocBench::sbuf(0, c << 20 | n * 1024), kilobyte(), c);
      }
    }
    sc_core::wait(2000, sc_core::SC_NS);
    const noc::Resource& port = bench.noc.resource(0);
    double total = 0;
    for (unsigned c = 0; c < 4; ++c) total += static_cast<double>(port.statistics(c).bytes);
    for (unsigned c = 0; c < 4; ++c) {
      INFO("class " << c);
      CHECK(static_cast<double>(port.statistics(c).bytes) / total ==
            Approx(config.qos.shares[c]).margin(0.02));
    }
    for (auto& engine : bench.engines) engine->wait_all();
  });
}
