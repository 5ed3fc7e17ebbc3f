// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "systemc/dma/descriptor.h"
#include "tb/common/seed.h"
#include "tb/dma/dma_bench.h"

using tern::tb::DmaBench;
using tern::tb::kCore;
using tern::tb::kStack;

namespace {

// Codes of docs/reference/isa.md.
constexpr unsigned kIllegalField = 2, kNotModelled = 6, kBus = 8, kDmaDescriptor = 9;

std::vector<std::uint8_t> random_bytes(std::mt19937_64& random, std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

// Cuts a length into `pieces` positive parts.
std::vector<std::uint32_t> cut(std::mt19937_64& random, std::uint32_t total, unsigned pieces) {
  std::vector<std::uint32_t> parts;
  for (unsigned left = pieces; left > 1; --left) {
    const std::uint32_t part = 1 + static_cast<std::uint32_t>(random() % (total - left + 1));
    parts.push_back(std::min<std::uint32_t>(part, std::max(1u, 2 * total / left)));
    total -= parts.back();
  }
  parts.push_back(total);
  return parts;
}

}  // namespace

TEST_CASE("gather and scatter with unequal pieces") {
  std::mt19937_64 random(tern::tb::test_seed());
  DmaBench bench;
  bench.run([&] {
    bench.set_up(0, 2, 512);
    for (unsigned round = 0; round < 60; ++round) {
      const unsigned pieces = round == 0 ? 64 : 1 + static_cast<unsigned>(random() % 20);
      const auto total = static_cast<std::uint32_t>(pieces + random() % 20000);
      const auto data = random_bytes(random, total);
      const auto from = cut(random, total, pieces), to = cut(random, total, pieces);
      std::vector<DmaBench::Piece> sources, targets;
      std::uint64_t at = kStack, offset = 0;
      for (const auto bytes : from) {
        bench.host.load(at, {data.begin() + static_cast<long>(offset),
                             data.begin() + static_cast<long>(offset + bytes)});
        sources.push_back({at, bytes});
        offset += bytes;
        at += bytes + random() % 100;
      }
      at = kCore;
      for (const auto bytes : to) {
        targets.push_back({at, bytes});
        at += bytes + random() % 100;
      }
      bench.release(0, 2, bench.add_packet(0, 2, sources, targets));
      bench.settle(20);
      REQUIRE(bench.errors.empty());
      offset = 0;
      for (const auto& piece : targets) {
        const auto* sbuf = &bench.core.sbuf[piece.address - kCore];
        REQUIRE(std::equal(sbuf, sbuf + piece.bytes, data.begin() + static_cast<long>(offset)));
        offset += piece.bytes;
      }
    }
    CHECK(bench.head(0, 2) == bench.written[std::make_pair(0u, 2u)]);
    CHECK(bench.status(0, 2) == 0);
  });
}

TEST_CASE("a ring wraps with its phase, and the head counts on") {
  DmaBench bench;
  bench.run([&] {
    bench.set_up(0, 0, 32);
    unsigned total = 0;
    for (unsigned round = 0; round < 40; ++round) {  // 40 * 7 pairs: almost nine passes
      unsigned pairs = 0;
      for (unsigned i = 0; i < 7; ++i) pairs += bench.add_increment(0, 0, 9);
      bench.release(0, 0, pairs);
      bench.settle(5);
      total += pairs;
      REQUIRE(bench.errors.empty());
      REQUIRE(bench.head(0, 0) == total);
      REQUIRE(bench.core.semaphores[9] == total);
    }
  });
}

TEST_CASE("a full ring in one doorbell, and packets across its end") {
  DmaBench bench;
  bench.run([&] {
    bench.set_up(0, 0, 48);
    bench.host.load(0, std::vector<std::uint8_t>(256, 0xaa));
    for (unsigned round = 0; round < 5; ++round) {
      std::vector<DmaBench::Piece> from(20, {0, 16}), to;
      for (unsigned i = 0; i < 20; ++i) to.push_back({kCore + i * 0x40000ull, 16});
      unsigned pairs = bench.add_packet(0, 0, from, to);
      pairs += bench.add_packet(0, 0, from, to);
      for (unsigned i = 0; i < 8; ++i) pairs += bench.add_increment(0, 0, 1);
      REQUIRE(pairs == 48);
      bench.release(0, 0, 48);
      bench.settle(5);
      from.assign(10, {0, 16});  // shifts the packets against the ring
      to.resize(10);
      bench.release(0, 0, bench.add_packet(0, 0, from, to));
      bench.settle(5);
    }
    CHECK(bench.errors.empty());
    CHECK(bench.head(0, 0) == 5 * 58);
    CHECK(bench.core.sbuf[19 * 0x40000 + 15] == 0xaa);
  });
}

TEST_CASE("a packet waits until all its pairs are released, and lets other rings pass") {
  DmaBench bench;
  bench.run([&] {
    bench.set_up(0, 0, 32);
    bench.set_up(0, 1, 32);
    bench.host.load(0, std::vector<std::uint8_t>(64, 5));
    bench.add_packet(0, 0, {{0, 8}, {8, 8}, {16, 8}},
                     {{kCore, 8}, {kCore + 8, 8}, {kCore + 16, 8}});
    bench.release(0, 0, 2);
    bench.add_increment(0, 1, 0);
    bench.release(0, 1, 1);
    bench.settle(10);
    CHECK(bench.core.semaphores[0] == 1);
    CHECK(bench.core.sbuf[0] == 0);
    CHECK(bench.status(0, 0) == 1);
    bench.release(0, 0, 1);
    bench.settle(10);
    CHECK(bench.core.sbuf[16] == 5);
    CHECK(bench.status(0, 0) == 0);
  });
}

TEST_CASE("two rings take turns, a packet at a time") {
  DmaBench bench;
  bench.run([&] {
    for (unsigned ring : {3u, 12u}) {
      bench.set_up(0, ring, 64);
      for (unsigned packet = 0; packet < 4; ++packet) {
        // Two increments in a packet: its two pairs stay together.
        const DmaBench::Piece one{DmaBench::kOne, 4},
            semaphore{tern::tb::kSemaphoreInc + 4 * ring, 4};
        bench.add_packet(0, ring, {one, one}, {semaphore, semaphore});
      }
    }
    bench.release(0, 3, 8);
    bench.release(0, 12, 8);
    // Sample the counters after each pair (10.125 ns each).
    std::vector<unsigned> order;
    auto last3 = bench.core.semaphores[3], last12 = bench.core.semaphores[12];
    for (unsigned step = 0; step < 4000; ++step) {
      sc_core::wait(1, sc_core::SC_NS);
      if (bench.core.semaphores[3] != last3) order.push_back(3);
      if (bench.core.semaphores[12] != last12) order.push_back(12);
      last3 = bench.core.semaphores[3];
      last12 = bench.core.semaphores[12];
    }
    CHECK(order == std::vector<unsigned>{3, 3, 12, 12, 3, 3, 12, 12, 3, 3, 12, 12, 3, 3, 12, 12});
  });
}

TEST_CASE("reads issued ahead see what earlier pairs write") {
  DmaBench bench;
  bench.run([&] {
    bench.set_up(0, 0, 256);
    std::vector<std::uint8_t> data(4096);
    std::iota(data.begin(), data.end(), std::uint8_t{1});
    bench.host.load(0, data);
    // A chain of copies through HBM, each reading what the one before wrote; some with a barrier.
    unsigned pairs = 0;
    for (unsigned i = 0; i < 100; ++i) {
      pairs += bench.add_packet(0, 0, {{i * 0x1000ull, 4096}}, {{(i + 1) * 0x1000ull, 4096}},
                                i % 3 == 0 ? 1u << 30 : 0);
    }
    bench.release(0, 0, pairs);
    bench.settle(200);
    CHECK(bench.errors.empty());
    CHECK(bench.host.fetch(100 * 0x1000, 4096) == data);
  });
}

TEST_CASE("a barrier waits for the writes before it") {
  DmaBench bench;
  bench.run([&] {
    bench.set_up(0, 0, 32);
    // To HBM: the write is complete 200 ns + 4 ns after the pair; then the increment's own read
    // takes 200 ns.
    unsigned pairs = bench.add_copy(0, 0, kCore, kStack, 4096);
    pairs +=
        bench.add_packet(0, 0, {{DmaBench::kOne, 4}}, {{tern::tb::kSemaphoreInc, 4}}, 1u << 30);
    const auto begin = tern::now_fs();
    bench.release(0, 0, pairs);
    bench.settle(20);
    REQUIRE(bench.core.increment_fs.size() == 1);
    const double expected = 1300 + (10 + 128) + 204 + 200 + 10.125;
    CHECK(static_cast<double>(bench.core.increment_fs[0] - begin) * 1e-6 ==
          Approx(expected).epsilon(1e-3));
  });
}

TEST_CASE("malformed descriptors stop their ring, after the packets before and nothing else") {
  struct Case {
    const char* what;
    bool tx;
    std::uint32_t clear, set, meta;
    unsigned code;
    tern::dma::Fault fault;
    unsigned position;
  };
  using tern::dma::Fault;
  // Three packets: 1 pair, 3 pairs, 1 pair. The change is made to pair 2, the middle of the second
  // packet.
  const std::vector<Case> cases = {
      {"phase of the next pass", true, 3u << 24, 2u << 24, 0, kDmaDescriptor, Fault::kPhase, 2},
      {"phase 0", false, 3u << 24, 0, 0, kDmaDescriptor, Fault::kPhase, 2},
      {"reserved bit 16", true, 0, 1u << 16, 0, kDmaDescriptor, Fault::kReserved, 2},
      {"reserved bit 23", false, 0, 1u << 23, 0, kDmaDescriptor, Fault::kReserved, 2},
      {"reserved bit 29", true, 0, 1u << 29, 0, kDmaDescriptor, Fault::kReserved, 2},
      {"reserved bit 31", false, 0, 1u << 31, 0, kDmaDescriptor, Fault::kReserved, 2},
      {"first inside a packet", true, 0, 1u << 26, 0, kDmaDescriptor, Fault::kFirst, 2},
      {"first inside a packet, rx", false, 0, 1u << 26, 0, kDmaDescriptor, Fault::kFirst, 2},
      {"last in tx only", true, 0, 1u << 27, 0, kDmaDescriptor, Fault::kLastMismatch, 2},
      {"last in rx only", false, 0, 1u << 27, 0, kDmaDescriptor, Fault::kLastMismatch, 2},
      {"interrupt, tx", true, 0, 1u << 28, 0, kNotModelled, Fault::kIntEn, 2},
      {"interrupt, rx", false, 0, 1u << 28, 0, kNotModelled, Fault::kIntEn, 2},
      {"operation, tx", true, 0, 0, 1, kNotModelled, Fault::kMeta, 2},
      {"operation, rx", false, 0, 0, 0x80000000, kNotModelled, Fault::kMeta, 2},
      {"source longer", true, 0xffff, 65, 0, kDmaDescriptor, Fault::kSums, 3},
      {"destination 64 KiB (length 0)", false, 0xffff, 0, 0, kDmaDescriptor, Fault::kSums, 3},
  };
  DmaBench bench;
  bench.run([&] {
    bench.host.load(0, std::vector<std::uint8_t>(64, 0x77));
    for (const Case& c : cases) {
      INFO(c.what);
      bench.errors.clear();
      bench.core.semaphores.clear();
      std::fill(bench.core.sbuf.begin(), bench.core.sbuf.begin() + 4096, 0);
      bench.set_up(0, 0, 32);
      bench.set_up(0, 1, 32);
      bench.add_increment(0, 0, 0);
      bench.add_packet(0, 0, {{0, 64}, {0, 64}, {0, 64}},
                       {{kCore, 64}, {kCore + 64, 64}, {kCore + 128, 64}});
      bench.add_increment(0, 0, 2);
      const std::uint32_t word = DmaBench::control(64, 1, false, false);
      bench.put(0, 0, c.tx, 2, (word & ~c.clear) | c.set, c.meta, c.tx ? 0 : kCore + 64);
      bench.release(0, 0, 5);
      for (unsigned i = 0; i < 6; ++i) bench.add_increment(0, 1, 1);
      bench.release(0, 1, 6);
      bench.settle(20);

      REQUIRE(bench.errors.size() == 1);
      CHECK(bench.errors[0].ring == 0);
      CHECK(bench.errors[0].code == c.code);
      CHECK(bench.errors[0].detail == tern::dma::error_detail(c.fault, c.position));
      CHECK(bench.status(0, 0) == 3);
      CHECK(bench.head(0, 0) == 1);
      CHECK(bench.core.semaphores[0] == 1);  // before the fault
      CHECK(bench.core.sbuf[0] == 0);        // nothing of the bad packet
      CHECK(bench.core.semaphores[2] == 0);  // nothing after it
      CHECK(bench.core.semaphores[1] == 6);  // the other ring
      CHECK(bench.status(0, 1) == 0);
      // A stopped ring ignores doorbells.
      bench.release(0, 0, 1);
      bench.settle(5);
      CHECK(bench.errors.size() == 1);
    }
    // Writing ring_size brings it back.
    bench.set_up(0, 0, 32);
    CHECK(bench.status(0, 0) == 0);
    bench.add_increment(0, 0, 5);
    bench.release(0, 0, 1);
    bench.settle(5);
    CHECK(bench.core.semaphores[5] == 1);
  });
}

TEST_CASE("first missing, packets too long, and texts") {
  using tern::dma::Fault;
  DmaBench bench;
  bench.run([&] {
    bench.set_up(0, 0, 256);
    bench.put(0, 0, true, 0, DmaBench::control(4, 1, false, true), 0, DmaBench::kOne);
    bench.put(0, 0, false, 0, DmaBench::control(4, 1, false, true), 0, kCore);
    bench.release(0, 0, 1);
    bench.settle(5);
    REQUIRE(bench.errors.size() == 1);
    CHECK(bench.errors[0].detail == tern::dma::error_detail(Fault::kFirst, 0));

    bench.set_up(0, 0, 256);
    const std::vector<DmaBench::Piece> from(65, {0, 4}), to(65, {kCore, 4});
    bench.release(0, 0, bench.add_packet(0, 0, from, to));
    bench.settle(5);
    REQUIRE(bench.errors.size() == 2);
    CHECK(bench.errors[1].detail == tern::dma::error_detail(Fault::kTooLong, 63));
    CHECK(bench.errors[1].code == kDmaDescriptor);
    CHECK(tern::dma::describe(bench.errors[1].detail) ==
          "descriptor 63: the packet has too many descriptors");
  });
}

TEST_CASE("bus errors: descriptors, sources and destinations nobody answers for") {
  DmaBench bench;
  bench.run([&] {
    const std::uint64_t nowhere = 0x10000000000;
    bench.set_up(0, 0, 32);
    bench.add_copy(0, 0, nowhere, kCore, 64);
    bench.release(0, 0, 1);
    bench.settle(5);
    bench.set_up(0, 0, 32);
    bench.add_copy(0, 0, 0, nowhere + 4, 64);
    bench.release(0, 0, 1);
    bench.settle(5);
    bench.set_up(0, 0, 32);
    bench.ports[0]->poke(0x08, nowhere + 0x100);  // ring_rx_base
    bench.release(0, 0, 1);
    bench.settle(5);
    REQUIRE(bench.errors.size() == 3);
    for (unsigned i = 0; i < 3; ++i) CHECK(bench.errors[i].code == kBus);
    CHECK(bench.errors[0].detail == nowhere);
    CHECK(bench.errors[1].detail == nowhere + 4);
    CHECK(bench.errors[2].detail == nowhere + 0x100);
    CHECK(bench.status(0, 0) == 3);
  });
}

TEST_CASE("ring rules: size, alignment, overrun") {
  using tern::dma::Fault;
  DmaBench bench;
  bench.run([&] {
    for (const std::uint32_t size : {0u, 16u, 33u, 40u, 1u << 24, 0xffffffffu}) {
      INFO(size);
      bench.errors.clear();
      bench.set_up(0, 0, size);
      REQUIRE(bench.errors.size() == 1);
      CHECK(bench.errors[0].code == kIllegalField);
      CHECK(bench.errors[0].detail == tern::dma::error_detail(Fault::kSize, 0));
      CHECK(bench.status(0, 0) == 3);
    }
    for (const std::uint32_t size : {32u, 48u, (1u << 24) - 16}) {
      bench.set_up(0, 0, size);
      CHECK(bench.status(0, 0) == 0);
      CHECK(bench.ports[0]->peek<std::uint32_t>(0x10) == size);
    }
    bench.errors.clear();
    bench.ports[0]->poke(0x00, DmaBench::ring_base(0, 0, true) + 16);
    bench.release(0, 0, 1);
    CHECK(bench.errors.back().detail == tern::dma::error_detail(Fault::kBase, 0));
    bench.release(0, 5, 1);  // never set up
    CHECK(bench.errors.back().ring == 5);
    CHECK(bench.errors.back().detail == tern::dma::error_detail(Fault::kBase, 0));
    bench.set_up(0, 0, 32);
    bench.release(0, 0, 32);
    bench.release(0, 0, 1);
    CHECK(bench.errors.back().detail == tern::dma::error_detail(Fault::kOverrun, 0));
  });
}

TEST_CASE("registers: widths, access rights, debug reads") {
  DmaBench bench;
  bench.run([&] {
    auto& port = *bench.ports[0];
    CHECK(port.poke(15 * 0x40ull, std::uint64_t{0x123456789abcde00}) == tlm::TLM_OK_RESPONSE);
    CHECK(port.peek<std::uint32_t>(15 * 0x40) == 0x9abcde00);
    CHECK(port.peek<std::uint32_t>(15 * 0x40 + 4) == 0x12345678);
    CHECK(port.poke(0x18, std::uint32_t{1}) == tlm::TLM_COMMAND_ERROR_RESPONSE);
    CHECK(port.poke(0x1c, std::uint32_t{1}) == tlm::TLM_COMMAND_ERROR_RESPONSE);
    CHECK(port.poke(0x20, std::uint32_t{1}) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(port.poke(16 * 0x40, std::uint32_t{1}) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(port.poke(0x02, std::uint32_t{1}) == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(port.poke(0x00, std::uint16_t{1}) == tlm::TLM_BURST_ERROR_RESPONSE);
    std::uint32_t word = 0;
    CHECK(port.read(0x14, &word, 4).status == tlm::TLM_COMMAND_ERROR_RESPONSE);
    CHECK(port.debug(tlm::TLM_READ_COMMAND, 15 * 0x40, &word, 4) == 4);
    CHECK(word == 0x9abcde00);
    CHECK(port.debug(tlm::TLM_WRITE_COMMAND, 0, &word, 4) == 0);
  });
}

TEST_CASE("resetting a ring drops what it was doing") {
  DmaBench bench;
  bench.run([&] {
    bench.set_up(0, 0, 64);
    bench.host.load(0, std::vector<std::uint8_t>(1, 1));
    for (unsigned i = 0; i < 20; ++i) bench.add_copy(0, 0, 0, kCore + i * 0x10000ull, 65536);
    bench.release(0, 0, 20);
    sc_core::wait(6, sc_core::SC_US);  // in the third of 20
    CHECK(bench.status(0, 0) == 1);
    bench.set_up(0, 0, 64);
    CHECK(bench.status(0, 0) == 0);
    bench.settle(50);
    CHECK(bench.core.sbuf[0x10000] == 1);
    CHECK(bench.core.sbuf[0x20000] == 0);
    CHECK(bench.head(0, 0) == 0);
    bench.add_increment(0, 0, 0);
    bench.release(0, 0, 1);
    bench.settle(5);
    CHECK(bench.core.semaphores[0] == 1);
    CHECK(bench.errors.empty());
  });
}
