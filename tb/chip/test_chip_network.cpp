// SPDX-License-Identifier: Apache-2.0
#define SC_INCLUDE_DYNAMIC_PROCESSES
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <vector>

#include "sw/config/dma_rates.h"
#include "sw/config/load_chip_config.h"
#include "sw/spec/descriptor_pack.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"
#include "systemc/chip/chip.h"
#include "systemc/chip/simulation.h"
#include "systemc/trace/sim_time.h"
#include "tb/common/tlm_access.h"

using namespace tern;
using tern::tb::TlmAccess;

namespace {

constexpr unsigned kEngines = TERN_CORE_DMA_COUNT;

struct Pair {
  std::uint64_t from, to;
  std::uint32_t bytes;
};

// A chip whose DMA engines are driven by hand.
struct Bench {
  explicit Bench(const std::vector<ConfigOverride>& overrides = {})
      : config(load_chip_config("trn3", overrides).chip),
        chip("chip", config, ChipOptions(), &trace),
        host("host") {
    host.socket.bind(chip.host);
    chip.irq.bind(irq);
  }

  static std::uint64_t sbuf(unsigned core, unsigned partition, std::uint64_t byte = 0) {
    return TERN_CORE_BASE + core * TERN_CORE_STRIDE + partition * TERN_CORE_SBUF_STRIDE + byte;
  }
  static std::uint64_t stack(unsigned s, std::uint64_t byte = 0) {
    return s * TERN_HBM_STRIDE + byte;
  }
  static std::uint64_t registers(unsigned core, unsigned engine) {
    return TERN_CORE_BASE + core * TERN_CORE_STRIDE + TERN_CORE_DMA_BASE +
           engine * TERN_CORE_DMA_STRIDE;
  }

  // Packets of one pair on ring 0 of an engine; its descriptors are in the core's near stack.
  void give(unsigned core, unsigned engine, const std::vector<Pair>& pairs) {
    const std::uint64_t tx = stack(chip.noc().topology().die_of_core(core) * 2,
                                   (8ull << 30) + ((core * kEngines + engine) << 16)),
                        rx = tx + 0x8000;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      std::vector<std::uint8_t> bytes(TERN_DESCRIPTOR_BYTES);
      DescriptorFields fields;
      fields.ring_id = 1;
      fields.first = fields.last = true;
      fields.length = pairs[i].bytes;
      fields.address = pairs[i].from;
      pack_descriptor(bytes.data(), fields);
      host.load(tx + i * bytes.size(), bytes);
      fields.address = pairs[i].to;
      pack_descriptor(bytes.data(), fields);
      host.load(rx + i * bytes.size(), bytes);
    }
    const std::uint64_t at = registers(core, engine);
    REQUIRE(host.poke(at + TERN_REG_DMA_RING_TX_BASE, tx) == tlm::TLM_OK_RESPONSE);
    REQUIRE(host.poke(at + TERN_REG_DMA_RING_RX_BASE, rx) == tlm::TLM_OK_RESPONSE);
    REQUIRE(host.poke(at + TERN_REG_DMA_RING_SIZE, std::uint32_t{2048}) == tlm::TLM_OK_RESPONSE);
    waiting.push_back({core, engine, static_cast<unsigned>(pairs.size())});
  }
  // Rings all doorbells at once; nanoseconds until everything is at rest.
  double run() {
    const std::uint64_t begin = now_fs();
    for (const Doorbell& d : waiting) chip.core(d.core).dma(d.engine).doorbell(0, d.pairs);
    for (bool rest = false; !rest;) {
      sc_core::wait(20, sc_core::SC_NS);
      rest = true;
      for (const Doorbell& d : waiting) rest = rest && chip.core(d.core).dma(d.engine).at_rest();
    }
    waiting.clear();
    return static_cast<double>(now_fs() - begin) * 1e-6;
  }

  struct Doorbell {
    unsigned core, engine, pairs;
  };
  Simulation simulation;
  ChipConfig config;
  trace::Bus trace;
  Chip chip;
  TlmAccess host;
  sc_core::sc_signal<bool> irq{"irq"};
  std::vector<Doorbell> waiting;
};

std::vector<std::uint8_t> pattern(unsigned bytes, unsigned seed) {
  std::vector<std::uint8_t> data(bytes);
  for (unsigned i = 0; i < bytes; ++i)
    data[i] = static_cast<std::uint8_t>(i * 13 + seed + (i >> 9));
  return data;
}

// Rate of 16 engines of core 0 in steady state, GB/s: the difference of two lengths.
double rate(Bench& bench, std::uint64_t (*from)(unsigned engine), std::uint64_t (*to)(unsigned)) {
  constexpr unsigned kShort = 8, kLong = 40;
  std::array<double, 2> times{};
  for (unsigned round = 0; round < 2; ++round) {
    for (unsigned e = 0; e < kEngines; ++e) {
      std::vector<Pair> pairs;
      for (unsigned n = 0; n < (round == 0 ? kShort : kLong); ++n) {
        pairs.push_back({from(e), to(e), 65536});
      }
      bench.give(0, e, pairs);
    }
    times[round] = bench.run();
  }
  return kEngines * 65536.0 * (kLong - kShort) / (times[1] - times[0]);
}

}  // namespace

TEST_CASE("far memory takes two crossings and the link longer in both directions") {
  Bench bench({{"hbm.refresh", "off", "test"}});
  bench.simulation.run([&] {
    std::uint32_t word = 0;
    const auto timed = [&](std::uint64_t address) {
      const std::uint64_t begin = now_fs();
      REQUIRE(bench.host.read(address, &word, 4).status == tlm::TLM_OK_RESPONSE);
      return static_cast<double>(now_fs() - begin) * 1e-6;
    };
    const NocConfig& noc = bench.config.noc;
    const double far = 2 * noc.hop_ns + 2 * noc.die_link_ns;
    // The clock of the memory's commands is not in step: a nanosecond or so.
    const double near = timed(Bench::stack(0, 4096));
    CHECK(timed(Bench::stack(1, 4096)) == Approx(near).margin(1.5));
    CHECK(timed(Bench::stack(2, 4096)) == Approx(near + far).margin(1.5));
    CHECK(timed(Bench::stack(3, 4096)) == Approx(near + far).margin(1.5));
    const double near_sbuf = timed(Bench::sbuf(1, 9));
    CHECK(timed(Bench::sbuf(3, 9)) == Approx(near_sbuf).margin(1e-3));
    CHECK(timed(Bench::sbuf(4, 9)) == Approx(near_sbuf + far).margin(0.1));
  });
}

TEST_CASE("any engine reaches the SBUF of any core and every stack") {
  Bench bench;
  bench.simulation.run([&] {
    // Core c's data make a tour: stack s -> SBUF of core c + 1 -> SBUF of core c + 5 -> stack.
    for (unsigned c = 0; c < 8; ++c) {
      bench.host.load(Bench::stack(c % 4, c * 65536), pattern(5000, c));
      bench.give(c, c, {{Bench::stack(c % 4, c * 65536), Bench::sbuf((c + 1) % 8, c, 77), 5000}});
    }
    bench.run();
    for (unsigned c = 0; c < 8; ++c) {
      bench.give(c, 8 + c,
                 {{Bench::sbuf((c + 1) % 8, c, 77), Bench::sbuf((c + 5) % 8, c, 99), 5000}});
    }
    bench.run();
    for (unsigned c = 0; c < 8; ++c) {
      bench.give(c, 15 - c,
                 {{Bench::sbuf((c + 5) % 8, c, 99), Bench::stack(3 - c % 4, (1 << 20) + c * 65536),
                   5000}});
    }
    bench.run();
    for (unsigned c = 0; c < 8; ++c) {
      CHECK(bench.host.fetch(Bench::stack(3 - c % 4, (1 << 20) + c * 65536), 5000) ==
            pattern(5000, c));
    }
    CHECK_FALSE(bench.irq.read());
    const noc::Topology& topology = bench.chip.noc().topology();
    for (unsigned die = 0; die < 2; ++die) {
      CHECK(bench.chip.noc().resource(topology.die_link(die)).statistics(3).bytes > 4 * 5000);
    }
  });
}

TEST_CASE("16 engines: HBM to SBUF at their practical rate, SBUF to SBUF at half the port's") {
  Bench bench({{"hbm.refresh", "off", "test"}});
  bench.simulation.run([&] {
    const double practical = practical_gb_per_s(bench.config);
    const double loaded = rate(
        bench, [](unsigned e) { return Bench::stack(e % 2, e << 20); },
        [](unsigned e) { return Bench::sbuf(0, 8 * e); });
    std::printf("16 engines, GB/s: HBM to SBUF %.1f (practical %.1f)", loaded, practical);
    CHECK(loaded == Approx(practical).epsilon(0.02));
    const double copied = rate(
        bench, [](unsigned e) { return Bench::sbuf(0, 8 * e); },
        [](unsigned e) { return Bench::sbuf(0, 8 * e + 1); });
    std::printf(", SBUF to SBUF %.1f (half a port %.1f)\n", copied,
                bench.config.noc.core_port_gb_per_s / 2);
    CHECK(copied == Approx(bench.config.noc.core_port_gb_per_s / 2).epsilon(0.02));
  });
}

TEST_CASE("uncorrectable bits stop one ring and reach the core's registers, the rest continues") {
  Bench bench;
  bench.simulation.run([&] {
    bench.host.load(Bench::stack(0), pattern(8192, 1));
    bench.chip.hbm().stack(0).flip_bit(4096 + 8, 3);
    bench.chip.hbm().stack(0).flip_bit(4096 + 8, 17);
    bench.chip.hbm().stack(0).flip_bit(100, 5);  // one bit alone is corrected
    bench.give(
        2, 4,
        {{Bench::stack(0), Bench::sbuf(2, 0), 64}, {Bench::stack(0), Bench::sbuf(2, 1), 8192}});
    bench.give(2, 5, {{Bench::stack(0), Bench::sbuf(2, 2), 4096}});
    bench.run();
    sc_core::wait(1, sc_core::SC_US);
    CHECK(bench.irq.read());
    const std::uint64_t regs = TERN_CORE_BASE + 2 * TERN_CORE_STRIDE + TERN_CORE_REGS_BASE;
    CHECK(bench.host.peek<std::uint32_t>(regs + TERN_REG_CORE_ERROR_CODE) ==
          TERN_ERROR_DMA_DESCRIPTOR);
    CHECK(bench.host.peek<std::uint32_t>(regs + TERN_REG_CORE_ERROR_QUEUE) == 16 + 4);
    CHECK(bench.host.peek<std::uint32_t>(regs + TERN_REG_CORE_ERROR_INDEX) == 0);
    CHECK(bench.host.peek<std::uint32_t>(regs + TERN_REG_CORE_ERROR_DETAIL) ==
          (std::uint32_t{TERN_DMA_FAULT_ECC} << 24 | 1));
    CHECK(bench.host.peek<std::uint64_t>(Bench::registers(2, 4) +
                                         TERN_REG_DMA_RING_FAULT_ADDRESS) == Bench::stack(0, 4096));
    CHECK(bench.host.fetch(Bench::sbuf(2, 2), 4096) == pattern(4096, 1));
    CHECK(bench.host.peek<std::uint32_t>(Bench::registers(2, 5) + TERN_REG_DMA_RING_HEAD) == 1);
    // Outside every unit: address of the request.
    bench.host.poke(regs + TERN_REG_CORE_IRQ_CLEAR, std::uint32_t{1});
    bench.give(2, 6, {{Bench::stack(7), Bench::sbuf(2, 3), 64}});
    bench.run();
    sc_core::wait(1, sc_core::SC_US);
    CHECK(bench.host.peek<std::uint32_t>(regs + TERN_REG_CORE_ERROR_QUEUE) == 16 + 6);
    CHECK(bench.host.peek<std::uint32_t>(regs + TERN_REG_CORE_ERROR_DETAIL) ==
          std::uint32_t{TERN_DMA_FAULT_READ} << 24);
    CHECK(bench.host.peek<std::uint64_t>(Bench::registers(2, 6) +
                                         TERN_REG_DMA_RING_FAULT_ADDRESS) == Bench::stack(7));
  });
}

TEST_CASE("a host thread that ends inside an access: its memory is not touched any more") {
  Bench bench;
  struct Stop {};
  constexpr unsigned kBytes = 32768;
  const auto data = pattern(kBytes, 1);
  unsigned partly = 0;
  bench.simulation.run([&] {
    bench.host.load(Bench::stack(0), data);
    for (unsigned ns = 600; ns < 3000; ns += 40) {
      std::vector<std::uint8_t> buffer(kBytes, 0xee);
      bool stopped = false;
      sc_core::sc_process_handle reader = sc_core::sc_spawn([&] {
        try {
          bench.host.read(Bench::stack(0), buffer.data(), kBytes);
        } catch (const Stop&) {
          stopped = true;
        }
      });
      sc_core::wait(ns, sc_core::SC_NS);
      reader.throw_it(Stop());
      const std::vector<std::uint8_t> before = buffer;
      if (stopped && before != data && before != std::vector<std::uint8_t>(kBytes, 0xee)) ++partly;
      sc_core::wait(5, sc_core::SC_US);
      CHECK(buffer == before);
    }
    // The chip continues.
    std::vector<std::uint8_t> back(kBytes);
    CHECK(bench.host.read(Bench::stack(0), back.data(), kBytes).status == tlm::TLM_OK_RESPONSE);
    CHECK(back == data);
  });
  CHECK(partly > 5);
}
