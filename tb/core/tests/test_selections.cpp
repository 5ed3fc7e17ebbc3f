// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "sw/spec/extension.h"
#include "tb/common/seed.h"
#include "tb/core/bench/tile.h"

using namespace tern;
using namespace tern::tb;

namespace {

constexpr unsigned kFp32 = TERN_DTYPE_FP32, kBf16 = TERN_DTYPE_BF16;
constexpr std::uint32_t kColumn = 12000;

tern_instruction_t with_max(unsigned flags) {
  tern_instruction_t in = extend();
  in.extend.flags = static_cast<std::uint8_t>(flags | kExtendReduce);
  in.extend.reduce = place(0, kColumn);
  in.extend.reduce_cmd = TERN_REDUCE_CMD_RESET_REDUCE;
  in.extend.reduce_op = TERN_ALU_OP_MAX;
  return in;
}

}  // namespace

TEST_CASE("selections: tensor_copy_predicated keeps the bits of what is not selected") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    struct Case {
      unsigned dst, src, predicate;
      bool psum;
    };
    const Case cases[] = {{kFp32, kFp32, TERN_DTYPE_UINT8, false},
                          {kFp32, kBf16, TERN_DTYPE_UINT32, true},
                          {kBf16, kFp32, TERN_DTYPE_UINT16, false},
                          {TERN_DTYPE_INT32, TERN_DTYPE_INT32, kFp32, false},
                          {TERN_DTYPE_UINT8, kFp32, kBf16, false}};
    for (const Case& c : cases) {
      for (bool reverse : {false, true}) {
        const Tile a = make_tile(bench, ap(place(0, 1024), 30), c.src, 7, random);
        Tile predicate = make_tile(bench, ap(place(0, 2048), 6, 2, 5, 12), c.predicate, 7, random);
        for (auto& row : predicate.values) {
          for (double& v : row) {
            if (random() % 2 == 0) v = random() % 2 == 0 ? 0.0 : -0.0;
          }
        }
        write_tile(bench, predicate);
        const std::uint32_t at = c.psum ? place(0, 400, kPsum) : place(0, 0);
        const Operand dst{ap(at, 10, 1, 3, 20), c.dst};
        make_tile(bench, dst.pattern, c.dst, 7, random);
        const auto before = read_raw(bench, dst, 7), source = read_raw(bench, a.operand(), 7);
        tern_instruction_t in = extend();
        if (reverse) in.extend.flags = kExtendReverse0;
        bench.execute(TERN_QUEUE_VECTOR, {in, elementwise(TERN_OPCODE_TENSOR_COPY_PREDICATED, 7,
                                                          dst, a.operand(), predicate.operand())});
        const auto after = read_raw(bench, dst, 7);
        std::size_t wrong = 0;
        for (unsigned p = 0; p < 7; ++p) {
          for (std::size_t i = 0; i < 30; ++i) {
            const bool selected = (predicate.values[p][i] != 0) != reverse;
            const std::uint32_t moved = c.src == c.dst ? source[p][i] : convert(c.dst, a.at(p, i));
            wrong += after[p][i] != (selected ? moved : before[p][i]) ? 1 : 0;
          }
        }
        INFO("case " << &c - cases);
        CHECK(wrong == 0);
      }
    }
  });
}

TEST_CASE("selections: select_reduce chooses per element and keeps the largest") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    for (bool reverse : {false, true}) {
      const Tile a = make_plain_tile(bench, ap(place(0, 1024), 50), kBf16, 40, random);
      const Tile mask = make_tile(bench, ap(place(0, 2048), 50), TERN_DTYPE_UINT8, 40, random);
      const Tile other = make_plain_tile(bench, ap(place(0, 4000), 1), kFp32, 40, random);
      tern_instruction_t in = with_max(kExtendScalar0 | (reverse ? kExtendReverse0 : 0));
      in.extend.scalar0 = other.pattern.addr;
      const Operand dst{ap(place(0, 0), 50), kFp32}, largest{ap(place(0, kColumn), 1), kFp32};
      bench.execute(TERN_QUEUE_VECTOR, {in, elementwise(TERN_OPCODE_SELECT_REDUCE, 40, dst,
                                                        a.operand(), mask.operand())});
      const auto chosen = [&](unsigned p, std::size_t i) {
        return (mask.at(p, i) != 0) != reverse ? a.at(p, i) : other.at(p, 0);
      };
      expect(bench, dst, 40, chosen);
      expect(bench, largest, 40, [&](unsigned p, std::size_t) {
        float most = -kInf;
        for (std::size_t i = 0; i < 50; ++i) most = std::fmax(most, chosen(p, i));
        return most;
      });
    }
  });
}

TEST_CASE("selections: range_select keeps the elements between two bounds") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    const Tile a = make_plain_tile(bench, ap(place(0, 0, kPsum), 64), kFp32, 128, random);
    Tile low = make_tile(bench, ap(place(0, 4000), 1), kFp32, 128, random);
    for (unsigned p = 0; p < 128; ++p) low.values[p][0] = static_cast<double>(random() % 80) + 90;
    write_tile(bench, low);
    for (unsigned op1 : {TERN_ALU_OP_IS_LT, TERN_ALU_OP_IS_LE, TERN_ALU_OP_IS_NE}) {
      tern_instruction_t in = with_max(kExtendScalar0);
      in.extend.scalar0 = low.pattern.addr;
      in.extend.imm2 = 100;
      const Operand dst{ap(place(0, 0), 64), kBf16}, largest{ap(place(0, kColumn), 1), kFp32};
      bench.execute(TERN_QUEUE_VECTOR,
                    {in, elementwise(TERN_OPCODE_RANGE_SELECT, 128, dst, a.operand(), {},
                                     TERN_ALU_OP_IS_GE, op1, 0, 150.0f)});
      const auto chosen = [&](unsigned p, std::size_t i) {
        const double index = 100 + static_cast<double>(i);
        const bool below = op1 == TERN_ALU_OP_IS_LT   ? index < 150
                           : op1 == TERN_ALU_OP_IS_LE ? index <= 150
                                                      : index != 150;
        return index >= low.values[p][0] && below ? a.at(p, i) : -std::numeric_limits<float>::max();
      };
      INFO("op " << op1);
      expect(bench, dst, 128, chosen);
      expect(bench, largest, 128, [&](unsigned p, std::size_t) {
        float most = -kInf;
        for (std::size_t i = 0; i < 64; ++i) most = std::fmax(most, chosen(p, i));
        return most;
      });
    }
  });
}
