// SPDX-License-Identifier: Apache-2.0
#define SC_INCLUDE_DYNAMIC_PROCESSES
#include <atomic>
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "tb/common/seed.h"
#include "tb/noc/noc_bench.h"

using namespace tern;
using tern::tb::NocBench;

namespace {

// Random accesses of all engines against maps of bytes: every engine has separate kilobytes in
// every unit, so its own order is the only one that counts.
struct RandomTraffic {
  RandomTraffic(std::uint64_t seed, std::uint64_t base) : random(seed), base(base) {}

  std::uint64_t address(unsigned engine, unsigned bytes) {
    static constexpr std::uint64_t kRoom = 64 * 1024;
    const std::uint64_t offset = base + engine * kRoom + random() % (kRoom - bytes);
    switch (random() % 4) {
      case 0:
        return NocBench::stack(random() % 4, offset);
      case 1:
        return NocBench::sbuf(random() % 4, TERN_CORE_PSUM_BASE + offset);
      default:
        return NocBench::sbuf(random() % 4, offset);
    }
  }

  std::mt19937_64 random;
  const std::uint64_t base;
  std::map<std::uint64_t, std::uint8_t> reference;
};

// Runs it; a number that depends on every latency.
std::uint64_t run_random(NocBench& bench, std::uint64_t seed, unsigned rounds,
                         bool reversed = false, std::uint64_t base = 0) {
  RandomTraffic traffic(seed, base);
  std::uint64_t digest = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    struct Expected {
      tb::AtInitiator::Access* access;
      std::vector<std::uint8_t> data;
    };
    std::vector<Expected> reads;
    struct Planned {
      unsigned engine;
      bool write;
      std::uint64_t address;
      unsigned cls;
      std::vector<std::uint8_t> data;
    };
    std::vector<Planned> plan;
    // Reads of a round observe the writes of earlier rounds, its writes go elsewhere.
    const bool writes = round % 2 == 0;
    for (unsigned e = 0; e < 4; ++e) {
      for (unsigned n = 0; n < 6; ++n) {
        const unsigned bytes = 1 + traffic.random() % 3000;
        Planned one{e, writes, traffic.address(e, bytes),
                    static_cast<unsigned>(traffic.random() % 4), std::vector<std::uint8_t>(bytes)};
        if (writes) {
          for (auto& value : one.data) value = static_cast<std::uint8_t>(traffic.random());
        }
        plan.push_back(std::move(one));
      }
    }
    // Engines in any order, each one's own accesses in theirs.
    for (unsigned k = 0; k < 4; ++k) {
      const unsigned e = reversed ? 3 - k : k;
      for (auto& one : plan) {
        if (one.engine != e) continue;
        if (one.write) {
          // One write at a time to a location: later ones of the round may overlap.
          bool overlaps = false;
          for (std::size_t i = 0; i < one.data.size(); ++i) {
            overlaps = overlaps || traffic.reference.count(one.address + i) != 0;
          }
          if (overlaps) continue;
          for (std::size_t i = 0; i < one.data.size(); ++i) {
            traffic.reference[one.address + i] = one.data[i];
          }
          bench.engines[e]->write(one.address, one.data, one.cls);
        } else {
          for (std::size_t i = 0; i < one.data.size(); ++i) {
            const auto found = traffic.reference.find(one.address + i);
            one.data[i] = found == traffic.reference.end() ? 0 : found->second;
          }
          auto& access =
              bench.engines[e]->read(one.address, static_cast<unsigned>(one.data.size()), one.cls);
          reads.push_back({&access, one.data});
        }
      }
    }
    for (unsigned e = 0; e < 4; ++e) {
      bench.engines[e]->wait_all();
      for (const auto& access : bench.engines[e]->accesses) {
        REQUIRE(access.payload.is_response_ok());
        digest = digest * 6364136223846793005u + access.end_fs - access.begin_fs;
      }
    }
    for (const auto& read : reads) REQUIRE(read.access->data == read.data);
    for (auto& engine : bench.engines) engine->accesses.clear();
  }
  return digest;
}

}  // namespace

TEST_CASE("random traffic reads what was written") {
  NocBench bench;
  bench.simulation.run([&] { run_random(bench, tb::test_seed(), 60); });
}

TEST_CASE("latencies do not depend on the order of processes in an instant") {
  // The same traffic twice, in both orders of the engines; between the runs nothing is in flight.
  NocBench bench;
  bench.simulation.run([&] {
    const std::uint64_t seed = tb::test_seed() + 1;
    const auto aligned_run = [&](bool reversed) {
      // Shapers count in cycles of the resources: begin at the same phase.
      const std::uint64_t step = 1'000'000'000'000;
      sc_core::wait(from_fs(step - now_fs() % step));
      return run_random(bench, seed, 8, reversed, reversed ? 1 << 20 : 0);
    };
    const std::uint64_t first = aligned_run(false);
    CHECK(aligned_run(true) == first);
  });
}

TEST_CASE("blocking and non-blocking accesses at the same time") {
  NocBench bench;
  bench.simulation.run([&] {
    std::vector<std::uint8_t> sent(200'000);
    std::mt19937_64 random(tb::test_seed());
    for (auto& value : sent) value = static_cast<std::uint8_t>(random());
    unsigned left = 2;
    sc_core::sc_event end;
    sc_core::sc_spawn([&] {
      bench.host.write(NocBench::stack(1, (1 << 30) + 77), sent.data(),
                       static_cast<unsigned>(sent.size()));
      std::vector<std::uint8_t> back(sent.size());
      bench.host.read(NocBench::stack(1, (1 << 30) + 77), back.data(),
                      static_cast<unsigned>(back.size()));
      CHECK(back == sent);
      if (--left == 0) end.notify();
    });
    sc_core::sc_spawn([&] {
      run_random(bench, tb::test_seed(), 20);
      if (--left == 0) end.notify();
    });
    sc_core::wait(end);
    CHECK(bench.noc.traffic(2).write_bytes >= sent.size());
  });
}

TEST_CASE(
    "addresses outside any unit, refusals and memory errors are returned with their address") {
  NocBench bench;
  bench.simulation.run([&] {
    auto& engine = *bench.engines[0];
    const auto fault = [&](tb::AtInitiator::Access& access) {
      engine.wait_all();
      CHECK_FALSE(access.payload.is_response_ok());
      return std::make_pair(access.traffic->fault, access.traffic->fault_address);
    };
    const auto at = [](MemoryFault f, std::uint64_t address) { return std::make_pair(f, address); };
    for (const std::uint64_t address :
         {NocBench::stack(4), NocBench::sbuf(4), NocBench::sbuf(63, 5),
          TERN_CHIP_REGS_BASE + 0x2000, ~std::uint64_t{0} - 2000, NocBench::sbuf(0, 100u << 20)}) {
      CHECK(fault(engine.read(address, 100)) == at(MemoryFault::kAddress, address));
      CHECK(fault(engine.write(address, {1, 2, 3, 4})) == at(MemoryFault::kAddress, address));
    }
    // Of pieces the first bad one: the access begins in SBUF and ends beyond it.
    const std::uint64_t edge = NocBench::sbuf(0, 64u << 20);
    CHECK(fault(engine.read(edge - 100, 3000)) == at(MemoryFault::kAddress, edge));
    CHECK(fault(engine.write(TERN_CHIP_REGS_BASE, {1, 2, 3, 4})) ==
          at(MemoryFault::kAccess, TERN_CHIP_REGS_BASE));
    bench.stacks[0]->bad_address = NocBench::stack(0, 4096);
    CHECK(fault(engine.read(NocBench::stack(0, 4096), 64)) ==
          at(MemoryFault::kUncorrectableEcc, NocBench::stack(0, 4096)));
    CHECK(fault(engine.read(NocBench::stack(0, 1024), 9000)) ==
          at(MemoryFault::kUncorrectableEcc, NocBench::stack(0, 4096)));
    // An error takes no more than a message in each direction.
    CHECK(engine.read(NocBench::stack(9), 4).payload.get_response_status() ==
          tlm::TLM_INCOMPLETE_RESPONSE);
    engine.wait_all();
    CHECK(engine.accesses.back().latency_ns() == 20);

    std::uint8_t byte = 0;
    CHECK(bench.host.read(NocBench::stack(4), &byte, 1).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(bench.host.read(NocBench::stack(0), &byte, 0).status == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(bench.host.access(tlm::TLM_IGNORE_COMMAND, 0, &byte, 1).status ==
          tlm::TLM_COMMAND_ERROR_RESPONSE);
    // The network continues.
    auto& good = engine.read(NocBench::stack(0), 64);
    engine.wait_all();
    CHECK(good.payload.is_response_ok());
  });
}

TEST_CASE("addresses lead to their unit, with and without time") {
  NocBench bench;
  bench.simulation.run([&] {
    std::uint32_t word = 0;
    for (unsigned s = 0; s < 4; ++s) {
      const std::uint32_t value = 0x1000 + s;
      bench.host.write(NocBench::stack(s, 16), &value, 4);
      CHECK(bench.host.debug(tlm::TLM_READ_COMMAND, NocBench::stack(s, 16), &word, 4) == 4);
      CHECK(word == value);
    }
    for (unsigned c = 0; c < NocBench::kCores; ++c) {
      const std::uint32_t value = 0x2000 + c;
      bench.fetch.write(NocBench::sbuf(c, 0x1234), &value, 4);
      CHECK(bench.host.debug(tlm::TLM_READ_COMMAND, NocBench::sbuf(c, 0x1234), &word, 4) == 4);
      CHECK(word == value);
    }
    CHECK(bench.host.peek<std::uint32_t>(TERN_CHIP_REGS_BASE + 8) == 0x5a5a5a5a);
    for (const std::uint64_t address :
         {NocBench::stack(4), NocBench::sbuf(4), NocBench::sbuf(4) - 2, TERN_CHIP_REGS_BASE - 4,
          TERN_CHIP_REGS_BASE + 0x2000, std::uint64_t{1} << 42, ~std::uint64_t{0} - 3}) {
      INFO(std::hex << address);
      CHECK(bench.host.read(address, &word, 4).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
      CHECK(bench.host.debug(tlm::TLM_READ_COMMAND, address, &word, 4) == 0);
    }
  });
}

TEST_CASE("an interrupted caller leaves its access to the network") {
  NocBench bench;
  const std::atomic<bool> stop{true};
  Simulation::Options options;
  options.stop = &stop;
  CHECK_THROWS_AS(bench.simulation.run(
                      [&] {
                        // Far longer than until the first check of the flag.
                        std::vector<std::uint8_t> data(1 << 20);
                        for (unsigned n = 0; n < 1000; ++n) {
                          bench.host.read(NocBench::stack(0), data.data(), 1 << 20);
                        }
                      },
                      options),
                  Interrupted);
}

TEST_CASE("no class starves under strict priority when it has a share") {
  NocConfig config = tb::test_noc();
  config.qos.shares = {0, 0, 0, 0.125};
  config.qos.bucket_bytes = 4096;
  NocBench bench(config);
  bench.simulation.run([&] {
    auto& background =
        bench.engines[1]->write(NocBench::sbuf(0), std::vector<std::uint8_t>(1024), 3);
    for (unsigned n = 0; n < 4096; ++n) {
      bench.engines[0]->write(NocBench::sbuf(0), std::vector<std::uint8_t>(1024), 0);
    }
    bench.engines[1]->wait_all();
    // The bucket of 4096 bytes fills at 64 GB/s: 64 ns and a message of the other class.
    CHECK(background.latency_ns() <= 20 + 64 + 2 * 2 + 1);
    bench.engines[0]->wait_all();
  });
}
