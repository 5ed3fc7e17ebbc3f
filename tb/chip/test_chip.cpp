// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <memory>
#include <string>

#include "sw/config/load_chip_config.h"
#include "sw/spec/generated/registers.h"
#include "systemc/chip/chip.h"
#include "systemc/chip/simulation.h"
#include "systemc/trace/sim_time.h"
#include "tb/common/sanitizers.h"
#include "tb/common/tlm_access.h"

using tern::tb::TlmAccess;

namespace {

constexpr std::uint64_t kCore = 0x20000000000, kCoreStride = 0x100000000,
                        kChipRegisters = 0x30000000000;

struct Bench {
  explicit Bench(const tern::ChipConfig& config = tern::load_chip_config("trn3").chip)
      : chip("chip", config, tern::ChipOptions(), &trace), host("host") {
    host.socket.bind(chip.host);
    chip.irq.bind(irq);
  }
  tern::Simulation simulation;
  tern::trace::Bus trace;
  tern::Chip chip;
  TlmAccess host;
  sc_core::sc_signal<bool> irq{"irq"};
};

double resident_mib() {
  std::ifstream in("/proc/self/statm");
  double total = 0, resident = 0;
  in >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

}  // namespace

TEST_CASE("a chip of 8 cores elaborates quickly and is small") {
  const double before = resident_mib();
  const std::clock_t begin = std::clock();  // of this process: others may keep the machine busy
  Bench bench;
  bench.simulation.run([] { sc_core::wait(1, sc_core::SC_SEC); });
  const double took = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  const double after = resident_mib();
  std::printf("8 cores and one idle second: %.3f s, resident memory %.1f MiB (%.1f before)\n", took,
              after, before);
  CHECK(took < 2);
  // Sanitizers keep bytes for those that are used, and what has been freed for a while.
  constexpr bool kSanitized =
      TERN_HAS_SANITIZER(thread_sanitizer) || TERN_HAS_SANITIZER(address_sanitizer);
  constexpr double kMostMib = kSanitized ? 1000 : 100;
  CHECK(after - before < kMostMib);
}

TEST_CASE("chip registers through the host port") {
  Bench bench;
  bench.simulation.run([&] {
    CHECK(bench.host.peek<std::uint32_t>(kChipRegisters) == 0x5445524e);
    CHECK(bench.host.peek<std::uint32_t>(kChipRegisters + 4) == 8);
    CHECK(bench.host.peek<std::uint32_t>(kChipRegisters + 8) == 4);
    CHECK(bench.host.peek<std::uint32_t>(kChipRegisters + 12) == 36 * 1024);
    CHECK(bench.host.peek<std::uint32_t>(kChipRegisters + 16) == 0);
    CHECK(bench.host.poke(kChipRegisters, std::uint32_t{1}) == tlm::TLM_COMMAND_ERROR_RESPONSE);
    CHECK(bench.host.poke(kChipRegisters + 0x28, std::uint32_t{1}) ==
          tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(bench.host.poke(kCore + 8 * kCoreStride, std::uint32_t{1}) ==
          tlm::TLM_ADDRESS_ERROR_RESPONSE);
    // Cores that do not exist have no bit.
    CHECK(bench.host.poke(kChipRegisters + TERN_REG_CHIP_CORE_RESET, 0xffffff05u) ==
          tlm::TLM_OK_RESPONSE);
    std::uint32_t resetting = 0;
    CHECK(bench.host.debug(tlm::TLM_READ_COMMAND, kChipRegisters + TERN_REG_CHIP_CORE_RESET,
                           &resetting, 4) == 4);
    CHECK(resetting == 5);
    sc_core::wait(sc_core::sc_time(1, sc_core::SC_US));
    CHECK(bench.host.peek<std::uint32_t>(kChipRegisters + TERN_REG_CHIP_CORE_RESET) == 0);
    std::uint64_t wide = 0;
    CHECK(bench.host.read(kChipRegisters, &wide, 8).status == tlm::TLM_BURST_ERROR_RESPONSE);
    std::uint32_t word = 0;
    CHECK(bench.host.debug(tlm::TLM_READ_COMMAND, kChipRegisters, &word, 4) == 4);
    CHECK(word == 0x5445524e);
  });
}

TEST_CASE("the host link: latency, bandwidth, both directions, pieces") {
  Bench bench;
  const auto config = bench.chip.config();
  bench.simulation.run([&] {
    const auto timed = [](auto action) {
      const auto begin = tern::now_fs();
      action();
      return static_cast<double>(tern::now_fs() - begin) * 1e-6;
    };
    std::vector<std::uint8_t> data(10'000'000), back(data.size());
    for (std::size_t i = 0; i < data.size(); ++i)
      data[i] = static_cast<std::uint8_t>(i * 7 + (i >> 11));
    const auto size = static_cast<unsigned>(data.size());
    // 16 bytes a nanosecond and 800 ns in each direction. The network moves pieces of 64 KiB at the
    // rate of its host port, four hops and an HBM access for each: the last one written, the first
    // one read.
    const double transfer = size / config.host.bandwidth_gb_per_s, latency = config.host.latency_ns;
    const double port = config.noc.host_port_gb_per_s, hops = 4 * config.noc.hop_ns;
    const double write_access = hops + size % 65536 / port, read_access = hops + 65536 / port;
    CHECK(timed([&] { bench.host.write(0x123, data.data(), size); }) ==
          Approx(transfer + latency + write_access + 75).margin(75));
    CHECK(timed([&] { bench.host.read(0x123, back.data(), size); }) ==
          Approx(transfer + 2 * latency + read_access + 75).margin(75));
    CHECK(back == data);
    std::uint32_t word = 0;
    CHECK(timed([&] { bench.host.read(kChipRegisters, &word, 4); }) ==
          Approx(2 * latency + 0.25 + hops + 64 / port));
    CHECK(timed([&] { bench.host.write(kCore + 0x20001400, &word, 4); }) ==
          Approx(latency + 0.25 + hops + 64 / port));
    // An access that ends outside fails; the address in the middle of nowhere too.
    CHECK(bench.host.read((36ull << 30) - 100000, back.data(), 200000).status ==
          tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(bench.host.read(0x10000000000, back.data(), 4).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    // Two callers share one direction and not the two.
    sc_core::sc_event done;
    sc_core::sc_spawn([&] {
      std::vector<std::uint8_t> other(1'600'000);
      bench.host.write(1ull << 30, other.data(), 1'600'000);
      done.notify(sc_core::SC_ZERO_TIME);
    });
    const double together = timed([&] {
      bench.host.write(2ull << 30, data.data(), 1'600'000);
      if (!bench.irq.read()) sc_core::wait(done);
    });
    CHECK(together == Approx(200'000 + latency).epsilon(0.01));
  });
  CHECK(bench.chip.host_port().counters().read_bytes > 10'000'000);
}

TEST_CASE("every core is reached through its own window, SBUF and semaphores") {
  Bench bench;
  bench.simulation.run([&] {
    for (unsigned n = 0; n < 8; ++n) {
      const std::uint64_t window = kCore + n * kCoreStride;
      CHECK(bench.host.poke(window + 5 * 0x40000 + 16, 0x1000u + n) == tlm::TLM_OK_RESPONSE);
      CHECK(bench.host.poke(window + 0x20001400 + 4 * 7, 100u + n) == tlm::TLM_OK_RESPONSE);
    }
    for (unsigned n = 0; n < 8; ++n) {
      const std::uint64_t window = kCore + n * kCoreStride;
      CHECK(bench.host.peek<std::uint32_t>(window + 5 * 0x40000 + 16) == 0x1000 + n);
      CHECK(bench.host.peek<std::uint32_t>(window + 0x20001000 + 4 * 7) == 100 + n);
    }
  });
}

TEST_CASE("DMA of a core moves HBM to SBUF and counts a semaphore up, all through the host port") {
  Bench bench;
  bench.simulation.run([&] {
    const std::uint64_t window = kCore + 3 * kCoreStride,
                        engine = window + 0x30000000 + 2 * 0x10000;
    std::vector<std::uint32_t> data(1024);
    for (unsigned i = 0; i < 1024; ++i) data[i] = i * 3 + 1;
    bench.host.write(0x1000, data.data(), 4096);
    bench.host.poke(0x3000, std::uint32_t{1});
    struct Descriptor {
      std::uint32_t control, meta;
      std::uint64_t address;
    };
    const std::uint32_t single = 1u << 24 | 1u << 26 | 1u << 27;
    const Descriptor tx[2] = {{single | 4096, 0, 0x1000}, {single | 4, 0, 0x3000}};
    const Descriptor rx[2] = {{single | 4096, 0, window + 9 * 0x40000},
                              {single | 4, 0, window + 0x20001800 + 4 * 20}};
    bench.host.write(0x10000, tx, sizeof tx);
    bench.host.write(0x20000, rx, sizeof rx);
    bench.host.poke(engine + 0x00, std::uint64_t{0x10000});
    bench.host.poke(engine + 0x08, std::uint64_t{0x20000});
    bench.host.poke(engine + 0x10, std::uint32_t{32});
    bench.host.poke(engine + 0x14, std::uint32_t{2});
    sc_core::wait(5, sc_core::SC_US);
    CHECK(bench.host.peek<std::uint32_t>(engine + 0x18) == 2);
    CHECK(bench.host.peek<std::uint32_t>(window + 0x20001000 + 4 * 20) == 1);
    std::vector<std::uint32_t> back(1024);
    bench.host.read(window + 9 * 0x40000, back.data(), 4096);
    CHECK(back == data);
    CHECK_FALSE(bench.irq.read());
    // A malformed descriptor raises the interrupt and names core, engine and ring.
    bench.host.poke(engine + 0x14, std::uint32_t{1});
    sc_core::wait(5, sc_core::SC_US);
    CHECK(bench.irq.read());
    CHECK(bench.host.peek<std::uint32_t>(kChipRegisters + 16) == 1u << 3);
    CHECK(bench.host.peek<std::uint32_t>(window + 0x20000810) == 9);
    CHECK(bench.host.peek<std::uint32_t>(window + 0x20000814) == 16 + 2);
    bench.host.poke(window + 0x20000804, std::uint32_t{1});
    sc_core::wait(1, sc_core::SC_US);
    CHECK_FALSE(bench.irq.read());
  });
}
