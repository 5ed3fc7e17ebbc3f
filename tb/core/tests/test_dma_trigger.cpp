// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"
#include "tb/core/bench/core_bench.h"

using namespace tern;
using namespace tern::tb;

namespace {

constexpr unsigned kRing = 5;
constexpr std::uint32_t kRingSize = 32;

void write_descriptor(CoreBench& bench, std::uint64_t ring, unsigned index, std::uint64_t address,
                      unsigned bytes) {
  const std::uint32_t control =
      bytes | 1u << TERN_DESC_RING_ID_LSB | 1u << TERN_DESC_FIRST_LSB | 1u << TERN_DESC_LAST_LSB;
  const std::uint64_t words[2] = {control, address};
  std::memcpy(&bench.memory[ring + 16 * index], words, sizeof words);
}

}  // namespace

TEST_CASE(
    "dma_trigger: rings the doorbell of every engine that has pairs, on every queue that may") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    // Engine e copies its 64 bytes of memory to another address, once per trigger; engines 3 and 7
    // get none.
    for (unsigned e = 0; e < NeuronCore::kDmaEngines; ++e) {
      const std::uint64_t tx = 0x1000 + e * 0x1000, rx = tx + 0x800;
      for (unsigned i = 0; i < 4; ++i) {
        write_descriptor(bench, tx, i, 0x20000 + 0x400 * e + 64 * i, 64);
        write_descriptor(bench, rx, i, 0x30000 + 0x400 * e + 64 * i, 64);
        for (unsigned b = 0; b < 64; ++b)
          bench.memory[0x20000 + 0x400 * e + 64 * i + b] = static_cast<std::uint8_t>(1 + e + i + b);
      }
      const std::uint64_t regs = TERN_CORE_DMA_BASE + e * TERN_CORE_DMA_STRIDE;
      const auto set = [&](std::uint64_t reg, std::uint32_t value) {
        REQUIRE(bench.access(true, regs + reg + kRing * 0x40, &value, 4) == tlm::TLM_OK_RESPONSE);
      };
      set(TERN_REG_DMA_RING_TX_BASE, static_cast<std::uint32_t>(tx));
      set(TERN_REG_DMA_RING_RX_BASE, static_cast<std::uint32_t>(rx));
      set(TERN_REG_DMA_RING_SIZE, kRingSize);
    }
    unsigned moved = 0;
    for (unsigned queue :
         {TERN_QUEUE_VECTOR, TERN_QUEUE_SCALAR, TERN_QUEUE_GPSIMD, TERN_QUEUE_SYNC}) {
      auto trigger = dma_trigger(kRing, 1);
      trigger.dma_trigger.count[3] = trigger.dma_trigger.count[7] = 0;
      bench.execute(queue, {trigger});
      wait(sc_core::sc_time(20, sc_core::SC_US));
      ++moved;
      for (unsigned e = 0; e < NeuronCore::kDmaEngines; ++e) {
        std::uint32_t head = 0;
        const std::uint64_t reg =
            TERN_CORE_DMA_BASE + e * TERN_CORE_DMA_STRIDE + TERN_REG_DMA_RING_HEAD + kRing * 0x40;
        REQUIRE(bench.access(false, reg, &head, 4) == tlm::TLM_OK_RESPONSE);
        const unsigned expected = e == 3 || e == 7 ? 0 : moved;
        CHECK(head == expected);
        const auto from = bench.memory.begin() + 0x20000 + 0x400 * e,
                   to = bench.memory.begin() + 0x30000 + 0x400 * e;
        CHECK(std::equal(from, from + 64 * expected, to));
        CHECK(to[64 * expected] == 0);
      }
    }
  });
}

TEST_CASE("dma_trigger: the error of an engine reaches the core's registers") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    const std::uint64_t regs = TERN_CORE_DMA_BASE + 9 * TERN_CORE_DMA_STRIDE + kRing * 0x40;
    const auto set = [&](std::uint64_t reg, std::uint32_t value) {
      REQUIRE(bench.access(true, regs + reg, &value, 4) == tlm::TLM_OK_RESPONSE);
    };
    set(TERN_REG_DMA_RING_TX_BASE, 0x1000);  // a descriptor of zeros has no phase
    set(TERN_REG_DMA_RING_RX_BASE, 0x1800);
    set(TERN_REG_DMA_RING_SIZE, kRingSize);
    set(TERN_REG_DMA_RING_TAIL, 1);
    REQUIRE(bench.finish() == TERN_ERROR_DMA_DESCRIPTOR);
    CHECK(bench.read_register(TERN_REG_CORE_ERROR_QUEUE) == 16 + 9);
    CHECK(bench.read_register(TERN_REG_CORE_ERROR_INDEX) == kRing);
    CHECK(bench.read_register(TERN_REG_CORE_CORE_STATUS) == 4);
  });
}
