// SPDX-License-Identifier: Apache-2.0
// The adders next to a memory against MPFR, or all sums of FP8 against its definition, and against
// the C++ of the memories.
#include <catch2/catch.hpp>
#include <cmath>
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

// E4M3FN by its definition, in halves of the smallest number and no bits of floats.
struct Fp8 {
  bool nan = false, negative = false;
  int units = 0;  // of 2^-9
};

Fp8 decoded(unsigned code) {
  Fp8 x;
  const int exponent = static_cast<int>(code >> 3 & 15), mantissa = static_cast<int>(code & 7);
  x.negative = code >= 128;
  x.nan = (code & 127) == 127;
  x.units = exponent == 0 ? mantissa : (8 + mantissa) << (exponent - 1);
  if (x.negative) x.units = -x.units;
  return x;
}

// The nearest finite number, of two as near the one with an even code; NaN 0x7F.
unsigned sum_of(unsigned a, unsigned b) {
  const Fp8 x = decoded(a), y = decoded(b);
  if (x.nan || y.nan) return 0x7F;
  const int sum = x.units + y.units;
  if (sum == 0) return x.negative && y.negative ? 0x80 : 0;
  unsigned best = 0;
  int least = INT32_MAX;
  for (unsigned code = 0; code < 127; ++code) {
    const int distance = std::abs(std::abs(sum) - decoded(code).units);
    if (distance > least || (distance == least && code % 2 != 0)) continue;
    least = distance;
    best = code;
  }
  return best | (sum < 0 ? 128 : 0);
}

}  // namespace

TEST_CASE("Near-memory adders: every sum of two FP8 numbers against the definition") {
  cosim::StartContext context;
  VDmaNearMemory rtl(&context, "rtl");
  rtl.en_i = 1;
  rtl.fp8_i = 1;
  constexpr unsigned kBeat = sizeof rtl.sum_o;
  tb::MismatchLog log;
  for (unsigned pair = 0; pair < 65536; pair += kBeat) {
    std::uint8_t memory[kBeat], data[kBeat];
    for (unsigned i = 0; i < kBeat; ++i) {
      memory[i] = static_cast<std::uint8_t>((pair + i) / 256);
      data[i] = static_cast<std::uint8_t>(pair + i);
    }
    std::memcpy(&rtl.memory_i, memory, kBeat);
    std::memcpy(&rtl.data_i, data, kBeat);
    rtl.eval();
    std::uint8_t sum[kBeat], library[kBeat];
    std::memcpy(sum, &rtl.sum_o, kBeat);
    std::memcpy(library, memory, kBeat);
    numerics::add_to_memory_fp8(library, data, kBeat);
    for (unsigned i = 0; i < kBeat; ++i) {
      const auto at = [&](const char* against) {
        return tb::Where{"port sum_o, lane " + std::to_string(i) + ", against " + against,
                         "FP8, memory " + tb::hex(memory[i], 8) + ", data " + tb::hex(data[i], 8),
                         pair / kBeat};
      };
      log.compare(sum_of(memory[i], data[i]), sum[i], 8, [&] { return at("the definition"); });
      log.compare(library[i], sum[i], 8, [&] { return at("the library"); });
    }
  }
  CHECK_NO_MISMATCH(log);
}

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
