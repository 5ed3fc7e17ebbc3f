// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <functional>

#include "systemc/core/instruction_check.h"
#include "tb/core/bench/program.h"

using namespace tern;
using namespace tern::tb;

namespace {

constexpr std::uint32_t kSbufBytes = 1000 * 16;  // not a power of two
CoreLimits limits() {
  return {kSbufBytes, 16384, 2048, {}};
}

using Change = std::function<void(tern_instruction_t&)>;

// The code an instruction is refused with after a change, and the byte (or opcode) named.
void refused(tern_instruction_t in, unsigned queue, unsigned code, unsigned detail,
             const Change& change) {
  change(in);
  const auto fault = check_instruction(in, queue, limits());
  INFO("expected code " << code << " detail " << detail);
  REQUIRE(fault.has_value());
  CHECK(fault->code == code);
  CHECK(fault->detail == detail);
}
void taken(
    tern_instruction_t in, unsigned queue, const Change& change = [](tern_instruction_t&) {}) {
  change(in);
  const auto fault = check_instruction(in, queue, limits());
  if (fault) INFO("code " << fault->code << " detail " << fault->detail);
  CHECK_FALSE(fault.has_value());
}

Operand bf16(unsigned partition, unsigned byte, unsigned n) {
  return {ap(place(partition, byte), n), TERN_DTYPE_BF16};
}
Operand fp32(unsigned partition, unsigned byte, unsigned n) {
  return {ap(place(partition, byte), n), TERN_DTYPE_FP32};
}
Operand psum(unsigned partition, unsigned byte, unsigned n) {
  return {ap(place(partition, byte, kPsum), n), TERN_DTYPE_FP32};
}

tern_instruction_t copy() {
  return elementwise(TERN_OPCODE_TENSOR_COPY, 128, bf16(0, 0, 64), psum(0, 0, 64));
}
tern_instruction_t binary() {
  return elementwise(TERN_OPCODE_TENSOR_TENSOR, 128, bf16(0, 0, 64), bf16(0, 512, 64),
                     psum(0, 0, 64), TERN_ALU_OP_ADD);
}
tern_instruction_t scalar() {
  return elementwise(TERN_OPCODE_TENSOR_SCALAR, 128, bf16(0, 0, 64), bf16(0, 512, 64), {},
                     TERN_ALU_OP_ADD, TERN_ALU_OP_MULTIPLY, 1, 2);
}
tern_instruction_t reduce() {
  return elementwise(TERN_OPCODE_TENSOR_REDUCE, 128, {ap(place(0, 0), 4), TERN_DTYPE_FP32},
                     {ap(place(0, 64), 16, 1, 4, 16), TERN_DTYPE_BF16}, {}, TERN_ALU_OP_MAX);
}
tern_instruction_t fill() {
  return elementwise(TERN_OPCODE_MEMSET, 128, bf16(0, 0, 64), {}, {}, 0, 0, 3.0f);
}
tern_instruction_t activate() {
  return elementwise(TERN_OPCODE_ACTIVATION, 128, bf16(0, 0, 64), psum(0, 0, 64), fp32(0, 4096, 1),
                     TERN_ACT_FUNC_EXP, 0, 1.0f);
}
tern_instruction_t load() {
  return load_stationary(ap(place(0, 0), 128), 128, 128);
}

}  // namespace

TEST_CASE("check: opcodes and their queues") {
  for (unsigned opcode = 0; opcode < 256; ++opcode) {
    for (unsigned queue = 0; queue < TERN_QUEUE_COUNT; ++queue) {
      const auto fault = check_instruction(plain(opcode), queue, limits());
      // By hand: control everywhere, matrix work on tensor, the rest by engine.
      const bool vector = queue == TERN_QUEUE_VECTOR, gpsimd = queue == TERN_QUEUE_GPSIMD;
      const bool on_both = opcode == 0x21 || opcode == 0x22 || opcode == 0x23 || opcode == 0x25 ||
                           (opcode >= 0x39 && opcode <= 0x3c);
      bool executes = opcode == 1 || opcode == 2 || (opcode >= 4 && opcode <= 9);
      executes |= opcode == 3 && queue != TERN_QUEUE_TENSOR;
      executes |=
          opcode == 0x0a && (gpsimd || queue == TERN_QUEUE_SCALAR || queue == TERN_QUEUE_SYNC);
      executes |= opcode == 0x0b && gpsimd;
      executes |= opcode >= 0x10 && opcode <= 0x12 && queue == TERN_QUEUE_TENSOR;
      executes |=
          queue == TERN_QUEUE_SCALAR && (opcode == 0x20 || opcode == 0x21 || opcode == 0x23 ||
                                         opcode == 0x29 || (opcode >= 0x3a && opcode <= 0x3c));
      executes |= vector && opcode >= 0x21 && opcode <= 0x3d && opcode != 0x29;
      executes |= gpsimd && (on_both || (opcode >= 0x40 && opcode <= 0x4a));
      const bool refused_opcode =
          fault && fault->code == TERN_ERROR_ILLEGAL_OPCODE && fault->detail == opcode;
      CHECK(refused_opcode == !executes);
    }
  }
}

TEST_CASE("check: header") {
  const unsigned q = TERN_QUEUE_SYNC;
  taken(nop(), q);
  taken(nop(), q, [](auto& in) { in.header.wait_cond = TERN_WAIT_COND_LT; });
  taken(nop(), q, [](auto& in) { in = waits(in, TERN_WAIT_COND_EVENT, 255, 1); });
  refused(nop(), q, TERN_ERROR_ILLEGAL_FIELD, 4,
          [](auto& in) { in = waits(in, TERN_WAIT_COND_EVENT, 0, 2); });
  refused(nop(), q, TERN_ERROR_ILLEGAL_FIELD, 1, [](auto& in) { in.header.wait_cond = 8; });
  refused(nop(), q, TERN_ERROR_ILLEGAL_FIELD, 8, [](auto& in) { in.header.upd_op = 8; });
  taken(nop(), q, [](auto& in) { in.header.upd_when = TERN_UPD_WHEN_READ; });
  refused(nop(), q, TERN_ERROR_ILLEGAL_FIELD, 9, [](auto& in) { in.header.upd_when = 2; });
}

TEST_CASE("check: bytes that no field names are zero") {
  for (unsigned byte = 12; byte < 64; ++byte) {
    refused(nop(), TERN_QUEUE_SYNC, TERN_ERROR_ILLEGAL_FIELD, byte,
            [=](auto& in) { in.bytes[byte] = 1; });
    refused(halt(), TERN_QUEUE_SYNC, TERN_ERROR_ILLEGAL_FIELD, byte,
            [=](auto& in) { in.bytes[byte] = 0x80; });
  }
  for (unsigned byte = 46; byte < 64; ++byte) {
    refused(dma_trigger(0, 1), TERN_QUEUE_SYNC, TERN_ERROR_ILLEGAL_FIELD, byte,
            [=](auto& in) { in.bytes[byte] = 1; });
  }
}

TEST_CASE("check: dma_trigger") {
  const unsigned q = TERN_QUEUE_GPSIMD;
  taken(dma_trigger(15, 0xFFFF), q);
  refused(dma_trigger(16, 1), q, TERN_ERROR_ILLEGAL_FIELD, 12, [](auto&) {});
  refused(dma_trigger(0, 1), q, TERN_ERROR_ILLEGAL_FIELD, 13,
          [](auto& in) { in.dma_trigger.reserved = 1; });
}

TEST_CASE("check: start partitions") {
  for (unsigned partitions = 1; partitions <= 128; ++partitions) {
    for (unsigned start = 0; start < 128; ++start) {
      // The rule in words, 1.3 of the public documents' summary.
      const bool allowed = partitions > 64   ? start == 0
                           : partitions > 32 ? start == 0 || start == 64
                                             : start % 32 == 0;
      auto in = fill();
      in.elementwise.partitions = static_cast<std::uint8_t>(partitions);
      in.elementwise.dst.addr = place(start, 0);
      const auto fault = check_instruction(in, TERN_QUEUE_VECTOR, limits());
      CHECK(fault.has_value() == !allowed);
      if (fault) CHECK(fault->code == TERN_ERROR_BAD_ACCESS_PATTERN);

      auto weights = load();
      weights.load_stationary.rows = static_cast<std::uint8_t>(partitions);
      weights.load_stationary.src.addr = place(start, 0);
      CHECK(check_instruction(weights, TERN_QUEUE_TENSOR, limits()).has_value() == !allowed);
    }
  }
}

TEST_CASE("check: element-wise operands") {
  const unsigned q = TERN_QUEUE_VECTOR;
  const unsigned pattern = TERN_ERROR_BAD_ACCESS_PATTERN;
  for (const auto& in : {copy(), binary(), scalar(), reduce(), fill()}) taken(in, q);
  taken(activate(), TERN_QUEUE_SCALAR);
  taken(copy(), TERN_QUEUE_SCALAR);
  refused(copy(), q, TERN_ERROR_ILLEGAL_FIELD, 54, [](auto& in) { in.elementwise.reserved = 1; });
  refused(copy(), q, TERN_ERROR_ILLEGAL_FIELD, 53, [](auto& in) { in.elementwise.partitions = 0; });
  refused(copy(), q, TERN_ERROR_ILLEGAL_FIELD, 53,
          [](auto& in) { in.elementwise.partitions = 129; });
  for (unsigned dtype : {0u, 1u, 11u, 17u, 255u}) {
    refused(copy(), q, TERN_ERROR_BAD_DTYPE, 50,
            [=](auto& in) { in.elementwise.dst_dtype = static_cast<std::uint8_t>(dtype); });
    refused(scalar(), q, TERN_ERROR_BAD_DTYPE, 51,
            [=](auto& in) { in.elementwise.src0_dtype = static_cast<std::uint8_t>(dtype); });
    refused(binary(), q, TERN_ERROR_BAD_DTYPE, 52,
            [=](auto& in) { in.elementwise.src1_dtype = static_cast<std::uint8_t>(dtype); });
  }
  // PSUM is read in any format and written in FP32.
  taken(copy(), q, [](auto& in) { in.elementwise.src0_dtype = TERN_DTYPE_BF16; });
  refused(copy(), q, TERN_ERROR_BAD_DTYPE, 50,
          [](auto& in) { in.elementwise.dst.addr = place(0, 4096, kPsum); });
  // To the last byte of a partition and one element beyond it.
  taken(copy(), q, [](auto& in) { in.elementwise.dst.addr = kSbufBytes - 128; });
  refused(copy(), q, pattern, 12, [](auto& in) { in.elementwise.dst.addr = kSbufBytes - 126; });
  refused(copy(), q, pattern, 12, [](auto& in) { in.elementwise.dst.addr = 1; });
  refused(copy(), q, pattern, 24,
          [](auto& in) { in.elementwise.src0.addr = place(0, 16384 - 252, kPsum); });
  refused(copy(), q, pattern, 24, [](auto& in) { in.elementwise.src0.step0 = -1; });
  taken(copy(), q, [](auto& in) { in.elementwise.src0 = ap(place(0, 252, kPsum), 64, -1); });
  taken(copy(), q, [](auto& in) { in.elementwise.src0 = ap(place(0, 0, kPsum), 8, 0, 8, 1); });
  refused(copy(), q, pattern, 24,
          [](auto& in) { in.elementwise.src0 = ap(place(0, 0, kPsum), 0); });
  // A broadcast of more elements than any partition holds.
  refused(copy(), q, pattern, 12, [](auto& in) { in.elementwise.dst = ap(0, 65535, 0, 65535, 0); });
  // Operands of different sizes.
  refused(copy(), q, pattern, 12, [](auto& in) { in.elementwise.dst.num0 = 63; });
  refused(binary(), q, pattern, 36, [](auto& in) { in.elementwise.src1.num0 = 63; });
  refused(reduce(), q, pattern, 12, [](auto& in) { in.elementwise.dst.num0 = 16; });
  // Per-partition scalars are one FP32.
  refused(activate(), TERN_QUEUE_SCALAR, TERN_ERROR_BAD_DTYPE, 52,
          [](auto& in) { in.elementwise.src1_dtype = TERN_DTYPE_BF16; });
  refused(activate(), TERN_QUEUE_SCALAR, pattern, 36,
          [](auto& in) { in.elementwise.src1.num0 = 2; });
  // Operands that are not used are absent.
  refused(copy(), q, TERN_ERROR_BAD_DTYPE, 52,
          [](auto& in) { in.elementwise.src1_dtype = TERN_DTYPE_BF16; });
  refused(copy(), q, TERN_ERROR_ILLEGAL_FIELD, 40, [](auto& in) { in.elementwise.src1.num0 = 1; });
  refused(scalar(), q, TERN_ERROR_ILLEGAL_FIELD, 36,
          [](auto& in) { in.elementwise.src1.addr = 8; });
  refused(fill(), q, TERN_ERROR_BAD_DTYPE, 51,
          [](auto& in) { in.elementwise.src0_dtype = TERN_DTYPE_BF16; });
}

TEST_CASE("check: operators") {
  const unsigned q = TERN_QUEUE_VECTOR;
  const auto op0 = [](unsigned op) {
    return [=](tern_instruction_t& in) { in.elementwise.op0 = static_cast<std::uint8_t>(op); };
  };
  const auto op1 = [](unsigned op) {
    return [=](tern_instruction_t& in) { in.elementwise.op1 = static_cast<std::uint8_t>(op); };
  };
  for (unsigned op = 0; op <= TERN_ALU_OP_IS_LT; ++op) {
    taken(binary(), q, op0(op));
    taken(scalar(), q, op0(op));
    taken(scalar(), q, op1(op));
    if (op == TERN_ALU_OP_BYPASS || op >= TERN_ALU_OP_IS_EQ) {
      refused(reduce(), q, TERN_ERROR_ILLEGAL_FIELD, 48, op0(op));
    } else {
      taken(reduce(), q, op0(op));
    }
    if (op != TERN_ALU_OP_BYPASS && op != TERN_ALU_OP_SUBTRACT)
      refused(reduce(), q, TERN_ERROR_ILLEGAL_FIELD, 49, op1(op));
    if (op != 0) {
      refused(copy(), q, TERN_ERROR_ILLEGAL_FIELD, 48, op0(op));
      refused(copy(), q, TERN_ERROR_ILLEGAL_FIELD, 49, op1(op));
      refused(binary(), q, TERN_ERROR_ILLEGAL_FIELD, 49, op1(op));
      refused(fill(), q, TERN_ERROR_ILLEGAL_FIELD, 48, op0(op));
      refused(activate(), TERN_QUEUE_SCALAR, TERN_ERROR_ILLEGAL_FIELD, 49, op1(op));
    }
  }
  taken(reduce(), q, op1(TERN_ALU_OP_SUBTRACT));
  for (unsigned op : {TERN_ALU_OP_ABS_MAX, TERN_ALU_OP_LOGICAL_XOR}) {
    taken(binary(), q, op0(op));
    taken(scalar(), q, op1(op));
    taken(reduce(), q, op0(op));
  }
  for (unsigned op : {TERN_ALU_OP_ABS, TERN_ALU_OP_RECIPROCAL}) {  // of one operand
    refused(binary(), q, TERN_ERROR_ILLEGAL_FIELD, 48, op0(op));
    taken(scalar(), q, op1(op));
    refused(reduce(), q, TERN_ERROR_ILLEGAL_FIELD, 48, op0(op));
  }
  refused(binary(), q, TERN_ERROR_ILLEGAL_FIELD, 48, op0(TERN_ALU_OP_POWER));
  taken(binary(), TERN_QUEUE_GPSIMD, [](auto& in) {
    in.elementwise.op0 = TERN_ALU_OP_POWER;
    in.elementwise.src1 = in.elementwise.src0;
    in.elementwise.src1_dtype = TERN_DTYPE_BF16;
  });
  refused(binary(), q, TERN_ERROR_ILLEGAL_FIELD, 48, op0(TERN_ALU_OP_RECIPROCAL + 1));
  refused(scalar(), q, TERN_ERROR_ILLEGAL_FIELD, 49, op1(TERN_ALU_OP_SHIFT_RIGHT + 1));
  refused(activate(), TERN_QUEUE_SCALAR, TERN_ERROR_ILLEGAL_FIELD, 48,
          op0(TERN_ACT_FUNC_RECIPROCAL + 1));
}

TEST_CASE("check: exponential") {
  const auto exp = [] {
    return elementwise(TERN_OPCODE_EXPONENTIAL, 4, {ap(place(0, 0), 8), TERN_DTYPE_BF16},
                       {ap(place(0, 64), 8), TERN_DTYPE_FP32});
  };
  const unsigned q = TERN_QUEUE_VECTOR;
  taken(exp(), q);
  refused(exp(), TERN_QUEUE_SCALAR, TERN_ERROR_ILLEGAL_OPCODE, TERN_OPCODE_EXPONENTIAL,
          [](auto&) {});
  refused(exp(), q, TERN_ERROR_BAD_DTYPE, 51,
          [](auto& in) { in.elementwise.src0_dtype = TERN_DTYPE_INT32; });
  refused(exp(), q, TERN_ERROR_BAD_DTYPE, 50,
          [](auto& in) { in.elementwise.dst_dtype = TERN_DTYPE_UINT8; });
  refused(exp(), q, TERN_ERROR_ILLEGAL_FIELD, 48, [](auto& in) { in.elementwise.op0 = 1; });
  refused(exp(), q, TERN_ERROR_BAD_ACCESS_PATTERN, 12,
          [](auto& in) { in.elementwise.dst.num0 = 7; });
  taken(exp(), q, [](auto& in) {
    in.elementwise.src1 = ap(place(0, 128), 1);
    in.elementwise.src1_dtype = TERN_DTYPE_FP32;
  });
  refused(exp(), q, TERN_ERROR_BAD_DTYPE, 52, [](auto& in) {
    in.elementwise.src1 = ap(place(0, 128), 1);
    in.elementwise.src1_dtype = TERN_DTYPE_BF16;
  });
  // Sums only.
  Operation sums{exp(), {}};
  sums.extension.reduce_cmd = TERN_REDUCE_CMD_RESET_REDUCE;
  sums.extension.reduce_op = TERN_ALU_OP_ADD;
  CHECK_FALSE(check_instruction(sums, q, limits()));
  sums.extension.reduce_op = TERN_ALU_OP_MAX;
  const auto fault = check_instruction(sums, q, limits());
  REQUIRE(fault);
  CHECK(fault->code == TERN_ERROR_ILLEGAL_FIELD);
  CHECK(fault->detail == 64 + offsetof(tern_instr_extend_t, reduce_op));
}
