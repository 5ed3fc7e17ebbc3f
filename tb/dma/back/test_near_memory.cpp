// SPDX-License-Identifier: Apache-2.0
// The adders next to a memory against MPFR, and against the C++ of the memories.
#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <string>

#include "VDmaNearMemory.h"
#include "sw/numerics/near_memory.h"
#include "systemc/cosim/rtl_block.h"
#include "tb/common/bench_wave.h"
#include "tb/common/check_mismatch.h"
#include "tb/common/seed.h"
#include "tb/numerics/mpfr_oracle.h"

using namespace tern;  // NOLINT: a test uses the names of what it tests

namespace {

std::uint32_t word(std::mt19937_64& random) {
  const auto any = static_cast<std::uint32_t>(random());
  const auto& corners = tb::fp32_corners();
  switch (random() % 4) {
    case 0:
      return any;
    case 1:
      return corners.begin()[any % corners.size()];
    default:
      return (any & 0x81FFFFFF) | 0x3E000000;
  }
}

}  // namespace

TEST_CASE("Near-memory adders: FP32 and BF16 beats against MPFR and the C++ library") {
  std::mt19937_64 random(tb::test_seed());
  cosim::StartContext context;
  VDmaNearMemory rtl(&context, "rtl");
  const auto wave = cosim::open_wave(&rtl, tb::bench_wave(), "dma_near_memory");
  rtl.en_i = 1;
  for (int bf16 = 0; bf16 < 2; ++bf16) {
    tb::MpfrOracle oracle(bf16 != 0 ? tb::kOracleBf16 : tb::kOracleFp32);
    rtl.bf16_i = bf16;
    tb::MismatchLog log;
    for (int beat = 0; beat < 3000; ++beat) {
      std::uint8_t memory[64], data[64];
      const int size = bf16 != 0 ? 2 : 4;
      for (int i = 0; i < 64; i += size) {
        const std::uint32_t a = word(random), b = word(random);
        std::memcpy(memory + i, reinterpret_cast<const std::uint8_t*>(&a) + 4 - size, size);
        std::memcpy(data + i, reinterpret_cast<const std::uint8_t*>(&b) + 4 - size, size);
      }
      std::memcpy(rtl.memory_i.m_storage, memory, 64);
      std::memcpy(rtl.data_i.m_storage, data, 64);
      rtl.eval();
      const auto step = static_cast<std::uint64_t>(3000 * bf16 + beat);
      if (wave) wave->dump(step, 0);
      const auto* sum = reinterpret_cast<const std::uint8_t*>(rtl.sum_o.m_storage);
      std::uint8_t library[64];
      std::memcpy(library, memory, 64);
      if (bf16 != 0) {
        numerics::add_to_memory_bf16(library, data, 64);
      } else {
        numerics::add_to_memory_fp32(library, data, 64);
      }
      for (int i = 0; i < 64; i += size) {
        const auto word_at = [&](const std::uint8_t* beat_of) {  // as FP32
          std::uint32_t bits = 0;
          std::memcpy(reinterpret_cast<std::uint8_t*>(&bits) + 4 - size, beat_of + i, size);
          return bits;
        };
        const std::uint32_t a = word_at(memory), b = word_at(data);
        const auto at = [&](const char* against) {
          return tb::Where{
              "port sum_o, lane " + std::to_string(i / size) + ", against " + against,
              (bf16 != 0 ? "BF16, memory " : "FP32, memory ") + tb::hex(a) + ", data " + tb::hex(b),
              step};
        };
        log.compare(oracle.add(numerics::float_of(a), numerics::float_of(b)), word_at(sum), 32,
                    [&] { return at("MPFR"); });
        log.compare(word_at(library), word_at(sum), 32, [&] { return at("the library"); });
      }
    }
    CHECK_NO_MISMATCH(log);
  }
}
