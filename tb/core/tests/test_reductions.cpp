// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "sw/spec/extension.h"
#include "tb/common/seed.h"
#include "tb/core/bench/tile.h"

using namespace tern;
using namespace tern::tb;

namespace {

constexpr unsigned kFp32 = TERN_DTYPE_FP32, kBf16 = TERN_DTYPE_BF16;
constexpr std::uint32_t kColumn = 12000;  // of the accumulators

tern_instruction_t accumulate(unsigned command, unsigned op, bool read_out) {
  tern_instruction_t in = extend();
  in.extend.reduce_cmd = static_cast<std::uint8_t>(command);
  in.extend.reduce_op = static_cast<std::uint8_t>(op);
  in.extend.flags = read_out ? kExtendReduce : 0;
  if (read_out || command == TERN_REDUCE_CMD_LOAD_REDUCE) in.extend.reduce = place(0, kColumn);
  return in;
}

float start_of(unsigned op) {
  if (op == TERN_ALU_OP_MAX) return -kInf;
  return op == TERN_ALU_OP_MIN || op == TERN_ALU_OP_ABS_MIN ? kInf : 0.0f;
}

}  // namespace

TEST_CASE("reductions: tensor_reduce over one to four dimensions, every reducible operator") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    const tern_outer_t outer = {3, 12, 2, 36};
    for (unsigned op : {TERN_ALU_OP_ADD, TERN_ALU_OP_SUBTRACT, TERN_ALU_OP_MULTIPLY,
                        TERN_ALU_OP_MAX, TERN_ALU_OP_MIN, TERN_ALU_OP_ABS_MAX, TERN_ALU_OP_ABS_MIN,
                        TERN_ALU_OP_LOGICAL_AND, TERN_ALU_OP_LOGICAL_OR, TERN_ALU_OP_LOGICAL_XOR}) {
      for (unsigned dimensions = 0; dimensions <= 4; ++dimensions) {
        // Dimensions 4, 3, 3, 2, reduced from the innermost.
        const std::size_t inner[] = {4, 4, 12, 36, 72};
        const std::size_t n = inner[dimensions];
        const Tile a =
            make_plain_tile(bench, ap(place(0, 1024), 4, 1, 3, 4), kFp32, 6, random, outer);
        const Operand dst{ap(place(0, 0), static_cast<unsigned>(72 / n)), kFp32};
        tern_instruction_t in = extend();
        in.extend.src0_outer = outer;
        bench.execute(TERN_QUEUE_VECTOR,
                      {in, elementwise(TERN_OPCODE_TENSOR_REDUCE, 6, dst, a.operand(), {}, op,
                                       op % 2 != 0 ? TERN_ALU_OP_SUBTRACT : TERN_ALU_OP_BYPASS,
                                       static_cast<float>(dimensions))});
        INFO("op " << op << " dimensions " << dimensions);
        expect(bench, dst, 6, [&](unsigned p, std::size_t group) {
          float chain = a.at(p, group * n);
          for (std::size_t i = 1; i < n; ++i) chain = alu(op, chain, a.at(p, group * n + i));
          return op % 2 != 0 ? -chain : chain;
        });
      }
    }
  });
}

TEST_CASE("reductions: accumulators are reset, continue, are loaded and read out") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    for (unsigned queue : {TERN_QUEUE_VECTOR, TERN_QUEUE_SCALAR}) {
      for (unsigned op : {TERN_ALU_OP_ADD, TERN_ALU_OP_MAX, TERN_ALU_OP_MIN, TERN_ALU_OP_ABS_MAX,
                          TERN_ALU_OP_ABS_MIN}) {
        const Tile a = make_plain_tile(bench, ap(place(64, 1024), 30), kFp32, 20, random);
        const Operand dst{ap(place(0, 0), 30), kBf16}, sums{ap(place(0, kColumn), 1), kFp32};
        const bool vector = queue == TERN_QUEUE_VECTOR;
        const auto work =
            elementwise(vector ? TERN_OPCODE_TENSOR_SCALAR : TERN_OPCODE_ACTIVATE2, 20, dst,
                        a.operand(), {}, TERN_ALU_OP_MULTIPLY, TERN_ALU_OP_BYPASS, 1.3f);
        // Of the results before their conversion to BF16.
        const auto chain = [&](float start, unsigned p) {
          for (std::size_t i = 0; i < 30; ++i) {
            start = alu(op, start, alu(TERN_ALU_OP_MULTIPLY, a.at(p, i), 1.3f));
          }
          return start;
        };
        INFO("queue " << queue << " op " << op);
        bench.execute(queue, {accumulate(TERN_REDUCE_CMD_RESET_REDUCE, op, true), work});
        expect(bench, sums, 20, [&](unsigned p, std::size_t) { return chain(start_of(op), p); });
        bench.execute(queue, {accumulate(TERN_REDUCE_CMD_REDUCE, op, true), work});
        expect(bench, sums, 20,
               [&](unsigned p, std::size_t) { return chain(chain(start_of(op), p), p); });
        const Tile first = make_plain_tile(bench, sums.pattern, kFp32, 20, random);
        bench.execute(queue, {accumulate(TERN_REDUCE_CMD_LOAD_REDUCE, op, true), work});
        expect(bench, sums, 20, [&](unsigned p, std::size_t) { return chain(first.at(p, 0), p); });
        // Reset without reducing; reduce without reading out; idle reads out only.
        bench.execute(queue, {accumulate(TERN_REDUCE_CMD_RESET, op, false), work});
        bench.execute(queue, {accumulate(TERN_REDUCE_CMD_REDUCE, op, false), work});
        bench.execute(queue, {work});
        bench.execute(queue, {accumulate(TERN_REDUCE_CMD_IDLE, TERN_ALU_OP_BYPASS, true), work});
        expect(bench, sums, 20, [&](unsigned p, std::size_t) { return chain(start_of(op), p); });
        expect(bench, dst, 20, [&](unsigned p, std::size_t i) {
          return alu(TERN_ALU_OP_MULTIPLY, a.at(p, i), 1.3f);
        });
      }
    }
  });
}

TEST_CASE("reductions: the sum of an activation, accumulators to PSUM") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    const Tile a = make_plain_tile(bench, ap(place(0, 1024), 200), kBf16, 128, random);
    const Operand dst{ap(place(0, 0), 200), kBf16}, sums{ap(place(0, 80, kPsum), 1), kFp32};
    auto in = accumulate(TERN_REDUCE_CMD_RESET_REDUCE, TERN_ALU_OP_ADD, true);
    in.extend.reduce = sums.pattern.addr;
    bench.execute(TERN_QUEUE_SCALAR, {in, elementwise(TERN_OPCODE_ACTIVATION, 128, dst, a.operand(),
                                                      {}, TERN_ACT_FUNC_RELU, 0, -0.01f, 0.5f)});
    expect(bench, sums, 128, [&](unsigned p, std::size_t) {
      float sum = 0;
      for (std::size_t i = 0; i < 200; ++i) {
        const float u = alu(TERN_ALU_OP_ADD, alu(TERN_ALU_OP_MULTIPLY, a.at(p, i), -0.01f), 0.5f);
        sum = alu(TERN_ALU_OP_ADD, sum, u > 0 ? u : 0);
      }
      return sum;
    });
  });
}

TEST_CASE("reductions: tensor_tensor_scan") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    const unsigned ops[] = {TERN_ALU_OP_MULTIPLY, TERN_ALU_OP_ADD, TERN_ALU_OP_MAX,
                            TERN_ALU_OP_SUBTRACT};
    for (unsigned round = 0; round < 16; ++round) {
      const unsigned op0 = ops[round % 4], op1 = ops[round / 4];
      const bool reverse = round % 3 == 0, column = round % 2 == 0;
      const Tile a = make_plain_tile(bench, ap(place(0, 1024), 5, 1, 4, 5), kBf16, 9, random);
      const Tile b = make_plain_tile(bench, ap(place(0, 0, kPsum), 20), kFp32, 9, random);
      const Tile s = make_plain_tile(bench, ap(place(0, 4000), 1), kFp32, 9, random);
      tern_instruction_t in = extend();
      if (column) {
        in.extend.flags = kExtendScalar0;
        in.extend.scalar0 = s.pattern.addr;
      }
      if (reverse) in.extend.flags |= kExtendReverse0 | kExtendReverse1;
      const Operand dst{ap(place(0, 0), 20), kBf16};
      bench.execute(TERN_QUEUE_VECTOR, {in, elementwise(TERN_OPCODE_TENSOR_TENSOR_SCAN, 9, dst,
                                                        a.operand(), b.operand(), op0, op1, 0.5f)});
      INFO("round " << round);
      expect(bench, dst, 9, [&](unsigned p, std::size_t last) {
        float state = column ? s.at(p, 0) : 0.5f;  // stays FP32
        for (std::size_t i = 0; i <= last; ++i) {
          const float first = reverse ? alu(op0, state, a.at(p, i)) : alu(op0, a.at(p, i), state);
          state = reverse ? alu(op1, b.at(p, i), first) : alu(op1, first, b.at(p, i));
        }
        return state;
      });
    }
  });
}

TEST_CASE("reductions: tensor_scalar_cumulative, in one piece or carried on") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    for (unsigned op1 : {TERN_ALU_OP_ADD, TERN_ALU_OP_SUBTRACT, TERN_ALU_OP_MULTIPLY,
                         TERN_ALU_OP_MAX, TERN_ALU_OP_MIN}) {
      const Tile a = make_plain_tile(bench, ap(place(0, 1024), 40), kFp32, 9, random);
      const auto running = [&](float start, unsigned p, std::size_t last) {
        for (std::size_t i = 0; i <= last; ++i) {
          start = alu(op1, start, alu(TERN_ALU_OP_MULTIPLY, a.at(p, i), 0.7f));
        }
        return start;
      };
      const auto pass = [&](unsigned first, unsigned count) {
        return elementwise(TERN_OPCODE_TENSOR_SCALAR_CUMULATIVE, 9,
                           {ap(place(0, 4 * first), count), kFp32},
                           {ap(place(0, 1024 + 4 * first), count), kFp32}, {}, TERN_ALU_OP_MULTIPLY,
                           op1, 0.7f, 2.5f);
      };
      const Operand dst{ap(place(0, 0), 40), kFp32}, last{ap(place(0, kColumn), 1), kFp32};
      INFO("op " << op1);
      bench.execute(TERN_QUEUE_VECTOR, {pass(0, 40)});
      const auto whole = [&](unsigned p, std::size_t i) { return running(2.5f, p, i); };
      expect(bench, dst, 9, whole);
      // In three pieces through the accumulators, the last one through the column.
      bench.execute(TERN_QUEUE_VECTOR,
                    {accumulate(TERN_REDUCE_CMD_RESET_REDUCE, 0, false), pass(0, 11),
                     accumulate(TERN_REDUCE_CMD_REDUCE, 0, true), pass(11, 17)});
      expect(bench, last, 9, [&](unsigned p, std::size_t) { return running(2.5f, p, 27); });
      bench.execute(TERN_QUEUE_VECTOR,
                    {accumulate(TERN_REDUCE_CMD_LOAD_REDUCE, 0, true), pass(28, 12)});
      expect(bench, dst, 9, whole);
      expect(bench, last, 9, [&](unsigned p, std::size_t) { return running(2.5f, p, 39); });
    }
  });
}
