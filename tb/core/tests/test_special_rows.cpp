// SPDX-License-Identifier: Apache-2.0
// Statistics and searches on the simulated core, against plain loops.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "tb/common/seed.h"
#include "tb/core/bench/special_bench.h"

using namespace tern;
using namespace tern::tb;

namespace {

constexpr unsigned kSource = 0, kSought = 65'536, kResult = 70'000;

// Mean and sum of squares in double.
struct Moments {
  double count = 0, mean = 0, sum = 0;
};
Moments moments(const std::vector<float>& values) {
  Moments m;
  for (float value : values) m.mean += value;
  m.count = static_cast<double>(values.size());
  if (!values.empty()) m.mean /= m.count;
  for (float value : values) m.sum += (value - m.mean) * (value - m.mean);
  return m;
}

}  // namespace

TEST_CASE("special: bn_stats and bn_aggr on the core") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    for (unsigned turn = 0; turn < 6; ++turn) {
      const Lanes lanes = random_lanes(random);
      const auto chunks = static_cast<unsigned>(1 + random() % 4);
      const auto n = static_cast<unsigned>(1 + random() % 512);
      const Rows<float> rows = random_floats(random, lanes.count, chunks * n);
      poke_rows(bench, lanes.first, kSource, rows);
      Program program;
      for (unsigned c = 0; c < chunks; ++c) {
        program.push_back(
            elementwise(TERN_OPCODE_BN_STATS, lanes.count,
                        contiguous(lanes.first, kResult + 24 * c, 6, TERN_DTYPE_FP32),
                        contiguous(lanes.first, kSource + 4 * n * c, n, TERN_DTYPE_FP32)));
      }
      program.push_back(updates(nop(), TERN_UPD_OP_INC, 1));
      program.push_back(
          waits(elementwise(TERN_OPCODE_BN_AGGR, lanes.count,
                            contiguous(lanes.first, kResult + 1000, 2, TERN_DTYPE_FP32),
                            contiguous(lanes.first, kResult, 6 * chunks, TERN_DTYPE_FP32)),
                TERN_WAIT_COND_GE, 1, 1));
      bench.execute(TERN_QUEUE_VECTOR, program);
      bench.set_semaphore(1, 0);
      for (unsigned p = 0; p < lanes.count; ++p) {
        const auto stats = bench.peek<float>(lanes.first + p, kResult, 6);
        for (unsigned parity = 0; parity < 2; ++parity) {
          std::vector<float> group;
          for (unsigned i = parity; i < n; i += 2) group.push_back(rows[p][i]);
          const Moments wanted = moments(group);
          CHECK(stats[3 * parity] == wanted.count);
          CHECK(std::fabs(stats[3 * parity + 1] - wanted.mean) < 1e-4);
          CHECK(std::fabs(stats[3 * parity + 2] - wanted.sum) <= 1e-5 * wanted.sum + 1e-3);
        }
        const auto all = bench.peek<float>(lanes.first + p, kResult + 1000, 2);
        const Moments wanted = moments(rows[p]);
        CHECK(std::fabs(all[0] - wanted.mean) < 1e-4);
        CHECK(std::fabs(all[1] - wanted.sum / wanted.count) <
              2e-5 * wanted.sum / wanted.count + 1e-5);
      }
    }
  });
}

TEST_CASE("special: the 24 largest by max8, find_index8 and match_replace8") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    for (unsigned turn = 0; turn < 4; ++turn) {
      const Lanes lanes = random_lanes(random, 40);
      const auto n = static_cast<unsigned>(24 + random() % 300);
      // Few different values: many are equal.
      Rows<float> rows = random_floats(random, lanes.count, n, turn % 2 == 0 ? 41 : 20'001);
      poke_rows(bench, lanes.first, kSource, rows);
      const Operand row = contiguous(lanes.first, kSource, n, TERN_DTYPE_FP32);
      Program program;
      for (unsigned round = 0; round < 3; ++round) {
        const Operand largest = contiguous(lanes.first, kSought + 32 * round, 8, TERN_DTYPE_FP32);
        const auto after = [&](tern_instruction_t in) {
          return updates(
              waits(in, TERN_WAIT_COND_EQ, 1, static_cast<std::uint32_t>(program.size())),
              TERN_UPD_OP_INC, 1);
        };
        program.push_back(after(elementwise(TERN_OPCODE_MAX8, lanes.count, largest, row)));
        program.push_back(after(elementwise(
            TERN_OPCODE_FIND_INDEX8, lanes.count,
            contiguous(lanes.first, kResult + 32 * round, 8, TERN_DTYPE_UINT32), row, largest)));
        program.push_back(after(elementwise(TERN_OPCODE_MATCH_REPLACE8, lanes.count, row, row,
                                            largest, 0, 0, -INFINITY)));
      }
      bench.execute(TERN_QUEUE_VECTOR, program);
      bench.set_semaphore(1, 0);
      for (unsigned p = 0; p < lanes.count; ++p) {
        std::vector<float> sorted = rows[p];
        std::sort(sorted.begin(), sorted.end(), std::greater<float>());
        const auto values = bench.peek<float>(lanes.first + p, kSought, 24);
        const auto indices = bench.peek<std::uint32_t>(lanes.first + p, kResult, 24);
        auto left = rows[p];
        for (unsigned i = 0; i < 24; ++i) {
          CHECK(values[i] == sorted[i]);
          REQUIRE(indices[i] < n);
          CHECK(rows[p][indices[i]] == values[i]);
          CHECK(left[indices[i]] != -INFINITY);  // each position once
          left[indices[i]] = -INFINITY;
        }
        CHECK(bench.peek<float>(lanes.first + p, kSource, n) == left);
      }
    }
  });
}

TEST_CASE("special: searches convert, and all ones mean absent") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    bench.poke<std::int16_t>(0, kSource, {5, -3, 7, 7, 0, 1, 2, 30000});
    bench.poke<float>(0, kSought, {7, 7, 7, -0.0f, 8, 30000, -3, 5});
    const Operand row = contiguous(0, kSource, 8, TERN_DTYPE_INT16);
    const Operand sought = contiguous(0, kSought, 8, TERN_DTYPE_FP32);
    bench.execute(
        TERN_QUEUE_VECTOR,
        {elementwise(TERN_OPCODE_MAX8, 1, contiguous(0, kResult, 8, TERN_DTYPE_UINT8), row),
         elementwise(TERN_OPCODE_FIND_INDEX8, 1, contiguous(0, kResult + 64, 8, TERN_DTYPE_UINT16),
                     row, sought),
         elementwise(TERN_OPCODE_MATCH_REPLACE8, 1,
                     contiguous(0, kResult + 128, 8, TERN_DTYPE_INT16), row, sought, 0, 0, -9)});
    using Bytes = std::vector<std::uint8_t>;
    using Halves = std::vector<std::uint16_t>;
    using Signed = std::vector<std::int16_t>;
    CHECK(bench.peek<std::uint8_t>(0, kResult, 8) == Bytes{255, 7, 7, 5, 2, 1, 0, 0});
    CHECK(bench.peek<std::uint16_t>(0, kResult + 64, 8) ==
          Halves{2, 3, 0xFFFF, 4, 0xFFFF, 7, 1, 0});
    CHECK(bench.peek<std::int16_t>(0, kResult + 128, 8) == Signed{-9, -9, -9, -9, -9, 1, 2, -9});
  });
}

TEST_CASE("special: an instruction of Vector takes its interval") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    const auto max8 = elementwise(TERN_OPCODE_MAX8, 128, contiguous(0, kResult, 8, TERN_DTYPE_FP32),
                                  contiguous(0, kSource, 777, TERN_DTYPE_FP32));
    const auto aggregate =
        elementwise(TERN_OPCODE_BN_AGGR, 128, contiguous(0, kResult, 2, TERN_DTYPE_FP32),
                    contiguous(0, kSource, 30, TERN_DTYPE_FP32));
    bench.start(TERN_QUEUE_VECTOR,
                {updates(nop(), TERN_UPD_OP_INC, 1), updates(max8, TERN_UPD_OP_INC, 2),
                 updates(aggregate, TERN_UPD_OP_INC, 3), halt()});
    const sc_core::sc_time first = bench.when(1, 1), second = bench.when(2, 1);
    CHECK(second - first == sc_core::sc_time(777, sc_core::SC_NS));
    CHECK(bench.when(3, 1) - second == sc_core::sc_time(130, sc_core::SC_NS));
  });
}
