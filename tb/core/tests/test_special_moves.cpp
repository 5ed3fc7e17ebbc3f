// SPDX-License-Identifier: Apache-2.0
// stream_shuffle, vector_transpose and tensor_partition_reduce on the simulated core.
#include <catch2/catch.hpp>
#include <cmath>

#include "tb/common/seed.h"
#include "tb/core/bench/special_bench.h"

using namespace tern;
using namespace tern::tb;

namespace {

constexpr unsigned kSource = 256, kResult = 8192;

std::array<std::uint8_t, 32> random_mask(std::mt19937_64& random) {
  std::array<std::uint8_t, 32> mask{};
  for (std::uint8_t& entry : mask) {
    entry = static_cast<std::uint8_t>(random() % 4 == 0 ? 255 : random() % 32);
  }
  return mask;
}

}  // namespace

TEST_CASE("special: stream_shuffle moves bits inside groups of 32, also in place") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    for (unsigned turn = 0; turn < 8; ++turn) {
      const unsigned partitions = 32 * (1 + turn % 4);
      const unsigned first = partitions == 64 ? 64 : partitions == 32 ? 96 : 0;
      const unsigned to = turn < 4 ? kResult : kSource;
      const auto mask = random_mask(random);
      const Rows<std::uint16_t> rows = random_rows<std::uint16_t>(random, partitions, 21);
      Rows<std::uint16_t> wanted = random_rows<std::uint16_t>(random, partitions, 21);
      poke_rows(bench, first, kResult, wanted);
      poke_rows(bench, first, kSource, rows);
      if (to == kSource) wanted = rows;
      for (unsigned p = 0; p < partitions; ++p) {
        if (mask[p % 32] != 255) wanted[p] = rows[p / 32 * 32 + mask[p % 32]];
      }
      bench.execute(TERN_QUEUE_VECTOR, {shuffle(place(first, to), place(first, kSource), 21,
                                                TERN_DTYPE_BF16, partitions, mask)});
      CHECK(peek_rows<std::uint16_t>(bench, {first, partitions}, to, 21) == wanted);
    }
  });
}

TEST_CASE("special: stream_shuffle from PSUM to PSUM keeps what the mask keeps") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::array<std::uint8_t, 32> mask{};
    mask.fill(255);
    mask[3] = 31;
    for (unsigned p = 0; p < 32; ++p) {
      bench.poke_psum(32 + p, 0, {1.0f * p, 100.0f + p});
      bench.poke_psum(64 + p, 600, {-1.0f * p, -100.0f - p});
    }
    bench.execute(TERN_QUEUE_VECTOR, {shuffle(place(64, 2400, kPsum), place(32, 0, kPsum), 2,
                                              TERN_DTYPE_FP32, 32, mask)});
    CHECK(bench.peek_psum(64 + 3, 600, 2) == std::vector<float>{31, 131});
    CHECK(bench.peek_psum(64 + 4, 600, 2) == std::vector<float>{-4, -104});
  });
}

TEST_CASE("special: vector_transpose keeps every bit") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    for (unsigned turn = 0; turn < 10; ++turn) {
      const auto p = static_cast<unsigned>(turn == 0 ? 32 : 1 + random() % 32);
      const auto f = static_cast<unsigned>(turn == 0 ? 32 : 1 + random() % 32);
      const bool psum = turn % 3 == 2;
      const Rows<std::uint32_t> rows = random_rows<std::uint32_t>(random, p, f);
      poke_rows(bench, 32, kSource, rows);
      const Operand dst{ap(place(64, kResult, psum ? kPsum : 0), p), TERN_DTYPE_UINT32};
      bench.execute(TERN_QUEUE_VECTOR,
                    {elementwise(TERN_OPCODE_VECTOR_TRANSPOSE, p, dst,
                                 contiguous(32, kSource, f, TERN_DTYPE_UINT32))});
      for (unsigned column = 0; column < f; ++column) {
        std::vector<std::uint32_t> result;
        if (psum) {
          for (float word : bench.peek_psum(64 + column, kResult / 4, p)) {
            std::uint32_t bits;
            std::memcpy(&bits, &word, 4);
            result.push_back(bits);
          }
        } else {
          result = bench.peek<std::uint32_t>(64 + column, kResult, p);
        }
        for (unsigned row = 0; row < p; ++row) CHECK(result[row] == rows[row][column]);
      }
    }
  });
}

TEST_CASE("special: tensor_partition_reduce, chains over the partitions") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    for (unsigned turn = 0; turn < 6; ++turn) {
      const Lanes lanes = random_lanes(random);
      const auto n = static_cast<unsigned>(1 + random() % 50);
      Rows<float> rows(lanes.count, std::vector<float>(n));
      for (auto& row : rows) {
        for (float& x : row) x = std::ldexp(static_cast<float>(random() % 4096), -9) - 3;
      }
      poke_rows(bench, lanes.first, kSource, rows);
      const bool add = turn % 2 == 0;
      bench.execute(TERN_QUEUE_GPSIMD,
                    {elementwise(TERN_OPCODE_TENSOR_PARTITION_REDUCE, lanes.count,
                                 contiguous(96, kResult, n, TERN_DTYPE_FP32),
                                 contiguous(lanes.first, kSource, n, TERN_DTYPE_FP32), {},
                                 add ? TERN_ALU_OP_ADD : TERN_ALU_OP_MAX)});
      const auto result = bench.peek<float>(96, kResult, n);
      for (unsigned i = 0; i < n; ++i) {
        float wanted = rows[0][i];
        for (unsigned p = 1; p < lanes.count; ++p) {
          const float x = rows[p][i];
          wanted = add ? static_cast<float>(double{wanted} + x) : std::max(wanted, x);
        }
        CHECK(result[i] == wanted);
      }
    }
    const Rows<std::uint8_t> bytes = random_rows<std::uint8_t>(random, 7, 9);
    poke_rows(bench, 0, kSource, bytes);
    bench.execute(TERN_QUEUE_GPSIMD, {elementwise(TERN_OPCODE_TENSOR_PARTITION_REDUCE, 7,
                                                  contiguous(0, kResult, 9, TERN_DTYPE_UINT8),
                                                  contiguous(0, kSource, 9, TERN_DTYPE_UINT8), {},
                                                  TERN_ALU_OP_BIT_OR)});
    const auto result = bench.peek<std::uint8_t>(0, kResult, 9);
    for (unsigned i = 0; i < 9; ++i) {
      unsigned wanted = 0;
      for (const auto& row : bytes) wanted |= row[i];
      CHECK(result[i] == wanted);
    }
  });
}
