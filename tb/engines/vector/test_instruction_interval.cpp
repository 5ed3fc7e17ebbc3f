// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/vector/instruction_interval.h"

#include <catch2/catch.hpp>

#include "sw/spec/extension.h"
#include "tb/core/bench/program.h"

using namespace tern;
using namespace tern::tb;

namespace {

constexpr IntervalRules kRules = {64, true, 4, {}};

Operand sbuf(unsigned n, unsigned dtype, int step = 1) {
  return {ap(place(0, 0), n, step), dtype};
}
Operand psum(unsigned n, unsigned dtype = TERN_DTYPE_FP32) {
  return {ap(place(0, 0, kPsum), n), dtype};
}

unsigned vector(const tern_instruction_t& in) {
  return instruction_interval({in, {}}, TERN_QUEUE_VECTOR, kRules);
}
unsigned scalar(const tern_instruction_t& in) {
  return instruction_interval({in, {}}, TERN_QUEUE_SCALAR, kRules);
}

constexpr unsigned kBf16 = TERN_DTYPE_BF16, kFp16 = TERN_DTYPE_FP16, kFp32 = TERN_DTYPE_FP32;

}  // namespace

// Numbers from the public documentation of the engines, per instruction: elements per partition in,
// cycles out.

TEST_CASE("interval: activation takes one cycle per element, 64 at least") {
  const auto cycles = [](unsigned n) {
    return scalar(elementwise(TERN_OPCODE_ACTIVATION, 128, sbuf(n, kBf16), psum(n)));
  };
  CHECK(cycles(1) == 64);
  CHECK(cycles(64) == 64);
  CHECK(cycles(65) == 65);
  CHECK(cycles(512) == 512);  // exp over 512 elements per partition
}

TEST_CASE("interval: an overhead is added to the elements' cycles") {
  const auto cycles = [](unsigned n) {
    const tern_instruction_t in =
        elementwise(TERN_OPCODE_TENSOR_COPY, 128, sbuf(n, kBf16), psum(n));
    return instruction_interval({in, {}}, TERN_QUEUE_SCALAR,
                                {64, true, 4, {}, /*shared_bus=*/true, /*overhead=*/50});
  };
  CHECK(cycles(1) == 64);
  CHECK(cycles(14) == 64);
  CHECK(cycles(128) == 178);
  CHECK(cycles(512) == 562);
}

TEST_CASE("interval: tensor_copy and tensor_scalar have 4x and 2x modes on the Vector engine") {
  struct Case {
    Operand dst, src;
    unsigned cycles;
  };
  const Case cases[] = {
      {sbuf(2048, kBf16), sbuf(2048, kBf16), 512},  // 4x
      {sbuf(2048, kFp16), sbuf(2048, kBf16), 512},
      {sbuf(2046, kBf16), sbuf(2046, kBf16), 512},      // rounded up
      {sbuf(128, kBf16), sbuf(128, kBf16), 64},         // not below the minimum
      {sbuf(2048, kBf16, 2), sbuf(2048, kBf16), 1024},  // 2x: not contiguous
      {sbuf(2048, kBf16), sbuf(2048, kBf16, -1), 1024},
      {sbuf(512, kFp32), sbuf(512, kBf16), 256},  // other formats: 2x
      {sbuf(512, kBf16), sbuf(512, kFp32), 256},
      {sbuf(512, kFp32, 2), sbuf(512, kFp32), 512},
      {sbuf(2048, TERN_DTYPE_E4M3), sbuf(2048, kBf16), 512},
      {sbuf(512, kBf16), psum(512), 512},  // PSUM holds FP32
      {psum(512), sbuf(512, kBf16), 512},
      {sbuf(512, kBf16), psum(512, kBf16),
       256},  // as documented for 16 bits, were PSUM to hold them
  };
  for (const Case& c : cases) {
    CHECK(vector(elementwise(TERN_OPCODE_TENSOR_COPY, 128, c.dst, c.src)) == c.cycles);
    CHECK(vector(elementwise(TERN_OPCODE_TENSOR_SCALAR, 128, c.dst, c.src, {}, TERN_ALU_OP_ADD)) ==
          c.cycles);
  }
  // Where FP8 is an other format, and where there are no modes.
  const Operation to_fp8{elementwise(TERN_OPCODE_TENSOR_SCALAR, 128, sbuf(2048, TERN_DTYPE_E5M2),
                                     sbuf(2048, kBf16), {}, TERN_ALU_OP_MULTIPLY),
                         {}};
  CHECK(instruction_interval(to_fp8, TERN_QUEUE_VECTOR, {64, true, 4, {true, false}}) == 1024);
  CHECK(instruction_interval(to_fp8, TERN_QUEUE_VECTOR, {64, true, 4, {false, true}}) == 2048);
  // An inner dimension of contiguous pieces is contiguous.
  const Operand pieces{ap(place(0, 0), 64, 1, 8, 100), kBf16};
  CHECK(vector(elementwise(TERN_OPCODE_TENSOR_COPY, 128, pieces, pieces)) == 128);
}

TEST_CASE(
    "interval: tensor_copy and tensor_scalar on Scalar, two a cycle for 16 bits if the chip has "
    "it") {
  for (unsigned opcode : {TERN_OPCODE_TENSOR_COPY, TERN_OPCODE_TENSOR_SCALAR}) {
    const auto halves = elementwise(opcode, 128, sbuf(2048, kBf16), sbuf(2048, kFp16));
    const auto words = elementwise(opcode, 128, sbuf(2048, kBf16), psum(2048));
    CHECK(scalar(halves) == 1024);
    CHECK(scalar(words) == 2048);
    CHECK(instruction_interval({halves, {}}, TERN_QUEUE_SCALAR, {64, false, 4, {}}) == 2048);
    CHECK(instruction_interval({halves, {}}, TERN_QUEUE_GPSIMD, {64, true, 4, {}}) == 2048);
  }
}

TEST_CASE("interval: an address out of a register makes tensor_copy take 600 cycles at least") {
  Operation copy{elementwise(TERN_OPCODE_TENSOR_COPY, 128, sbuf(100, kFp32), sbuf(100, kFp32)), {}};
  copy.dynamic_address = true;
  CHECK(instruction_interval(copy, TERN_QUEUE_VECTOR, kRules) == 600);
  copy.instruction.elementwise.src0.num0 = copy.instruction.elementwise.dst.num0 = 700;
  CHECK(instruction_interval(copy, TERN_QUEUE_SCALAR, kRules) == 700);
}

TEST_CASE("interval: reading the accumulators out costs one least interval more") {
  Operation sum{elementwise(TERN_OPCODE_ACTIVATION, 128, sbuf(512, kBf16), psum(512)), {}};
  sum.extension.reduce_cmd = TERN_REDUCE_CMD_RESET_REDUCE;
  sum.extension.reduce_op = TERN_ALU_OP_ADD;
  CHECK(instruction_interval(sum, TERN_QUEUE_SCALAR, kRules) == 512);
  sum.extension.flags = kExtendReduce;  // activation_reduce
  CHECK(instruction_interval(sum, TERN_QUEUE_SCALAR, kRules) == 576);
  sum.instruction = elementwise(TERN_OPCODE_TENSOR_SCALAR, 128, sbuf(10, kFp32), sbuf(10, kFp32));
  CHECK(instruction_interval(sum, TERN_QUEUE_VECTOR, kRules) == 128);  // tensor_scalar_reduce
  // No performance mode with a reduction, whether it is read out or continues.
  sum.instruction =
      elementwise(TERN_OPCODE_TENSOR_SCALAR, 128, sbuf(1024, kBf16), sbuf(1024, kBf16));
  sum.extension.reduce_cmd = TERN_REDUCE_CMD_RESET_REDUCE;
  CHECK(instruction_interval(sum, TERN_QUEUE_VECTOR, kRules) == 1088);
  CHECK(performance_mode(sum, TERN_QUEUE_VECTOR, kRules) == 1);
  sum.extension.flags = 0;
  CHECK(instruction_interval(sum, TERN_QUEUE_VECTOR, kRules) == 1024);
}

TEST_CASE("interval: two tiles on one path take two cycles per element") {
  const auto cycles = [](unsigned opcode, const Operand& a, const Operand& b) {
    return vector(elementwise(opcode, 128, sbuf(500, kFp32), a, b));
  };
  const Operand tile = sbuf(500, kFp32), other = psum(500);
  for (unsigned opcode : {TERN_OPCODE_TENSOR_COPY_PREDICATED, TERN_OPCODE_SELECT_REDUCE}) {
    CHECK(cycles(opcode, tile, tile) == 1000);
    CHECK(cycles(opcode, other, tile) == 500);
    CHECK(cycles(opcode, tile, other) == 500);
  }
  CHECK(cycles(TERN_OPCODE_TENSOR_TENSOR_SCAN, tile, tile) == 1000);
  CHECK(cycles(TERN_OPCODE_TENSOR_TENSOR_SCAN, tile, other) == 1000);
  CHECK(cycles(TERN_OPCODE_TENSOR_SCALAR_CUMULATIVE, tile, {}) == 500);
  CHECK(cycles(TERN_OPCODE_RANGE_SELECT, tile, {}) == 500);
}

TEST_CASE("interval: scalar_tensor_tensor") {
  const auto cycles = [](unsigned n, unsigned type0, unsigned type1, unsigned op0, unsigned op1) {
    return vector(elementwise(TERN_OPCODE_SCALAR_TENSOR_TENSOR, 128, sbuf(n, kBf16), sbuf(n, type0),
                              sbuf(n, type1), op0, op1));
  };
  const unsigned subtract = TERN_ALU_OP_SUBTRACT, multiply = TERN_ALU_OP_MULTIPLY;
  CHECK(cycles(500, kBf16, kBf16, subtract, multiply) == 500);
  CHECK(cycles(501, kBf16, kBf16, subtract, multiply) == 1002);
  CHECK(cycles(500, kBf16, kFp32, subtract, multiply) == 1000);
  CHECK(cycles(500, kBf16, kBf16, multiply, subtract) == 1000);
  CHECK(cycles(20, kBf16, kBf16, multiply, subtract) == 64);
  // Measured on trn2: a tile in PSUM comes on a path of its own.
  CHECK(vector(elementwise(TERN_OPCODE_SCALAR_TENSOR_TENSOR, 128, sbuf(512, kFp32),
                           sbuf(512, kFp32), psum(512), multiply, subtract)) == 512);
}

TEST_CASE("interval: neighbours more than 16 bytes apart come at half the rate") {
  const auto copy = [](const Operand& dst, const Operand& src) {
    return vector(elementwise(TERN_OPCODE_TENSOR_COPY, 128, dst, src));
  };
  CHECK(copy(sbuf(400, kFp32), sbuf(400, kFp32, 4)) == 400);  // 16 bytes
  CHECK(copy(sbuf(400, kFp32), sbuf(400, kFp32, 5)) == 800);
  CHECK(copy(sbuf(400, kFp32, -5), sbuf(400, kFp32)) == 800);
  CHECK(copy(sbuf(400, kBf16), sbuf(400, kBf16, 8)) == 200);  // 2x
  CHECK(copy(sbuf(400, kBf16), sbuf(400, kBf16, 9)) == 800);
  const Operand transposed{ap(place(0, 0), 1, 77, 400, 64),
                           kFp32};  // the first dimension with steps
  CHECK(copy(sbuf(400, kFp32), transposed) == 800);
  CHECK(vector(elementwise(TERN_OPCODE_RECIPROCAL, 128, sbuf(400, kFp32), sbuf(400, kFp32, 5))) ==
        3200);
}

TEST_CASE("interval: the outer dimensions of the extension count") {
  Operation copy{elementwise(TERN_OPCODE_TENSOR_COPY, 128, sbuf(100, kFp32), sbuf(100, kFp32)), {}};
  copy.extension.dst_outer = copy.extension.src0_outer = {3, 100, 2, 300};
  CHECK(instruction_interval(copy, TERN_QUEUE_VECTOR, kRules) == 300);
}

TEST_CASE("interval: tensor_tensor") {
  const auto cycles = [](const Operand& dst, const Operand& a, const Operand& b) {
    return vector(elementwise(TERN_OPCODE_TENSOR_TENSOR, 128, dst, a, b, TERN_ALU_OP_MAX));
  };
  CHECK(cycles(sbuf(500, kFp32), sbuf(500, kFp32), psum(500)) == 500);
  CHECK(cycles(sbuf(500, kFp32), psum(500), sbuf(500, kFp32)) == 500);
  CHECK(cycles(sbuf(500, kFp32), psum(500), psum(500)) == 1000);
  CHECK(cycles(sbuf(500, kFp32), sbuf(500, kFp32), sbuf(500, kFp32)) == 1000);
  CHECK(cycles(sbuf(500, kBf16), sbuf(500, kBf16), sbuf(500, kFp32)) == 1000);
  CHECK(cycles(sbuf(500, kBf16), sbuf(500, kBf16), sbuf(500, kFp16)) == 500);
  CHECK(cycles(sbuf(10, kBf16), sbuf(10, kBf16), sbuf(10, kFp16)) == 64);
}

TEST_CASE("interval: tensor_reduce counts the elements it reads") {
  const auto cycles = [](unsigned op, unsigned to, unsigned from) {
    const Operand dst{ap(place(0, 0), 4), to}, src{ap(place(0, 0), 250, 1, 4, 250), from};
    return vector(elementwise(TERN_OPCODE_TENSOR_REDUCE, 128, dst, src, {}, op));
  };
  CHECK(cycles(TERN_ALU_OP_ADD, kFp32, kFp32) == 1000);
  CHECK(cycles(TERN_ALU_OP_ADD, kBf16, kBf16) == 500);
  CHECK(cycles(TERN_ALU_OP_MAX, kBf16, kBf16) == 500);
  CHECK(cycles(TERN_ALU_OP_MIN, kBf16, kBf16) == 1000);
  CHECK(cycles(TERN_ALU_OP_ADD, kFp32, kBf16) == 1000);
}

TEST_CASE("interval: memset, reciprocal and control") {
  const auto memset = [](unsigned n, unsigned dtype, float value) {
    return vector(elementwise(TERN_OPCODE_MEMSET, 128, sbuf(n, dtype), {}, {}, 0, 0, value));
  };
  CHECK(memset(1000, kBf16, 0.0f) == 500);
  CHECK(memset(1000, TERN_DTYPE_INT16, 0.0f) == 500);
  CHECK(memset(1000, kBf16, 1.0f) == 1000);
  CHECK(instruction_interval({elementwise(TERN_OPCODE_MEMSET, 128, sbuf(1000, kBf16), {}), {}},
                             TERN_QUEUE_GPSIMD, kRules) == 1000);
  CHECK(memset(1000, kFp32, 0.0f) == 1000);
  CHECK(vector(elementwise(TERN_OPCODE_RECIPROCAL, 128, sbuf(100, kFp32), sbuf(100, kFp32))) ==
        800);
  CHECK(vector(elementwise(TERN_OPCODE_RECIPROCAL, 128, sbuf(2, kFp32), sbuf(2, kFp32))) == 64);
  const auto on_trn1 = [](unsigned n) {
    const tern_instruction_t in =
        elementwise(TERN_OPCODE_RECIPROCAL, 128, sbuf(n, kFp32), sbuf(n, kFp32));
    return instruction_interval({in, {}}, TERN_QUEUE_VECTOR, {64, true, 4, {false, false, 2.5}});
  };
  CHECK(on_trn1(512) == 1280);
  CHECK(on_trn1(101) == 253);  // rounded up
  CHECK(on_trn1(2) == 64);
  CHECK(vector(nop()) == 64);
  CHECK(instruction_interval({dma_trigger(0, 1), {}}, TERN_QUEUE_SYNC, {10, true, 4, {}}) == 10);
}

TEST_CASE("interval: exponential takes a cycle for four elements per partition, 64 at least") {
  const auto operation = [](unsigned n) {
    return Operation{elementwise(TERN_OPCODE_EXPONENTIAL, 128, sbuf(n, kBf16), sbuf(n, kFp32)), {}};
  };
  const auto cycles = [&](unsigned n, unsigned rate) {
    return instruction_interval(operation(n), TERN_QUEUE_VECTOR, {64, true, rate, {}});
  };
  CHECK(cycles(1, 4) == 64);
  CHECK(cycles(256, 4) == 64);
  CHECK(cycles(257, 4) == 65);
  CHECK(cycles(2048, 4) == 512);
  CHECK(cycles(2048, 1) == 2048);
  Operation sums = operation(2048);
  sums.extension.flags = 1u << 2;  // the sums go to a column
  CHECK(instruction_interval(sums, TERN_QUEUE_VECTOR, kRules) == 512 + 64);
}

TEST_CASE("interval: MX conversions take a cycle for four elements per partition, 64 at least") {
  const auto quantize = [](unsigned columns) {
    return vector(elementwise(TERN_OPCODE_QUANTIZE_MX, 128, sbuf(columns, TERN_DTYPE_E4M3FN_X4),
                              sbuf(4 * columns, kBf16), sbuf(columns, TERN_DTYPE_E8M0)));
  };
  const auto dequantize = [](unsigned columns, unsigned dst) {
    return vector(elementwise(TERN_OPCODE_DEQUANTIZE_MX, 128, sbuf(4 * columns, dst),
                              sbuf(columns, TERN_DTYPE_E5M2_X4), sbuf(columns, TERN_DTYPE_E8M0)));
  };
  for (const unsigned columns : {1u, 63u, 64u}) {
    CHECK(quantize(columns) == 64);
    CHECK(dequantize(columns, kFp32) == 64);
  }
  CHECK(quantize(65) == 65);
  CHECK(quantize(512) == 512);
  CHECK(dequantize(65, kBf16) == 65);
  CHECK(dequantize(512, kFp32) == 512);
}
