// SPDX-License-Identifier: Apache-2.0
// The exponential instruction: operands in either memory, running sums through the accumulators,
// what is refused. Expected values: exp() of the contract, element by element (tb/numerics and
// tb/exp hold it against MPFR).
#include <catch2/catch.hpp>
#include <random>

#include "sw/numerics/bf16.h"
#include "sw/numerics/exp.h"
#include "sw/numerics/float_bits.h"
#include "sw/numerics/fp16.h"
#include "sw/spec/extension.h"
#include "tb/common/seed.h"
#include "tb/core/bench/core_bench.h"

using namespace tern;
using namespace tern::tb;
using numerics::bits_of;

namespace {

constexpr unsigned kPartitions = 5;
constexpr std::uint32_t kSource = 0x100, kResult = 0x2000, kMax = 0x4000, kSums = 0x4100;
constexpr unsigned kFp32 = TERN_DTYPE_FP32, kBf16 = TERN_DTYPE_BF16, kFp16 = TERN_DTYPE_FP16;

std::vector<float> random_row(std::mt19937_64& random, std::size_t n) {
  std::vector<float> row(n);
  for (float& x : row) x = 40.0f * static_cast<float>(random() % 2001) / 1000.0f - 60.0f;
  return row;
}

// The sum as the unit's description defines it: groups of four, missing elements 0.
float running_sum(float acc, std::vector<float> e) {
  while (e.size() % 4 != 0) e.push_back(0.0f);
  for (std::size_t i = 0; i < e.size(); i += 4) acc += (e[i] + e[i + 1]) + (e[i + 2] + e[i + 3]);
  return acc;
}

tern_instruction_t reduction(unsigned reduce_cmd, unsigned flags) {
  tern_instruction_t in = extend();
  in.extend.reduce_cmd = static_cast<std::uint8_t>(reduce_cmd);
  in.extend.reduce_op = TERN_ALU_OP_ADD;
  in.extend.flags = static_cast<std::uint8_t>(flags);
  if (flags != 0 || reduce_cmd == TERN_REDUCE_CMD_LOAD_REDUCE) in.extend.reduce = place(0, kSums);
  return in;
}

tern_instruction_t exponential(const Operand& dst, const Operand& src, const Operand& m = {},
                               float imm0 = 0) {
  return elementwise(TERN_OPCODE_EXPONENTIAL, kPartitions, dst, src, m, 0, 0, imm0);
}

}  // namespace

TEST_CASE("exponential: every format, maximum from a column or an immediate") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    constexpr std::size_t n = 27;
    for (const unsigned from : {kFp32, kBf16, kFp16}) {
      for (const unsigned to : {kFp32, kBf16, kFp16}) {
        for (const bool column : {false, true}) {
          std::vector<std::vector<float>> x(kPartitions);
          std::vector<float> m(kPartitions, -7.25f);
          for (unsigned p = 0; p < kPartitions; ++p) {
            x[p] = random_row(random, n);
            std::vector<std::uint16_t> half;
            for (float& value : x[p]) {
              if (from == kFp32) continue;
              half.push_back(from == kBf16 ? numerics::bf16_from_float(value)
                                           : numerics::fp16_from_float(value));
              value = from == kBf16 ? numerics::bf16_to_float(half.back())
                                    : numerics::fp16_to_float(half.back());
            }
            if (from == kFp32) {
              bench.poke(p, kSource, x[p]);
            } else {
              bench.poke(p, kSource, half);
            }
            if (column) m[p] = random_row(random, 1)[0];
            bench.poke<float>(p, kMax, {m[p]});
          }
          const Operand max = column ? Operand{ap(place(0, kMax), 1), kFp32} : Operand{};
          bench.execute(TERN_QUEUE_VECTOR, {exponential({ap(place(0, kResult), n), to},
                                                        {ap(place(0, kSource), n), from}, max,
                                                        column ? 0.0f : -7.25f)});
          for (unsigned p = 0; p < kPartitions; ++p) {
            for (unsigned i = 0; i < n; ++i) {
              const float y = numerics::exp_of_difference(x[p][i], m[p]);
              if (to == kFp32) {
                REQUIRE(bench.peek<std::uint32_t>(p, kResult + 4 * i, 1)[0] == bits_of(y));
              } else {
                REQUIRE(
                    bench.peek<std::uint16_t>(p, kResult + 2 * i, 1)[0] ==
                    (to == kBf16 ? numerics::bf16_from_float(y) : numerics::fp16_from_float(y)));
              }
            }
          }
        }
      }
    }
  });
}

TEST_CASE("exponential: running sums over several instructions, from PSUM, into a column") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    constexpr unsigned n = 10;
    std::vector<float> expected(kPartitions), second(kPartitions);
    std::vector<std::vector<float>> x(kPartitions);
    for (unsigned p = 0; p < kPartitions; ++p) {
      x[p] = random_row(random, n);
      for (unsigned i = 0; i < n; ++i) bench.poke_psum(p, 3 + i, {x[p][i]});
      std::vector<float> e;
      for (const float value : x[p]) e.push_back(numerics::exp_of_difference(value, 1.5f));
      expected[p] = running_sum(running_sum(0.0f, e), e);
      second[p] = running_sum(100.0f + static_cast<float>(p), e);
    }
    // The result is BF16: its rounding must not affect the sum.
    const auto exp = exponential({ap(place(0, kResult), n), kBf16},
                                 {ap(place(0, 12, kPsum), n), kFp32}, {}, 1.5f);
    bench.execute(TERN_QUEUE_VECTOR, {reduction(TERN_REDUCE_CMD_RESET_REDUCE, 0), exp,
                                      reduction(TERN_REDUCE_CMD_REDUCE, kExtendReduce), exp});
    for (unsigned p = 0; p < kPartitions; ++p) {
      CHECK(bench.peek<float>(p, kSums, 1)[0] == expected[p]);
      bench.poke<float>(p, kSums, {100.0f + static_cast<float>(p)});
    }
    bench.execute(TERN_QUEUE_VECTOR,
                  {reduction(TERN_REDUCE_CMD_LOAD_REDUCE, kExtendReduce), exp, exp});
    for (unsigned p = 0; p < kPartitions; ++p) {
      CHECK(bench.peek<float>(p, kSums, 1)[0] == second[p]);
    }
  });
}

TEST_CASE("exponential: a rate of 0 or another reduction is refused") {
  CoreConfig config = test_core_config();
  config.vector.exp_per_cycle = 0;
  CoreBench bench(config);
  CoreBench::run(bench, [&] {
    const auto exp =
        exponential({ap(place(0, kResult), 4), kBf16}, {ap(place(0, kSource), 4), kFp32});
    CHECK(bench.fails(TERN_QUEUE_VECTOR, {exp}, TERN_ERROR_NOT_MODELLED, 0) == 0);
  });
}
