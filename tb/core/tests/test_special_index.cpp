// SPDX-License-Identifier: Apache-2.0
// iota, affine_select, gathers, positions and topk of GpSimd on the simulated core.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "tb/common/seed.h"
#include "tb/core/bench/special_bench.h"

using namespace tern;
using namespace tern::tb;

namespace {

constexpr unsigned kSource = 0, kIndex = 40'000, kResult = 60'000;

std::uint16_t bf16(float value) {  // of a value that it holds exactly
  std::uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return static_cast<std::uint16_t>(bits >> 16);
}

}  // namespace

TEST_CASE("special: iota in four dimensions, in integers and floats") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    const Affine f{-17, 1000, {3, -50, 700, 9000}};
    tern_instruction_t outer = extend();
    outer.extend.dst_outer = {2, 60, 3, 200};
    const tern_ap_t pattern = ap(place(32, kResult), 5, 1, 4, 10);
    for (unsigned dtype : {TERN_DTYPE_INT32, TERN_DTYPE_FP32}) {
      for (unsigned p = 0; p < 20; ++p) {
        bench.poke(32 + p, kResult, std::vector<std::int32_t>(800, -1));
      }
      bench.execute(TERN_QUEUE_GPSIMD,
                    {outer, affine(TERN_OPCODE_IOTA, 20, {pattern, dtype}, {}, f)});
      for (int p = 0; p < 20; ++p) {
        const auto words = bench.peek<std::int32_t>(32 + static_cast<unsigned>(p), kResult, 800);
        for (int w = 0; w < 3; ++w) {
          for (int z = 0; z < 2; ++z) {
            for (int y = 0; y < 4; ++y) {
              for (int x = 0; x < 5; ++x) {
                const int wanted = -17 + 1000 * p + 3 * x - 50 * y + 700 * z + 9000 * w;
                const std::int32_t word =
                    words[static_cast<std::size_t>(x + 10 * y + 60 * z + 200 * w)];
                float as_float;
                std::memcpy(&as_float, &word, 4);
                CHECK((dtype == TERN_DTYPE_INT32 ? static_cast<float>(word) : as_float) ==
                      static_cast<float>(wanted));
              }
            }
          }
        }
      }
    }
  });
}

TEST_CASE("special: affine_select makes a causal mask") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    const Rows<float> rows = random_floats(random, 128, 64);
    poke_rows(bench, 0, kSource, rows);
    // Query p of the tile is number 40 + p: keys 0 .. 40 + p stay.
    const auto select =
        affine(TERN_OPCODE_AFFINE_SELECT, 128, contiguous(0, kResult, 64, TERN_DTYPE_BF16),
               contiguous(0, kSource, 64, TERN_DTYPE_FP32), {40, 1, {-1, 0, 0, 0}},
               TERN_ALU_OP_IS_GE, -1e30f);
    bench.execute(TERN_QUEUE_GPSIMD, {select});
    for (unsigned p = 0; p < 128; ++p) {
      const auto result = bench.peek<std::uint16_t>(p, kResult, 64);
      for (unsigned i = 0; i < 64; ++i) {
        // Values below 128 in eighths need more than eight bits now and then: round by hand.
        const float x = rows[p][i];
        std::uint32_t bits;
        std::memcpy(&bits, &x, 4);
        bits = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
        CHECK(result[i] == (i <= 40 + p ? bits : 0xF14A));  // bf16 of -1e30
      }
    }
  });
}

TEST_CASE("special: affine_select between equal formats keeps bits") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    bench.poke<std::uint32_t>(0, kSource, {0xFFC12345, 0x7F800001, 5, 0x80000000});
    bench.execute(TERN_QUEUE_GPSIMD,
                  {affine(TERN_OPCODE_AFFINE_SELECT, 1, contiguous(0, kResult, 4, TERN_DTYPE_FP32),
                          contiguous(0, kSource, 4, TERN_DTYPE_FP32), {-2, 0, {1, 0, 0, 0}},
                          TERN_ALU_OP_IS_NE, 1.0f)});
    CHECK(bench.peek<std::uint32_t>(0, kResult, 4) ==
          std::vector<std::uint32_t>{0xFFC12345, 0x7F800001, 0x3F800000, 0x80000000});
  });
}

TEST_CASE("special: local_gather, a list over the 16 partitions of each core") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    for (unsigned turn = 0; turn < 8; ++turn) {
      const unsigned partitions = turn % 2 == 0 ? 128 : 32, first = turn % 2 == 0 ? 0 : 64;
      const unsigned elements = 1u << turn % 6;
      const auto n = static_cast<unsigned>(elements + random() % 500);
      const auto list = static_cast<unsigned>(1 + random() % 60);
      const unsigned columns = (list + 15) / 16;
      const Rows<std::uint16_t> rows = random_rows<std::uint16_t>(random, partitions, n);
      Rows<std::uint16_t> indices = random_rows<std::uint16_t>(random, partitions, columns);
      for (auto& row : indices) {
        for (std::uint16_t& index : row)
          index = static_cast<std::uint16_t>(index % (n - elements + 1));
      }
      poke_rows(bench, first, kSource, rows);
      poke_rows(bench, first, kIndex, indices);
      bench.execute(
          TERN_QUEUE_GPSIMD,
          {elementwise(TERN_OPCODE_LOCAL_GATHER, partitions,
                       contiguous(first, kResult, list * elements, TERN_DTYPE_BF16),
                       contiguous(first, kSource, n, TERN_DTYPE_BF16),
                       contiguous(first, kIndex, columns, TERN_DTYPE_UINT16), 0, elements)});
      for (unsigned p = 0; p < partitions; ++p) {
        const auto result = bench.peek<std::uint16_t>(first + p, kResult, list * elements);
        for (unsigned i = 0; i < list; ++i) {
          const unsigned index = indices[p / 16 * 16 + i % 16][i / 16];
          for (unsigned e = 0; e < elements; ++e) {
            CHECK(result[i * elements + e] == rows[p][index + e]);
          }
        }
      }
    }
  });
}

TEST_CASE("special: n_gather, in place and with strides") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    const Lanes lanes = random_lanes(random);
    const Rows<std::uint8_t> rows = random_rows<std::uint8_t>(random, lanes.count, 100);
    Rows<std::uint32_t> indices = random_rows<std::uint32_t>(random, lanes.count, 100);
    for (auto& row : indices) {
      for (std::uint32_t& index : row) index %= 50;
    }
    poke_rows(bench, lanes.first, kSource, rows);
    poke_rows(bench, lanes.first, kIndex, indices);
    bench.execute(TERN_QUEUE_GPSIMD,
                  {elementwise(TERN_OPCODE_N_GATHER, lanes.count,
                               contiguous(lanes.first, kSource, 100, TERN_DTYPE_UINT8),
                               {ap(place(lanes.first, kSource), 50, 2), TERN_DTYPE_UINT8},
                               contiguous(lanes.first, kIndex, 100, TERN_DTYPE_UINT32))});
    for (unsigned p = 0; p < lanes.count; ++p) {
      const auto result = bench.peek<std::uint8_t>(lanes.first + p, kSource, 100);
      for (unsigned i = 0; i < 100; ++i) CHECK(result[i] == rows[p][2 * indices[p][i]]);
    }
  });
}

TEST_CASE("special: an index outside its row stops the queue before anything is written") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    const std::vector<std::uint32_t> before(4, 0xABCDABCD);
    for (unsigned p = 0; p < 16; ++p) {
      bench.poke<std::uint32_t>(p, kIndex, {0, 9, 1, 2});
      bench.poke(p, kResult, before);
    }
    bench.poke<std::uint32_t>(11, kIndex, {0, 9, 10, 2});
    const auto gather = elementwise(
        TERN_OPCODE_N_GATHER, 16, contiguous(0, kResult, 4, TERN_DTYPE_FP32),
        contiguous(0, kSource, 10, TERN_DTYPE_FP32), contiguous(0, kIndex, 4, TERN_DTYPE_UINT32));
    // Partition 11, position 2; src1 is the field at byte 36; 128 for data.
    CHECK(bench.fails(TERN_QUEUE_GPSIMD, {nop(), gather, halt()}, TERN_ERROR_BAD_ACCESS_PATTERN,
                      1) == (2u << 16 | 11u << 8 | 128u | 36u));
    CHECK(bench.peek<std::uint32_t>(0, kResult, 4) == before);

    for (unsigned p = 0; p < 16; ++p) bench.poke<std::uint16_t>(p, kIndex, {0, 8});
    bench.poke<std::uint16_t>(5, kIndex, {0, 9});
    const auto local =
        elementwise(TERN_OPCODE_LOCAL_GATHER, 16, contiguous(0, kResult, 64, TERN_DTYPE_UINT8),
                    contiguous(0, kSource, 10, TERN_DTYPE_UINT8),
                    contiguous(0, kIndex, 2, TERN_DTYPE_UINT16), 0, 2);
    CHECK(bench.fails(TERN_QUEUE_GPSIMD, {local, halt()}, TERN_ERROR_BAD_ACCESS_PATTERN, 0) ==
          (21u << 16 | 5u << 8 | 128u | 36u));
    bench.start(TERN_QUEUE_GPSIMD, {local, halt()});
    REQUIRE(bench.finish() == TERN_ERROR_BAD_ACCESS_PATTERN);
    CHECK(bench.read_register(TERN_REG_CORE_ERROR_VALUE) == 9);
    sc_core::wait(sc_core::sc_time(2, sc_core::SC_US));
    REQUIRE(bench.write_register(TERN_REG_CORE_IRQ_CLEAR, 1));
    // The queue works again.
    bench.execute(TERN_QUEUE_GPSIMD, {nop()});
  });
}

TEST_CASE("special: an instruction of GpSimd takes its interval") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    const auto iota =
        affine(TERN_OPCODE_IOTA, 128, contiguous(0, kResult, 200, TERN_DTYPE_INT32), {}, {});
    bench.start(TERN_QUEUE_GPSIMD,
                {updates(nop(), TERN_UPD_OP_INC, 1), updates(iota, TERN_UPD_OP_INC, 2), halt()});
    const sc_core::sc_time first = bench.when(1, 1), second = bench.when(2, 1);
    CHECK(second - first == sc_core::sc_time(150 + 200, sc_core::SC_NS));
  });
}

TEST_CASE("special: nonzero_with_count works on the first partition of each core") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    const Rows<std::int32_t> old = random_rows<std::int32_t>(random, 128, 34);
    Rows<std::int32_t> rows = random_rows<std::int32_t>(random, 128, 33);
    for (auto& row : rows) {
      for (std::int32_t& x : row) x = x % 3 == 0 ? x : 0;
    }
    poke_rows(bench, 0, kSource, rows);
    poke_rows(bench, 0, kResult, old);
    bench.execute(TERN_QUEUE_GPSIMD,
                  {elementwise(TERN_OPCODE_NONZERO_WITH_COUNT, 128,
                               contiguous(0, kResult, 34, TERN_DTYPE_INT32),
                               contiguous(0, kSource, 33, TERN_DTYPE_INT32), {}, 0, 0, -1, 1000)});
    for (unsigned p = 0; p < 128; ++p) {
      std::vector<std::int32_t> wanted;
      for (int i = 0; i < 33; ++i) {
        if (rows[p][static_cast<std::size_t>(i)] != 0) wanted.push_back(1000 + i);
      }
      const auto count = static_cast<std::int32_t>(wanted.size());
      wanted.resize(33, -1);
      wanted.push_back(count);
      CHECK(bench.peek<std::int32_t>(p, kResult, 34) == (p % 16 == 0 ? wanted : old[p]));
    }
  });
}

TEST_CASE("special: sequence_bounds in integers and floats") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    // Two ids that FP32 cannot distinguish.
    bench.poke<std::int32_t>(0, kSource, {0, 16777216, 16777217, 16777217, 3, 0});
    bench.poke<float>(0, kSource + 100, {1, 1, 2, 0, 0, 2});
    bench.execute(
        TERN_QUEUE_GPSIMD,
        {elementwise(TERN_OPCODE_SEQUENCE_BOUNDS, 1, contiguous(0, kResult, 12, TERN_DTYPE_FP32),
                     contiguous(0, kSource, 6, TERN_DTYPE_INT32)),
         elementwise(TERN_OPCODE_SEQUENCE_BOUNDS, 1,
                     contiguous(0, kResult + 100, 12, TERN_DTYPE_INT32),
                     contiguous(0, kSource + 100, 6, TERN_DTYPE_FP32))});
    CHECK(bench.peek<float>(0, kResult, 12) ==
          std::vector<float>{6, 1, 2, 2, 4, 6, -1, 2, 4, 4, 5, -1});
    CHECK(bench.peek<std::int32_t>(0, kResult + 100, 12) ==
          std::vector<std::int32_t>{0, 0, 2, 6, 6, 5, 2, 2, 3, -1, -1, 6});
  });
}

TEST_CASE("special: topk of the elements that 16 partitions hold together") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    for (unsigned turn = 0; turn < 5; ++turn) {
      const auto n = static_cast<unsigned>(8 + random() % 600);
      const auto k = static_cast<unsigned>(1 + random() % std::min(n, 70u));
      const unsigned columns = (n + 15) / 16, slots = (k + 15) / 16;
      const unsigned first = turn % 2 == 0 ? 0 : 64, partitions = turn % 2 == 0 ? 128 : 48;
      std::vector<std::vector<float>> values(partitions / 16, std::vector<float>(n));
      Rows<std::uint16_t> rows(partitions, std::vector<std::uint16_t>(columns, 0x7F80));
      for (unsigned core = 0; core < values.size(); ++core) {
        for (unsigned i = 0; i < n; ++i) {
          values[core][i] = static_cast<float>(static_cast<int>(random() % 255) - 127);
          rows[16 * core + i % 16][i / 16] = bf16(values[core][i]);
        }
      }
      poke_rows(bench, first, kSource, rows);
      const Rows<std::uint32_t> old = random_rows<std::uint32_t>(random, partitions, slots);
      poke_rows(bench, first, kIndex, old);
      bench.execute(TERN_QUEUE_GPSIMD,
                    {elementwise(TERN_OPCODE_TOPK, partitions,
                                 contiguous(first, kResult, slots, TERN_DTYPE_BF16),
                                 contiguous(first, kSource, columns, TERN_DTYPE_BF16),
                                 contiguous(first, kIndex, slots, TERN_DTYPE_UINT32), 0, 0,
                                 static_cast<float>(n), static_cast<float>(k))});
      for (unsigned core = 0; core < values.size(); ++core) {
        std::vector<unsigned> order(n);
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(),
                         [&](unsigned a, unsigned b) { return values[core][a] > values[core][b]; });
        for (unsigned j = 0; j < 16 * slots; ++j) {
          const unsigned p = 16 * core + j % 16, c = j / 16;
          const auto index = bench.peek<std::uint32_t>(first + p, kIndex + 4 * c, 1)[0];
          if (j >= k) {
            CHECK(index == old[p][c]);
            continue;
          }
          CHECK(index == order[k - 1 - j]);
          CHECK(bench.peek<std::uint16_t>(first + p, kResult + 2 * c, 1)[0] ==
                bf16(values[core][order[k - 1 - j]]));
        }
      }
    }
  });
}
