// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <functional>

#include "sw/spec/extension.h"
#include "systemc/core/instruction_check.h"
#include "tb/core/bench/program.h"

using namespace tern;
using namespace tern::tb;

namespace {

constexpr unsigned kVector = TERN_QUEUE_VECTOR, kScalar = TERN_QUEUE_SCALAR,
                   kGpSimd = TERN_QUEUE_GPSIMD;
constexpr unsigned kField = TERN_ERROR_ILLEGAL_FIELD, kPattern = TERN_ERROR_BAD_ACCESS_PATTERN;
// Bytes of the extension's fields in a fault.
constexpr unsigned kDstOuter = 64 + 12, kSrc0Outer = 64 + 20, kSrc1Outer = 64 + 28,
                   kScalar0 = 64 + 36, kScalar1 = 64 + 40, kReduce = 64 + 44, kImm2 = 64 + 48,
                   kFlags = 64 + 52, kReduceCmd = 64 + 53, kReduceOp = 64 + 54;

using Change = std::function<void(Operation&)>;

CoreLimits limits() {
  return {16000, 16384, 2048, {}};
}

void taken(
    Operation operation, unsigned queue, const Change& change = [](Operation&) {}) {
  change(operation);
  const auto fault = check_instruction(operation, queue, limits());
  if (fault) INFO("code " << fault->code << " detail " << fault->detail);
  CHECK_FALSE(fault.has_value());
}

void refused(Operation operation, unsigned queue, unsigned code, unsigned detail,
             const Change& change) {
  change(operation);
  const auto fault = check_instruction(operation, queue, limits());
  INFO("expected code " << code << " detail " << detail);
  REQUIRE(fault.has_value());
  CHECK(fault->code == code);
  CHECK(fault->detail == detail);
}

Operand tile(unsigned byte, unsigned n = 64, unsigned dtype = TERN_DTYPE_FP32) {
  return {ap(place(0, byte), n), dtype};
}
Operand psum(unsigned n = 64) {
  return {ap(place(0, 0, kPsum), n), TERN_DTYPE_FP32};
}

Operation operation(unsigned opcode, const Operand& src1 = {}, unsigned op0 = 0, unsigned op1 = 0) {
  return {elementwise(opcode, 32, tile(0), tile(512), src1, op0, op1), {}};
}
Operation copy() {
  return operation(TERN_OPCODE_TENSOR_COPY);
}
Operation binary() {
  return operation(TERN_OPCODE_TENSOR_TENSOR, tile(1024), TERN_ALU_OP_ADD);
}
Operation scalar() {
  return operation(TERN_OPCODE_TENSOR_SCALAR, {}, TERN_ALU_OP_ADD, TERN_ALU_OP_MULTIPLY);
}
Operation activate() {
  return operation(TERN_OPCODE_ACTIVATION, {}, TERN_ACT_FUNC_RELU);
}
Operation activate2() {
  return operation(TERN_OPCODE_ACTIVATE2, {}, TERN_ALU_OP_MULTIPLY, TERN_ALU_OP_ADD);
}
Operation scan() {
  return operation(TERN_OPCODE_TENSOR_TENSOR_SCAN, tile(1024), TERN_ALU_OP_MULTIPLY,
                   TERN_ALU_OP_ADD);
}
Operation cumulative() {
  return operation(TERN_OPCODE_TENSOR_SCALAR_CUMULATIVE, {}, TERN_ALU_OP_MULTIPLY, TERN_ALU_OP_ADD);
}
Operation select() {
  return operation(TERN_OPCODE_SELECT_REDUCE, tile(1024));
}
Operation range() {
  return operation(TERN_OPCODE_RANGE_SELECT, {}, TERN_ALU_OP_IS_GE, TERN_ALU_OP_IS_LT);
}
Operation stt() {
  return operation(TERN_OPCODE_SCALAR_TENSOR_TENSOR, tile(1024), TERN_ALU_OP_ADD, TERN_ALU_OP_MAX);
}
Operation predicated() {
  return operation(TERN_OPCODE_TENSOR_COPY_PREDICATED, tile(1024));
}

Change flags(unsigned value) {
  return [=](Operation& o) { o.extension.flags = static_cast<std::uint8_t>(value); };
}

}  // namespace

TEST_CASE("extension check: every part is refused by instructions that do not use it") {
  // Which parts they use, from docs/spec/isa.yaml: outer patterns d, 0, 1; columns s, t; reduction
  // r; reversed operands u, v; third immediate i.
  const struct {
    Operation operation;
    unsigned queue;
    std::string parts;
  } cases[] = {{copy(), kVector, "d0"},           {binary(), kVector, "d01"},
               {scalar(), kVector, "d0struv"},    {scalar(), kScalar, "d0stuv"},
               {scalar(), kGpSimd, "d0stuv"},     {activate(), kScalar, "d0str"},
               {activate2(), kScalar, "d0struv"}, {scan(), kVector, "d01suv"},
               {cumulative(), kVector, "d0stu"},  {select(), kVector, "d01sru"},
               {range(), kVector, "d0stri"},      {stt(), kVector, "d01suv"},
               {predicated(), kVector, "d01u"},   {{nop(), {}}, kVector, ""}};
  for (const auto& c : cases) {
    CAPTURE(static_cast<unsigned>(c.operation.opcode()), c.queue);
    taken(c.operation, c.queue);
    const auto part = [&](char name, unsigned detail, const Change& change) {
      if (c.parts.find(name) == std::string::npos) {
        refused(c.operation, c.queue, kField, detail, change);
      } else {
        taken(c.operation, c.queue, change);
      }
    };
    part('d', kDstOuter, [](Operation& o) { o.extension.dst_outer = {1, 0, 0, 0}; });
    part('0', kSrc0Outer, [](Operation& o) { o.extension.src0_outer = {1, 0, 0, 0}; });
    part('1', kSrc1Outer, [](Operation& o) { o.extension.src1_outer = {1, 0, 0, 0}; });
    part('s', kFlags, flags(kExtendScalar0));
    part('t', kFlags, flags(kExtendScalar1));
    part('u', kFlags, flags(kExtendReverse0));
    part('v', kFlags, flags(kExtendReverse1));
    part('i', kImm2 + 2, [](Operation& o) { o.extension.imm2 = 1.0f; });
    if (c.parts.find('r') != std::string::npos) {
      taken(c.operation, c.queue, [](Operation& o) {
        o.extension.reduce_cmd = TERN_REDUCE_CMD_RESET_REDUCE;
        o.extension.reduce_op = TERN_ALU_OP_MAX;
        o.extension.flags = kExtendReduce;
        o.extension.reduce = place(32, 4);
      });
    } else if (c.operation.opcode() != TERN_OPCODE_TENSOR_SCALAR_CUMULATIVE &&
               c.operation.opcode() != TERN_OPCODE_NOP) {
      refused(c.operation, c.queue, kField, kReduceCmd,
              [](Operation& o) { o.extension.reduce_cmd = TERN_REDUCE_CMD_REDUCE; });
      refused(c.operation, c.queue, kField, kFlags, flags(kExtendReduce));
    }
  }
}

TEST_CASE("extension check: columns") {
  const auto column = [](std::uint32_t address) {
    return [=](Operation& o) {
      o.extension.flags = kExtendScalar0;
      o.extension.scalar0 = address;
    };
  };
  taken(scalar(), kVector, column(place(96, 16000 - 4)));
  taken(scalar(), kVector, column(place(0, 16384 - 4, kPsum)));
  refused(scalar(), kVector, kPattern, kScalar0, column(place(96, 16000)));
  refused(scalar(), kVector, kPattern, kScalar0, column(place(96, 2)));
  refused(scalar(), kVector, kPattern, kScalar0, column(place(16, 0)));
  refused(scalar(), kGpSimd, TERN_ERROR_FORBIDDEN_MEMORY, kScalar0, column(place(0, 0, kPsum)));
  refused(scalar(), kVector, kField, kScalar0, [](Operation& o) { o.extension.scalar0 = 4; });
  refused(scalar(), kVector, kField, kScalar1, [](Operation& o) { o.extension.scalar1 = 4; });
  // A scalar has one source only.
  const auto src1 = [](Operation& o) {
    o.instruction.elementwise.src1 = ap(place(0, 0), 1);
    o.instruction.elementwise.src1_dtype = TERN_DTYPE_FP32;
  };
  taken(scalar(), kVector, src1);
  refused(scalar(), kVector, kField, kFlags, [&](Operation& o) {
    src1(o);
    column(0)(o);
  });
  refused(activate(), kScalar, kField, kFlags, [&](Operation& o) {
    src1(o);
    o.extension.flags = kExtendScalar1;
  });
  refused(scalar(), kVector, kField, kFlags, flags(1u << 6));
}

TEST_CASE("extension check: reductions") {
  const auto reduce = [](unsigned command, unsigned op) {
    return [=](Operation& o) {
      o.extension.reduce_cmd = static_cast<std::uint8_t>(command);
      o.extension.reduce_op = static_cast<std::uint8_t>(op);
    };
  };
  for (unsigned op = 0; op < 40; ++op) {
    const bool reducible = op == TERN_ALU_OP_ADD || op == TERN_ALU_OP_MAX ||
                           op == TERN_ALU_OP_MIN || op == TERN_ALU_OP_ABS_MAX ||
                           op == TERN_ALU_OP_ABS_MIN;
    const auto change = reduce(TERN_REDUCE_CMD_REDUCE, op);
    if (reducible) {
      taken(scalar(), kVector, change);
    } else {
      refused(scalar(), kVector, kField, kReduceOp, change);
    }
    if (op == TERN_ALU_OP_MAX) {
      taken(select(), kVector, change);
    } else {
      refused(select(), kVector, kField, kReduceOp, change);
    }
    if (op != 0) refused(cumulative(), kVector, kField, kReduceOp, change);
  }
  refused(scalar(), kVector, kField, kReduceOp, reduce(TERN_REDUCE_CMD_IDLE, TERN_ALU_OP_ADD));
  refused(scalar(), kVector, kField, kReduceCmd, reduce(5, TERN_ALU_OP_ADD));
  refused(cumulative(), kVector, kField, kReduceCmd, reduce(TERN_REDUCE_CMD_RESET, 0));
  refused(scalar(), kVector, kPattern, kReduce, [&](Operation& o) {
    reduce(TERN_REDUCE_CMD_LOAD_REDUCE, TERN_ALU_OP_ADD)(o);
    o.extension.reduce = place(0, 16000);
  });
  refused(scalar(), kVector, kField, kReduce, [](Operation& o) { o.extension.reduce = 4; });
}

TEST_CASE("extension check: patterns that leave their partition in an outer dimension") {
  const auto outer = [](const tern_outer_t& value) {
    return [=](Operation& o) {
      o.extension.dst_outer = value;
      o.instruction.elementwise.src0.num0 = static_cast<std::uint16_t>(
          64 * (value.num2 == 0 ? 1 : value.num2) * (value.num3 == 0 ? 1 : value.num3));
    };
  };
  taken(copy(), kVector, outer({2, 3936, 0, 0}));  // to the last byte: 4 * (3936 + 64) = 16000
  refused(copy(), kVector, kPattern, kDstOuter, outer({2, 3937, 0, 0}));
  refused(copy(), kVector, kPattern, kDstOuter, outer({2, -1, 0, 0}));
  taken(copy(), kVector, outer({0, 0, 2, 3936}));
  refused(copy(), kVector, kPattern, kDstOuter, outer({2, 3000, 3, 500}));
  refused(copy(), kVector, kPattern, kSrc0Outer, [](Operation& o) {
    o.extension.src0_outer = {2, 16000, 0, 0};
  });
  // The count of all dimensions must agree.
  refused(copy(), kVector, kPattern, 12, [](Operation& o) {
    o.extension.dst_outer = {2, 64, 0, 0};
  });
  refused(binary(), kVector, kPattern, 36, [](Operation& o) {
    o.extension.src1_outer = {2, 64, 0, 0};
  });
}

TEST_CASE("extension check: reversed operands need two") {
  const auto unary = [](Operation& o) {
    o.instruction.elementwise.op0 = TERN_ALU_OP_ABS;
    o.extension.flags = kExtendReverse0;
  };
  refused(scalar(), kVector, kField, kFlags, unary);
  refused(activate2(), kScalar, kField, kFlags, [](Operation& o) {
    o.instruction.elementwise.op1 = TERN_ALU_OP_BYPASS;
    o.extension.flags = kExtendReverse1;
  });
}

TEST_CASE("check: operators and formats of the newer instructions") {
  const auto op0 = [](unsigned op) {
    return [=](Operation& o) { o.instruction.elementwise.op0 = static_cast<std::uint8_t>(op); };
  };
  const auto op1 = [](unsigned op) {
    return [=](Operation& o) { o.instruction.elementwise.op1 = static_cast<std::uint8_t>(op); };
  };
  const auto dst = [](unsigned dtype) {
    return [=](Operation& o) {
      o.instruction.elementwise.dst_dtype = static_cast<std::uint8_t>(dtype);
    };
  };
  // Bit operations: Vector, one size, both steps.
  taken(binary(), kVector, op0(TERN_ALU_OP_BIT_XOR));
  refused(binary(), kGpSimd, kField, 48, op0(TERN_ALU_OP_BIT_XOR));
  refused(binary(), kVector, kField, 48, op0(TERN_ALU_OP_BIT_NOT));
  refused(binary(), kVector, TERN_ERROR_BAD_DTYPE, 51, [&](Operation& o) {
    op0(TERN_ALU_OP_BIT_AND)(o);
    dst(TERN_DTYPE_BF16)(o);
  });
  refused(scalar(), kVector, kField, 49, op0(TERN_ALU_OP_BIT_AND));  // then a float one
  refused(scalar(), kVector, kField, 49, op1(TERN_ALU_OP_BIT_AND));
  refused(stt(), kVector, kField, 48, op0(TERN_ALU_OP_BIT_AND));
  // Pairs of activate2.
  refused(activate2(), kScalar, kField, 49, op0(TERN_ALU_OP_ADD));
  refused(activate2(), kScalar, kField, 48, op0(TERN_ALU_OP_MAX));
  // Two tiles in PSUM cannot be scanned; 32-bit integers cannot be accumulated.
  refused(scan(), kVector, TERN_ERROR_FORBIDDEN_MEMORY, 36, [](Operation& o) {
    o.instruction.elementwise.src0 = psum().pattern;
    o.instruction.elementwise.src1 = psum().pattern;
  });
  refused(cumulative(), kVector, TERN_ERROR_BAD_DTYPE, 50, dst(TERN_DTYPE_INT32));
  refused(cumulative(), kVector, kField, 49, op1(TERN_ALU_OP_IS_EQ));
  refused(range(), kVector, kField, 48, op0(TERN_ALU_OP_ADD));
  // Every activation function; the slope is prelu's only.
  for (unsigned function = 0; function <= TERN_ACT_FUNC_RECIPROCAL; ++function) {
    taken(activate(), kScalar, op0(function));
  }
  taken(activate(), kScalar, [&](Operation& o) {
    op0(TERN_ACT_FUNC_PRELU)(o);
    o.extension.imm2 = 0.25f;
  });
  // How many dimensions tensor_reduce reduces.
  const auto dimensions = [](float value) {
    return [=](Operation& o) {
      o.instruction.elementwise.op0 = TERN_ALU_OP_ADD;
      o.instruction.elementwise.imm0 = value;
      o.instruction.elementwise.dst = ap(place(0, 0), 1);
    };
  };
  for (float good : {0.0f, 1.0f, 4.0f}) {
    taken(operation(TERN_OPCODE_TENSOR_REDUCE), kVector, dimensions(good));
  }
  for (float bad : {-1.0f, 0.5f, 5.0f}) {
    refused(operation(TERN_OPCODE_TENSOR_REDUCE), kVector, kField, 56, dimensions(bad));
  }
  // PSUM takes any format of 4 bytes.
  refused(copy(), kVector, TERN_ERROR_BAD_DTYPE, 50, [&](Operation& o) {
    o.instruction.elementwise.dst = psum().pattern;
    dst(TERN_DTYPE_E4M3)(o);
  });
  taken(copy(), kVector, [&](Operation& o) {
    o.instruction.elementwise.dst = psum().pattern;
    dst(TERN_DTYPE_UINT32)(o);
  });
  refused(copy(), kGpSimd, TERN_ERROR_FORBIDDEN_MEMORY, 24,
          [](Operation& o) { o.instruction.elementwise.src0 = psum().pattern; });
}

TEST_CASE("check: what a chip without the newer features refuses") {
  CoreLimits old = limits();
  old.tensor.e4m3fn = false;
  old.scalar = {false, false};
  const auto code = [&](const Operation& o, unsigned queue) {
    const auto fault = check_instruction(o, queue, old);
    return fault ? fault->code : 0u;
  };
  Operation fp8 = copy();
  fp8.instruction.elementwise.dst_dtype = TERN_DTYPE_E4M3;
  CHECK(code(fp8, kVector) == 0);
  fp8.instruction.elementwise.dst_dtype = TERN_DTYPE_E4M3FN;
  CHECK(code(fp8, kVector) == TERN_ERROR_NOT_MODELLED);
  CHECK(code(activate2(), kScalar) == TERN_ERROR_NOT_MODELLED);
  CHECK(code(scalar(), kVector) == 0);
  CHECK(code(scalar(), kScalar) == TERN_ERROR_NOT_MODELLED);  // add, then multiply
  Operation affine = scalar();
  affine.instruction.elementwise.op0 = TERN_ALU_OP_MULTIPLY;
  affine.instruction.elementwise.op1 = TERN_ALU_OP_ADD;
  CHECK(code(affine, kScalar) == 0);
}
