// SPDX-License-Identifier: Apache-2.0
// RTL and model under a careless host: aborts, restarts, wrong sizes and doorbells, corrupted
// descriptors, hardware-made pairs and changes of class in any cycle, memory that fails. Every
// request, stop, completion and register stays equal.
#include <random>

#include "systemc/cosim/dma_rtl.h"
#include "systemc/dma/model/unit_model.h"
#include "tb/common/bench_wave.h"
#include "tb/common/seed.h"
#include "tb/dma/rtl/two_benches.h"

using namespace tern::tb;  // NOLINT: a test uses the names of what it tests

namespace {

constexpr unsigned kRings = 16;

class CarelessHost {
 public:
  CarelessHost(std::uint64_t seed, UnitBench& bench) : bench_(bench), random_(seed) {
    for (unsigned ring = 0; ring < kRings; ++ring) {
      bench.set_up(ring, 16 * pick(2, 8), pick(0, 3));
    }
  }

  void run(unsigned steps) {
    for (unsigned i = 0; i < steps; ++i) {
      const unsigned ring = pick(0, pick(0, 1) == 0 ? 3 : kRings - 1);
      const unsigned what = pick(0, 99);
      if (what < 45) {
        release(ring);
      } else if (what < 60) {
        push(ring);
      } else if (what < 63) {
        bench_.poke(0x40 * ring + TERN_REG_DMA_RING_ABORT, pick(0, 1));
      } else if (what < 75) {
        restart(ring);
      } else if (what < 78) {
        bench_.poke(0x40 * ring + TERN_REG_DMA_RING_CLASS, pick(0, 7));
      } else if (what < 80) {
        arbiter();
      } else {
        bench_.run_to(bench_.now() + (pick(0, 3) == 0 ? pick(0, 600) : pick(0, 40)));
      }
      const auto registers = ring_registers(bench_, ring);
      seen_.insert(seen_.end(), registers.begin(), registers.end());
      seen_.push_back(bench_.peek(TERN_REG_DMA_ENGINE_STATE));
    }
    bench_.run();
  }
  // All registers that were read meanwhile.
  const std::vector<std::uint32_t>& seen() const { return seen_; }

 private:
  unsigned pick(unsigned low, unsigned high) {
    return std::uniform_int_distribution<unsigned>(low, high)(random_);
  }
  UnitBench::Words words() {
    auto words =
        UnitBench::copy_pair(0x10000 + random_() % 0x10000, 4, 0x9000'0000 + next_, 4, true, true);
    const std::uint32_t bytes = pick(0, 4) == 0 ? pick(1, 65536) : pick(1, 300);
    words.tx[0] = (words.tx[0] & ~0xffffu) | (bytes & 0xffff);
    words.rx[0] = (words.rx[0] & ~0xffffu) | (bytes & 0xffff);
    next_ += bytes;
    if (pick(0, 9) == 0) words.tx[0] |= UnitBench::kDmb;
    if (pick(0, 4) == 0) {  // immediate
      words = UnitBench::copy_pair(pick(0, 1000), 4, (0xa000'0000 + next_) & ~3ull, 4, true, true);
      words.rx[1] = TERN_DMA_OP_IMMEDIATE;
    }
    if (pick(0, 19) == 0) words.tx[0] &= ~UnitBench::kLast, words.rx[0] &= ~UnitBench::kLast;
    if (pick(0, 49) == 0) (pick(0, 1) == 0 ? words.tx : words.rx)[pick(0, 1)] ^= 1u << pick(0, 31);
    return words;
  }
  void release(unsigned ring) {
    const std::uint32_t size = bench_.ring_register(ring, TERN_REG_DMA_RING_SIZE);
    const std::uint32_t waiting = bench_.ring_register(ring, TERN_REG_DMA_RING_RELEASED) -
                                  bench_.ring_register(ring, TERN_REG_DMA_RING_HEAD);
    std::uint32_t pairs = pick(0, 12);
    if (waiting + pairs > size && pick(0, 9) != 0) return;
    if (pick(0, 199) == 0) pairs = size + 1;
    for (std::uint32_t i = 0; i < pairs; ++i) bench_.put(ring, words());
    bench_.release(ring, pairs);
  }
  void push(unsigned ring) {
    const auto made = words();
    std::uint8_t pair[32];
    std::memcpy(pair, made.tx, 16);
    std::memcpy(pair + 16, made.rx, 16);
    seen_.push_back(bench_.unit->push_pair(bench_.now(), ring, pair) ? 1 : 0);
    bench_.run_to(bench_.now());
  }
  void restart(unsigned ring) {
    if (pick(0, 9) == 0) {
      bench_.poke(0x40 * ring + TERN_REG_DMA_RING_SIZE, pick(0, 40));
    } else {
      bench_.set_up(ring, 16 * pick(2, 8), pick(0, 3));
    }
  }
  void arbiter() {
    const unsigned c = pick(0, 3);
    bench_.poke(TERN_REG_DMA_QOS_POLICY, pick(0, 2));
    bench_.poke(TERN_REG_DMA_QOS_RATE + 4 * c, pick(0, 20000));
    bench_.poke(TERN_REG_DMA_QOS_DEPTH + 4 * c, pick(0, 100000));
  }

  UnitBench& bench_;
  std::mt19937_64 random_;
  std::uint64_t next_ = 0;
  std::vector<std::uint32_t> seen_;
};

void compare(std::uint64_t seed, unsigned steps, std::uint64_t fails_one_of) {
  CAPTURE(seed, fails_one_of);
  tern::dma::UnitConfig config;
  config.descriptor_cycles = static_cast<unsigned>(seed % 6);
  UnitBench rtl([&config](tern::dma::Environment& s) {
    return std::make_unique<tern::dma::DmaRtl>(config, s, tern::tb::bench_wave());
  });
  UnitBench model(
      [&config](tern::dma::Environment& s) { return tern::dma::make_unit_model(config, s); });
  std::vector<std::uint32_t> seen[2];
  for (UnitBench* bench : {&rtl, &model}) {
    if (seed % 2 == 1) bench->latency = scattered;
    if (fails_one_of != 0) bench->fate = failing(fails_one_of);
    CarelessHost host(seed, *bench);
    host.run(steps);
    CHECK(bench->unit->at_rest());
    seen[bench == &rtl ? 0 : 1] = host.seen();
  }
  REQUIRE(seen[0].size() == seen[1].size());
  MismatchLog registers;
  for (std::size_t i = 0; i < seen[0].size(); ++i) {
    registers.compare(seen[1][i], seen[0][i], 32, [&] {
      return Where{"port reg_data_o, read " + std::to_string(i), ""};
    });
  }
  CHECK_NO_MISMATCH(registers);
  check_same_record(rtl, model);
}

}  // namespace

TEST_CASE("Engine RTL and model agree under a careless host", "[dma]") {
  for (std::uint64_t i = 0; i < 30; ++i) {
    compare(test_seed() * 1000 + i, 600, i % 3 == 0 ? 0 : 200);
  }
}
