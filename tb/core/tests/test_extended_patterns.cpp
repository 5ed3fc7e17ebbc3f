// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <random>

#include "sw/spec/extension.h"
#include "tb/common/seed.h"
#include "tb/core/bench/tile.h"

using namespace tern;
using namespace tern::tb;

namespace {

constexpr unsigned kFp32 = TERN_DTYPE_FP32, kBf16 = TERN_DTYPE_BF16;

tern_instruction_t outers(const tern_outer_t& dst, const tern_outer_t& src0,
                          const tern_outer_t& src1 = {}) {
  tern_instruction_t in = extend();
  in.extend.dst_outer = dst;
  in.extend.src0_outer = src0;
  in.extend.src1_outer = src1;
  return in;
}

}  // namespace

TEST_CASE("extension: patterns of four dimensions, in SBUF and PSUM") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    struct Case {
      tern_ap_t dst;
      tern_outer_t dst_outer;
      tern_ap_t src;
      tern_outer_t src_outer;
    };
    const Case cases[] = {
        // contiguous in all four; gathered with every order of strides; reversed; broadcast
        {ap(place(0, 64), 2, 1, 3, 2), {4, 6, 5, 24}, ap(place(0, 4096), 120), {}},
        {ap(place(0, 64), 120), {}, ap(place(0, 4096), 2, 60, 3, 20), {4, 5, 5, 1}},
        {ap(place(0, 64), 120), {}, ap(place(0, 8192), 2, -1, 3, 2), {4, -6, 5, -24}},
        {ap(place(0, 64), 120), {}, ap(place(0, 4096), 2, 1, 3, 0), {4, 0, 5, 2}},
        {ap(place(0, 64), 5, 24, 4, 6), {3, 2, 2, 1}, ap(place(0, 4096), 120), {}},
        {ap(place(0, 64), 6, 20, 20, 1), {}, ap(place(0, 4096), 30, 4), {4, 1, 0, 0}},
        {ap(place(0, 64), 120), {}, ap(place(0, 4096, kPsum), 2, 70, 3, 20), {4, 5, 5, 1}},
        {ap(place(0, 400, kPsum), 2, 60, 3, 20), {4, 5, 5, 1}, ap(place(0, 4096), 120), {}},
        {ap(place(0, 400, kPsum), 4, 1, 3, 9), {2, 40, 5, 100}, ap(place(0, 8192, kPsum), 120), {}},
        {ap(place(0, 64), 40), {0, 0, 3, 50}, ap(place(0, 4096), 120), {}},  // the third is absent
    };
    for (const Case& c : cases) {
      const bool psum = in_psum(c.dst);
      const Tile src = make_tile(bench, c.src, kFp32, 5, random, c.src_outer);
      const Operand dst{c.dst, psum ? kFp32 : kBf16};
      bench.execute(TERN_QUEUE_VECTOR, {outers(c.dst_outer, c.src_outer),
                                        elementwise(TERN_OPCODE_TENSOR_SCALAR, 5, dst,
                                                    src.operand(), {}, TERN_ALU_OP_BYPASS)});
      INFO("case " << &c - cases);
      expect(
          bench, dst, 5, [&](unsigned p, std::size_t i) { return src.at(p, i); }, c.dst_outer);
    }
  });
}

TEST_CASE("extension: each of two tiles has its own outer dimensions") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    const tern_outer_t outer0 = {3, 64, 2, 5}, outer1 = {2, 1, 3, 0};
    const Tile a = make_tile(bench, ap(place(0, 4096), 5, 1, 2, 20), kBf16, 64, random, outer0);
    const Tile b =
        make_tile(bench, ap(place(0, 64, kPsum), 2, 30, 5, 2), kFp32, 64, random, outer1);
    const Operand dst{ap(place(0, 0), 60), kFp32};
    bench.execute(TERN_QUEUE_VECTOR, {outers({}, outer0, outer1),
                                      elementwise(TERN_OPCODE_TENSOR_TENSOR, 64, dst, a.operand(),
                                                  b.operand(), TERN_ALU_OP_SUBTRACT)});
    expect(bench, dst, 64, [&](unsigned p, std::size_t i) {
      return alu(TERN_ALU_OP_SUBTRACT, a.at(p, i), b.at(p, i));
    });
  });
}

TEST_CASE("extension: scalars from columns, operands in reverse") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    const unsigned ops[] = {TERN_ALU_OP_SUBTRACT, TERN_ALU_OP_MULTIPLY, TERN_ALU_OP_IS_GT,
                            TERN_ALU_OP_ABS_MAX, TERN_ALU_OP_LOGICAL_AND};
    for (unsigned flags = 0; flags < 32; ++flags) {
      if ((flags & kExtendReduce) != 0) continue;
      const unsigned op0 = ops[flags % 5], op1 = ops[random() % 5];
      const Tile a = make_tile(bench, ap(place(32, 1024), 40), kFp32, 32, random);
      const Tile b = make_tile(bench, ap(place(32, 2048), 40), kFp32, 32, random);
      const Tile s0 = make_tile(bench, ap(place(32, 4000), 1), kFp32, 32, random);
      const Tile s1 = make_tile(bench, ap(place(64, 40, kPsum), 1), kFp32, 32, random);
      tern_instruction_t in = extend();
      in.extend.flags = static_cast<std::uint8_t>(flags);
      if ((flags & kExtendScalar0) != 0) in.extend.scalar0 = s0.pattern.addr;
      if ((flags & kExtendScalar1) != 0) in.extend.scalar1 = s1.pattern.addr;
      const auto scalar0 = [&](unsigned p) {
        return (flags & kExtendScalar0) != 0 ? s0.at(p, 0) : 1.7f;
      };
      const auto scalar1 = [&](unsigned p) {
        return (flags & kExtendScalar1) != 0 ? s1.at(p, 0) : -0.3f;
      };
      const auto step = [&](unsigned op, unsigned reverse, float x, float y) {
        return (flags & reverse) != 0 ? alu(op, y, x) : alu(op, x, y);
      };
      INFO("flags " << flags << " ops " << op0 << " " << op1);
      const Operand dst{ap(place(0, 0), 40), kFp32};
      for (unsigned queue : {TERN_QUEUE_VECTOR, TERN_QUEUE_SCALAR}) {
        bench.execute(queue, {in, elementwise(TERN_OPCODE_TENSOR_SCALAR, 32, dst, a.operand(), {},
                                              op0, op1, 1.7f, -0.3f)});
        expect(bench, dst, 32, [&](unsigned p, std::size_t i) {
          const float first = step(op0, kExtendReverse0, a.at(p, i), scalar0(p));
          return step(op1, kExtendReverse1, first, scalar1(p));
        });
      }
      in.extend.flags &= static_cast<std::uint8_t>(~kExtendScalar1);
      in.extend.scalar1 = 0;
      bench.execute(TERN_QUEUE_VECTOR, {in, elementwise(TERN_OPCODE_SCALAR_TENSOR_TENSOR, 32, dst,
                                                        a.operand(), b.operand(), op0, op1, 1.7f)});
      expect(bench, dst, 32, [&](unsigned p, std::size_t i) {
        const float first = step(op0, kExtendReverse0, a.at(p, i), scalar0(p));
        return step(op1, kExtendReverse1, first, b.at(p, i));
      });
    }
  });
}

TEST_CASE("extension: activation with a scale per partition, activate2") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    const Tile a = make_tile(bench, ap(place(0, 0, kPsum), 100), kFp32, 100, random);
    const Tile scale = make_tile(bench, ap(place(0, 2048), 1), kFp32, 100, random);
    const Tile bias = make_tile(bench, ap(place(0, 2052), 1), kFp32, 100, random);
    const Operand dst{ap(place(0, 0), 100), kFp32};
    tern_instruction_t in = extend();
    in.extend.flags = kExtendScalar0 | kExtendScalar1;
    in.extend.scalar0 = scale.pattern.addr;
    in.extend.scalar1 = bias.pattern.addr;
    bench.execute(TERN_QUEUE_SCALAR, {in, elementwise(TERN_OPCODE_ACTIVATION, 100, dst, a.operand(),
                                                      {}, TERN_ACT_FUNC_SQUARE)});
    const auto affine = [&](unsigned p, std::size_t i) {
      return alu(TERN_ALU_OP_ADD, alu(TERN_ALU_OP_MULTIPLY, a.at(p, i), scale.at(p, 0)),
                 bias.at(p, 0));
    };
    expect(bench, dst, 100, [&](unsigned p, std::size_t i) {
      return alu(TERN_ALU_OP_MULTIPLY, affine(p, i), affine(p, i));
    });
    bench.execute(TERN_QUEUE_SCALAR, {in, elementwise(TERN_OPCODE_ACTIVATE2, 100, dst, a.operand(),
                                                      {}, TERN_ALU_OP_MULTIPLY, TERN_ALU_OP_ADD)});
    expect(bench, dst, 100, affine);
  });
}

TEST_CASE("extension: a fault names its byte plus 64") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    tern_instruction_t in = extend();
    in.extend.src0_outer = {1000, 100, 0, 0};
    const Operand tile{ap(place(0, 0), 100), kFp32};
    CHECK(bench.fails(TERN_QUEUE_VECTOR, {in, elementwise(TERN_OPCODE_TENSOR_COPY, 1, tile, tile)},
                      TERN_ERROR_BAD_ACCESS_PATTERN, 1) == 64 + 20);
  });
}
