// SPDX-License-Identifier: Apache-2.0
// The DMA engine behind AXI4: what software sees of it, with a checker at every interface.
#include <algorithm>
#include <random>
#include <vector>

#include "sw/spec/generated/isa.h"
#include "sw/spec/generated/registers.h"
#include "tb/axi/axi_system.h"
#include "tb/axi/bus.h"
#include "tb/common/check_mismatch.h"
#include "tb/common/seed.h"

using namespace tern;      // NOLINT: a test uses the names of what it tests
using namespace tern::tb;  // NOLINT

namespace {

constexpr unsigned kRings = 4, kSize = 64;  // descriptors of a ring

std::uint64_t list_base(unsigned ring, bool tx) {
  return 0x7000'0000'0000 + ring * 0x2000 + (tx ? 0 : 0x1000);
}
std::uint64_t source_base(unsigned ring) {
  return 0x1'0000'0000 * (1 + ring);
}
std::uint64_t target_base(unsigned ring) {
  return 0x100'0000'0000 + source_base(ring);
}

// Copies and immediates in several rings, and the bytes that they must leave.
class Program {
 public:
  Program(AxiSystem& system, std::uint64_t seed) : system_(system), random_(seed) {
    for (unsigned ring = 0; ring < kRings; ++ring) {
      set_up(ring);
      std::uint64_t from = source_base(ring), to = target_base(ring);
      pairs_[ring] = 8 + below(kSize - 8);
      for (unsigned n = 0; n < pairs_[ring]; ++n) {
        if (below(8) == 0) {
          immediate(ring, n, to);
        } else {
          copy(ring, n, from, to);
        }
      }
    }
  }
  void release() {
    for (unsigned ring = 0; ring < kRings; ++ring)
      REQUIRE(set(ring, TERN_REG_DMA_RING_TAIL, pairs_[ring]) == kOkay);
  }
  // Until all that was released is done, or its ring has stopped.
  void run() {
    for (unsigned cycle = 0; cycle < 2'000'000; ++cycle) {
      system_.cycle();
      if (system_.rest()) return;
    }
    FAIL("the engine does not come to rest");
  }
  std::uint32_t get(unsigned ring, unsigned offset) {
    std::uint32_t value = 0;
    REQUIRE(system_.read_register(ring * TERN_REG_DMA_RING_SIZE_STRIDE + offset, &value) == kOkay);
    return value;
  }
  void check_done(unsigned ring) {
    CAPTURE(ring);
    CHECK(get(ring, TERN_REG_DMA_RING_STATUS) == TERN_REG_DMA_RING_STATUS_IDLE);
    CHECK(get(ring, TERN_REG_DMA_RING_HEAD) == pairs_[ring]);
    for (const Expected& e : expected_) {
      if (e.ring != ring) continue;
      const auto got = system_.memory.get(e.address, e.bytes.size());
      const auto differ = std::mismatch(e.bytes.begin(), e.bytes.end(), got.begin());
      INFO("pair " << e.pair << ", " << e.bytes.size() << " bytes to " << hex(e.address, 48)
                   << ", byte " << differ.first - e.bytes.begin());
      REQUIRE(e.bytes == got);
    }
  }

 private:
  struct Expected {
    unsigned ring, pair;
    std::uint64_t address;
    std::vector<std::uint8_t> bytes;
  };
  using Words = UnitBench::Words;

  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  unsigned set(unsigned ring, unsigned offset, std::uint32_t value) {
    return system_.write_register(ring * TERN_REG_DMA_RING_SIZE_STRIDE + offset, value);
  }
  void set_up(unsigned ring) {
    for (const bool tx : {true, false}) {
      const unsigned at = tx ? TERN_REG_DMA_RING_TX_BASE : TERN_REG_DMA_RING_RX_BASE;
      REQUIRE(set(ring, at, static_cast<std::uint32_t>(list_base(ring, tx))) == kOkay);
      REQUIRE(set(ring, at + 4, static_cast<std::uint32_t>(list_base(ring, tx) >> 32)) == kOkay);
    }
    REQUIRE(set(ring, TERN_REG_DMA_RING_CLASS, below(4)) == kOkay);
    REQUIRE(set(ring, TERN_REG_DMA_RING_SIZE, kSize) == kOkay);
  }
  void put(unsigned ring, unsigned n, Words words) {
    words.tx[0] |= 1U << 24;  // the first pass
    words.rx[0] |= 1U << 24;
    system_.memory.write(list_base(ring, true) + 16 * n, words.tx, 16);
    system_.memory.write(list_base(ring, false) + 16 * n, words.rx, 16);
  }
  void copy(unsigned ring, unsigned n, std::uint64_t& from, std::uint64_t& to) {
    const unsigned longest[] = {8, 64, 700, 3000};
    const unsigned bytes = 1 + below(longest[below(4)]);
    from += below(130);
    to += below(130);
    std::vector<std::uint8_t> data(bytes);
    for (auto& byte : data) byte = static_cast<std::uint8_t>(random_());
    system_.memory.write(from, data.data(), bytes);
    put(ring, n, UnitBench::copy_pair(from, bytes, to, bytes, true, true));
    expected_.push_back({ring, n, to, data});
    from += bytes;
    to += bytes;
  }
  void immediate(unsigned ring, unsigned n, std::uint64_t& to) {
    to = (to + 3) / 4 * 4;
    const auto value = static_cast<std::uint32_t>(random_());
    Words words = UnitBench::copy_pair(value, 4, to, 4, true, true);
    words.rx[1] = TERN_DMA_OP_IMMEDIATE;
    put(ring, n, words);
    std::vector<std::uint8_t> bytes(4);
    std::memcpy(bytes.data(), &value, 4);
    expected_.push_back({ring, n, to, bytes});
    to += 4;
  }

  AxiSystem& system_;
  std::mt19937_64 random_;
  unsigned pairs_[kRings] = {};
  std::vector<Expected> expected_;
};

}  // namespace

TEST_CASE("axi dma: copies of any alignment and immediates, at any pace") {
  for (const unsigned pace : {4U, 3U, 1U}) {
    CAPTURE(pace);
    AxiSystem system(test_seed() * 10 + pace, pace);
    Program program(system, test_seed() * 10 + pace);
    program.release();
    program.run();
    for (unsigned ring = 0; ring < kRings; ++ring) program.check_done(ring);
    CHECK_NO_MISMATCH(system.log());
    CHECK(system.reads > 100);
    CHECK(system.writes > 60);
  }
}

TEST_CASE("axi dma: an error of the bus stops its ring alone, with fault and address") {
  struct Case {
    unsigned response, fault;
    bool write;
  };
  for (const Case& c :
       {Case{kDecErr, TERN_DMA_FAULT_READ, false}, Case{kSlvErr, TERN_DMA_FAULT_ECC, false},
        Case{kDecErr, TERN_DMA_FAULT_WRITE, true}}) {
    CAPTURE(c.response, c.write);
    AxiSystem system(test_seed() + 1, 3);
    const std::uint64_t base = (c.write ? target_base(1) : source_base(1)) + 1024;
    system.fate = [&](std::uint64_t line, bool write) {
      return write == c.write && line >= base && line < base + 0x100000 ? c.response : kOkay;
    };
    Program program(system, test_seed() + 1);
    program.release();
    program.run();
    CHECK(program.get(1, TERN_REG_DMA_RING_STATUS) == TERN_REG_DMA_RING_STATUS_STOPPED);
    CHECK(program.get(1, TERN_REG_DMA_RING_FAULT) == c.fault);
    const std::uint64_t address = program.get(1, TERN_REG_DMA_RING_FAULT_ADDRESS) |
                                  std::uint64_t{program.get(1, TERN_REG_DMA_RING_FAULT_ADDRESS + 4)}
                                      << 32;
    CHECK(address / 1024 >= base / 1024);
    CHECK(address < base + 0x100000);
    for (const unsigned ring : {0U, 2U, 3U}) program.check_done(ring);
    CHECK_NO_MISMATCH(system.log());
  }
}

TEST_CASE("axi dma: unknown registers are refused, and a reset in mid-work leaves nothing") {
  AxiSystem system(test_seed() + 2, 2);
  CHECK(system.write_register(0x0ffc, 1) == kSlvErr);
  std::uint32_t value = 0;
  CHECK(system.read_register(TERN_REG_DMA_RING_TAIL, &value) == kSlvErr);
  std::mt19937_64 random(test_seed());
  for (unsigned life = 0; life < 10; ++life) {
    CAPTURE(life);
    Program program(system, test_seed() * 100 + life);
    program.release();
    for (auto cycles = random() % 800; cycles > 0; --cycles) system.cycle();
    system.reset();
    for (unsigned i = 0; i < 50; ++i) system.cycle();
    CHECK(system.rest());
  }
  Program program(system, test_seed() + 3);
  program.release();
  program.run();
  for (unsigned ring = 0; ring < kRings; ++ring) program.check_done(ring);
  CHECK_NO_MISMATCH(system.log());
}
