// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <numeric>

#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"
#include "tb/core/bench/core_bench.h"

using namespace tern;
using namespace tern::tb;

TEST_CASE("core window: SBUF has its partitions at their stride and ends at the preset's size") {
  CoreConfig config = test_core_config();
  config.sbuf_partition_bytes = 224 * 1024;
  CoreBench bench(config);
  CoreBench::run(bench, [&] {
    std::uint64_t word = 0x1122334455667788;
    for (unsigned p : {0u, 1u, 64u, 127u}) {
      const std::uint64_t base = p * TERN_CORE_SBUF_STRIDE;
      std::uint64_t back = 1;
      CHECK(bench.access(false, base + 224 * 1024 - 8, &back, 8) == tlm::TLM_OK_RESPONSE);
      CHECK(back == 0);
      CHECK(bench.access(true, base + 224 * 1024 - 8, &word, 8) == tlm::TLM_OK_RESPONSE);
      CHECK(bench.access(false, base + 224 * 1024 - 8, &back, 8) == tlm::TLM_OK_RESPONSE);
      CHECK(back == word);
      CHECK(bench.access(true, base + 224 * 1024 - 4, &word, 8) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
      CHECK(bench.access(false, base + 224 * 1024, &word, 1) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
    // A refused burst has written nothing.
    std::uint32_t back = 1;
    CHECK(bench.access(false, 224 * 1024 - 4, &back, 4) == tlm::TLM_OK_RESPONSE);
    CHECK(back == 0x11223344);
    CHECK(bench.access(true, 128 * TERN_CORE_SBUF_STRIDE, &word, 1) ==
          tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
}

TEST_CASE("core window: a burst runs on into the next partition where there is no hole") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::vector<std::uint8_t> data(4096);
    std::iota(data.begin(), data.end(), std::uint8_t{1});
    CHECK(bench.access(true, TERN_CORE_SBUF_STRIDE - 2048, data.data(), 4096) ==
          tlm::TLM_OK_RESPONSE);
    CHECK(bench.peek<std::uint8_t>(0, TERN_CORE_SBUF_STRIDE - 2048, 2048) ==
          std::vector<std::uint8_t>(data.begin(), data.begin() + 2048));
    CHECK(bench.peek<std::uint8_t>(1, 0, 2048) ==
          std::vector<std::uint8_t>(data.begin() + 2048, data.end()));
  });
}

TEST_CASE("core window: PSUM in FP32 words") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    bench.poke_psum(127, 4095, {3.5f});
    CHECK(bench.peek_psum(127, 4094, 2) == std::vector<float>{0.0f, 3.5f});
    bench.poke_psum(0, 4094, {1, 2, 3, 4});  // into partition 1
    CHECK(bench.peek_psum(1, 0, 2) == std::vector<float>{3, 4});
    std::uint32_t word = 0;
    CHECK(bench.access(true, TERN_CORE_PSUM_BASE + 2, &word, 4) == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(bench.access(true, TERN_CORE_PSUM_BASE, &word, 2) == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(bench.access(false, TERN_CORE_PSUM_BASE + 128 * TERN_CORE_PSUM_STRIDE, &word, 4) ==
          tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
}

TEST_CASE("core window: registers refuse wrong directions and holes") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::uint32_t word = 0;
    const auto read = [&](std::uint32_t reg) {
      return bench.access(false, TERN_CORE_REGS_BASE + reg, &word, 4);
    };
    CHECK(read(TERN_REG_CORE_QUEUE_START) == tlm::TLM_COMMAND_ERROR_RESPONSE);
    CHECK(read(TERN_REG_CORE_SEMAPHORE_SET) == tlm::TLM_COMMAND_ERROR_RESPONSE);
    CHECK(read(0x24) == tlm::TLM_COMMAND_ERROR_RESPONSE);
    CHECK(read(0x700) == tlm::TLM_COMMAND_ERROR_RESPONSE);
    CHECK(read(0x2400) == tlm::TLM_COMMAND_ERROR_RESPONSE);  // event_set
    CHECK(read(0x2c00) == tlm::TLM_COMMAND_ERROR_RESPONSE);
    CHECK(read(0x1001) == tlm::TLM_BURST_ERROR_RESPONSE);
    for (std::uint32_t reg :
         {TERN_REG_CORE_QUEUE_STATUS, TERN_REG_CORE_QUEUE_PC, TERN_REG_CORE_CORE_STATUS,
          TERN_REG_CORE_ERROR_CODE, TERN_REG_CORE_ERROR_DETAIL, TERN_REG_CORE_SEMAPHORE_READ,
          TERN_REG_CORE_EVENT_READ}) {
      CHECK_FALSE(bench.write_register(reg, 1));
      CHECK(read(reg) == tlm::TLM_OK_RESPONSE);
    }
    // 64 bits in one access, and as two words.
    std::uint64_t base = 0x123456789ABCDEC0;
    CHECK(bench.access(true, TERN_CORE_REGS_BASE + 0x300, &base, 8) == tlm::TLM_OK_RESPONSE);
    CHECK(bench.read_register(0x300) == 0x9ABCDEC0);
    CHECK(bench.read_register(0x304) == 0x12345678);
  });
}

TEST_CASE("core window: the registers of all 16 DMA engines") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    for (unsigned e = 0; e < NeuronCore::kDmaEngines; ++e) {
      std::uint64_t value = 0x1000u * (e + 1), back = 0;
      const std::uint64_t reg = TERN_CORE_DMA_BASE + e * TERN_CORE_DMA_STRIDE +
                                TERN_REG_DMA_RING_TX_BASE + 3 * TERN_REG_DMA_RING_TX_BASE_STRIDE;
      CHECK(bench.access(true, reg, &value, 8) == tlm::TLM_OK_RESPONSE);
      CHECK(bench.access(false, reg, &back, 8) == tlm::TLM_OK_RESPONSE);
      CHECK(back == value);
    }
    std::uint32_t word = 0;
    CHECK(bench.access(false, TERN_CORE_DMA_BASE + 16 * TERN_CORE_DMA_STRIDE, &word, 4) ==
          tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
}
