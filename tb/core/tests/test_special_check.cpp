// SPDX-License-Identifier: Apache-2.0
// What check_instruction() refuses of the special instructions.
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "systemc/core/instruction_check.h"
#include "tb/core/bench/special_bench.h"

using namespace tern;
using namespace tern::tb;

namespace {

constexpr unsigned kVector = TERN_QUEUE_VECTOR, kGpsimd = TERN_QUEUE_GPSIMD;
constexpr unsigned kField = TERN_ERROR_ILLEGAL_FIELD, kPattern = TERN_ERROR_BAD_ACCESS_PATTERN,
                   kType = TERN_ERROR_BAD_DTYPE, kMemory = TERN_ERROR_FORBIDDEN_MEMORY;
// Bytes of the fields.
constexpr unsigned kDst = 12, kSrc0 = 24, kSrc1 = 36, kOp0 = 48, kOp1 = 49, kDstType = 50,
                   kSrc0Type = 51, kSrc1Type = 52, kPartitions = 53, kImm0 = 56, kImm1 = 60;

CoreLimits limits() {
  CoreLimits limits;
  limits.sbuf_bytes = 256 * 1024;
  return limits;
}

using Change = std::function<void(Operation&)>;

void taken(
    const tern_instruction_t& in, unsigned queue, const Change& change = [](Operation&) {}) {
  Operation operation{in, {}};
  change(operation);
  const auto fault = check_instruction(operation, queue, limits());
  if (fault) FAIL("refused with code " << fault->code << " detail " << fault->detail);
}
void refused(const tern_instruction_t& in, unsigned queue, unsigned code, unsigned detail,
             const Change& change) {
  Operation operation{in, {}};
  change(operation);
  const auto fault = check_instruction(operation, queue, limits());
  INFO("opcode " << unsigned{in.header.opcode} << ": expected code " << code << " detail "
                 << detail);
  REQUIRE(fault.has_value());
  CHECK(fault->code == code);
  CHECK(fault->detail == detail);
}

Operand fp32(unsigned byte, unsigned n) {
  return contiguous(0, byte, n, TERN_DTYPE_FP32);
}
Operand typed(unsigned byte, unsigned n, unsigned dtype) {
  return contiguous(0, byte, n, dtype);
}

// A good instruction of every kind, with its queue.
struct Good {
  tern_instruction_t in;
  unsigned queue;
};
Good good(unsigned opcode) {
  const auto make = [opcode](const Operand& dst, const Operand& src0, const Operand& src1 = {},
                             unsigned partitions = 32, unsigned op0 = 0, unsigned op1 = 0,
                             float imm0 = 0, float imm1 = 0) {
    return elementwise(opcode, partitions, dst, src0, src1, op0, op1, imm0, imm1);
  };
  switch (opcode) {
    case TERN_OPCODE_BN_STATS:
      return {make(fp32(0, 6), fp32(64, 512)), kVector};
    case TERN_OPCODE_BN_AGGR:
      return {make(fp32(0, 2), fp32(64, 12)), kVector};
    case TERN_OPCODE_MAX8:
      return {make(fp32(0, 8), fp32(64, 16384)), kVector};
    case TERN_OPCODE_FIND_INDEX8:
      return {make(typed(0, 8, TERN_DTYPE_UINT16), fp32(64, 8), fp32(128, 8)), kVector};
    case TERN_OPCODE_MATCH_REPLACE8:
      return {make(fp32(0, 9), fp32(64, 9), fp32(128, 8), 32, 0, 0, -1), kVector};
    case TERN_OPCODE_VECTOR_TRANSPOSE:
      return {make(fp32(0, 20), fp32(256, 7), {}, 20), kVector};
    case TERN_OPCODE_DROPOUT:
      return {make(fp32(0, 9), fp32(64, 9), {}, 32, 0, 0, 0.5f), kVector};
    case TERN_OPCODE_RNG:
      return {make(typed(0, 9, TERN_DTYPE_INT32), {}), kVector};
    case TERN_OPCODE_SET_RNG_SEED:
      return {make({}, typed(0, 1, TERN_DTYPE_UINT32), {}, 1), kVector};
    case TERN_OPCODE_RAND_SET_STATE:
      return {make({}, typed(0, 24, TERN_DTYPE_UINT32)), kVector};
    case TERN_OPCODE_RAND_GET_STATE:
      return {make(typed(0, 6, TERN_DTYPE_UINT32), {}), kGpsimd};
    case TERN_OPCODE_RAND2:
      return {make(fp32(0, 9), {}, {}, 32, 0, 0, -1, 1), kVector};
    case TERN_OPCODE_LOCAL_GATHER:
      return {make(fp32(0, 96), fp32(1024, 50), typed(4096, 3, TERN_DTYPE_UINT16), 32, 0, 2),
              kGpsimd};
    case TERN_OPCODE_N_GATHER:
      return {make(fp32(0, 9), fp32(1024, 50), typed(4096, 9, TERN_DTYPE_UINT32)), kGpsimd};
    case TERN_OPCODE_NONZERO_WITH_COUNT:
      return {make(typed(0, 10, TERN_DTYPE_INT32), fp32(1024, 9), {}, 32, 0, 0, -1, 100), kGpsimd};
    case TERN_OPCODE_SEQUENCE_BOUNDS:
      return {make(fp32(0, 18), fp32(1024, 9)), kGpsimd};
    case TERN_OPCODE_TOPK:
      return {make(typed(0, 2, TERN_DTYPE_BF16), typed(1024, 7, TERN_DTYPE_BF16),
                   typed(2048, 2, TERN_DTYPE_UINT32), 32, 0, 0, 100, 20),
              kGpsimd};
    case TERN_OPCODE_TENSOR_PARTITION_REDUCE:
      return {make(fp32(0, 9), fp32(1024, 9), {}, 128, TERN_ALU_OP_MAX), kGpsimd};
    case TERN_OPCODE_STREAM_SHUFFLE:
      return {shuffle(place(0, 0), place(0, 1024), 9, TERN_DTYPE_BF16, 96, {}), kVector};
    case TERN_OPCODE_IOTA:
      return {affine(TERN_OPCODE_IOTA, 32, fp32(0, 9), {}, {1, 2, {3, 0, 0, 0}}), kGpsimd};
    default:
      return {affine(TERN_OPCODE_AFFINE_SELECT, 32, fp32(0, 9), fp32(64, 9), {1, 2, {3, 0, 0, 0}},
                     TERN_ALU_OP_IS_LT, 5.0f),
              kGpsimd};
  }
}

// Refusals after a change of the good one.
void bad(unsigned opcode, unsigned code, unsigned detail, const Change& change) {
  const Good g = good(opcode);
  refused(g.in, g.queue, code, detail, change);
}
Change set(std::function<void(tern_instr_elementwise_t&)> change) {
  return [change](Operation& operation) { change(operation.instruction.elementwise); };
}
Change set_byte(unsigned byte, unsigned value) {
  return [=](Operation& operation) {
    operation.instruction.bytes[byte] = static_cast<std::uint8_t>(value);
  };
}

constexpr unsigned kElementwise[] = {TERN_OPCODE_BN_STATS,
                                     TERN_OPCODE_BN_AGGR,
                                     TERN_OPCODE_MAX8,
                                     TERN_OPCODE_FIND_INDEX8,
                                     TERN_OPCODE_MATCH_REPLACE8,
                                     TERN_OPCODE_VECTOR_TRANSPOSE,
                                     TERN_OPCODE_DROPOUT,
                                     TERN_OPCODE_RNG,
                                     TERN_OPCODE_SET_RNG_SEED,
                                     TERN_OPCODE_RAND_SET_STATE,
                                     TERN_OPCODE_RAND_GET_STATE,
                                     TERN_OPCODE_RAND2,
                                     TERN_OPCODE_LOCAL_GATHER,
                                     TERN_OPCODE_N_GATHER,
                                     TERN_OPCODE_NONZERO_WITH_COUNT,
                                     TERN_OPCODE_SEQUENCE_BOUNDS,
                                     TERN_OPCODE_TOPK,
                                     TERN_OPCODE_TENSOR_PARTITION_REDUCE};
constexpr unsigned kOthers[] = {TERN_OPCODE_STREAM_SHUFFLE, TERN_OPCODE_IOTA,
                                TERN_OPCODE_AFFINE_SELECT};

}  // namespace

TEST_CASE("special check: the good ones are taken") {
  for (unsigned opcode : kElementwise) taken(good(opcode).in, good(opcode).queue);
  for (unsigned opcode : kOthers) taken(good(opcode).in, good(opcode).queue);
}

TEST_CASE("special check: fields that must be zero, partitions, types") {
  for (unsigned opcode : kElementwise) {
    bad(opcode, kField, 54, set_byte(54, 1));
    bad(opcode, kField, kPartitions, set_byte(kPartitions, 0));
    bad(opcode, kField, kPartitions, set_byte(kPartitions, 129));
    const Good g = good(opcode);
    if (g.in.elementwise.dst_dtype == TERN_DTYPE_NONE) {
      bad(opcode, kType, kDstType, set_byte(kDstType, TERN_DTYPE_FP32));
      bad(opcode, kField, kDst, set_byte(kDst, 4));
    } else {
      bad(opcode, kType, kDstType, set_byte(kDstType, TERN_DTYPE_E8M0));
      bad(opcode, kPattern, kDst, set([](auto& in) { in.dst.num0 = 0; }));
    }
    if (g.in.elementwise.src0_dtype == TERN_DTYPE_NONE) {
      bad(opcode, kType, kSrc0Type, set_byte(kSrc0Type, TERN_DTYPE_FP32));
      bad(opcode, kField, kSrc0 + 4, set_byte(kSrc0 + 4, 1));
    }
    if (g.in.elementwise.src1_dtype == TERN_DTYPE_NONE) {
      bad(opcode, kType, kSrc1Type, set_byte(kSrc1Type, TERN_DTYPE_FP32));
      bad(opcode, kField, kSrc1 + 4, set_byte(kSrc1 + 4, 1));
    }
    if (opcode != TERN_OPCODE_TENSOR_PARTITION_REDUCE) {
      bad(opcode, kField, kOp0, set_byte(kOp0, TERN_ALU_OP_MIN));
    }
    // No accumulators, no stochastic rounding.
    bad(opcode, kField, 64 + 53, [](Operation& o) { o.extension.reduce_cmd = 2; });
    bad(opcode, kField, 64 + 52, [](Operation& o) { o.extension.flags = 1u << 5; });
    if (g.queue == kGpsimd) {
      bad(opcode, kMemory, kDst, set([](auto& in) { in.dst.addr |= kPsum; }));
    }
  }
}

TEST_CASE("special check: numbers of elements") {
  bad(TERN_OPCODE_BN_STATS, kPattern, kSrc0, set([](auto& in) { in.src0.num0 = 513; }));
  bad(TERN_OPCODE_BN_STATS, kPattern, kDst, set([](auto& in) { in.dst.num0 = 5; }));
  bad(TERN_OPCODE_BN_STATS, kType, kDstType, set_byte(kDstType, TERN_DTYPE_INT32));
  bad(TERN_OPCODE_BN_AGGR, kPattern, kSrc0, set([](auto& in) { in.src0.num0 = 13; }));
  for (unsigned opcode : {TERN_OPCODE_MAX8, TERN_OPCODE_FIND_INDEX8}) {
    bad(opcode, kPattern, kSrc0, set([](auto& in) { in.src0.num0 = 7; }));
    bad(opcode, kPattern, kSrc0, set([](auto& in) { in.src0.num0 = 16385; }));
    bad(opcode, kPattern, kDst, set([](auto& in) { in.dst.num0 = 7; }));
  }
  bad(TERN_OPCODE_FIND_INDEX8, kPattern, kSrc1, set([](auto& in) { in.src1.num0 = 9; }));
  bad(TERN_OPCODE_FIND_INDEX8, kType, kDstType, set_byte(kDstType, TERN_DTYPE_INT32));
  bad(TERN_OPCODE_MATCH_REPLACE8, kPattern, kSrc1, set([](auto& in) { in.src1.num0 = 7; }));
  bad(TERN_OPCODE_MATCH_REPLACE8, kPattern, kDst, set([](auto& in) { in.dst.num0 = 8; }));
  bad(TERN_OPCODE_MATCH_REPLACE8, kField, kImm1 + 2, set([](auto& in) { in.imm1 = 1; }));
  bad(TERN_OPCODE_DROPOUT, kPattern, kDst, set([](auto& in) { in.dst.num0 = 8; }));
}

TEST_CASE("special check: random numbers") {
  bad(TERN_OPCODE_RNG, kType, kDstType, set_byte(kDstType, TERN_DTYPE_FP32));
  bad(TERN_OPCODE_SET_RNG_SEED, kField, kPartitions, set_byte(kPartitions, 2));
  bad(TERN_OPCODE_SET_RNG_SEED, kPattern, kSrc0, set([](auto& in) { in.src0.num0 = 2; }));
  bad(TERN_OPCODE_SET_RNG_SEED, kType, kSrc0Type, set_byte(kSrc0Type, TERN_DTYPE_FP32));
  bad(TERN_OPCODE_RAND_SET_STATE, kPattern, kSrc0, set([](auto& in) { in.src0.num0 = 6; }));
  bad(TERN_OPCODE_RAND_SET_STATE, kType, kSrc0Type, set_byte(kSrc0Type, TERN_DTYPE_INT32));
  bad(TERN_OPCODE_RAND_GET_STATE, kPattern, kDst, set([](auto& in) { in.dst.num0 = 24; }));
  bad(TERN_OPCODE_RAND2, kType, kDstType, set_byte(kDstType, TERN_DTYPE_BF16));
  bad(TERN_OPCODE_RAND2, kField, kImm1, set([](auto& in) { in.imm1 = -1; }));
  bad(TERN_OPCODE_RAND2, kField, kImm0, set([](auto& in) { in.imm0 = -INFINITY; }));
  bad(TERN_OPCODE_RAND2, kField, kImm1, set([](auto& in) {
        in.imm0 = -3e38f;
        in.imm1 = 3e38f;
      }));
  taken(good(TERN_OPCODE_RAND2).in, kVector, [](Operation& o) {
    o.extension.flags = 2;
    o.extension.scalar1 = place(0, 64);
    o.instruction.elementwise.imm1 = 0;
    o.instruction.elementwise.imm0 = 9;
  });
}

TEST_CASE("special check: movement between partitions") {
  const unsigned shuffle_opcode = TERN_OPCODE_STREAM_SHUFFLE;
  bad(shuffle_opcode, kField, 23, set_byte(23, 33));
  bad(shuffle_opcode, kField, 23, set_byte(23, 0));
  bad(shuffle_opcode, kField, 24 + 31, set_byte(24 + 31, 32));
  taken(good(shuffle_opcode).in, kVector, set_byte(24 + 31, 255));
  bad(shuffle_opcode, kField, 56, set_byte(56, 1));
  bad(shuffle_opcode, kType, 22, set_byte(22, TERN_DTYPE_E2M1));
  bad(shuffle_opcode, kPattern, 12, set_byte(12, 1));
  bad(shuffle_opcode, kPattern, 12, [](Operation& o) { o.instruction.shuffle.num = 0; });
  bad(shuffle_opcode, kType, 22, [](Operation& o) { o.instruction.shuffle.dst |= kPsum; });
  bad(shuffle_opcode, kPattern, 16, [](Operation& o) { o.instruction.shuffle.src = place(32, 0); });
  bad(shuffle_opcode, kField, 64 + 12, [](Operation& o) { o.extension.dst_outer.num2 = 2; });

  const unsigned transpose_opcode = TERN_OPCODE_VECTOR_TRANSPOSE;
  bad(transpose_opcode, kField, kPartitions, set_byte(kPartitions, 33));
  bad(transpose_opcode, kPattern, kSrc0, set([](auto& in) { in.src0.num0 = 33; }));
  bad(transpose_opcode, kPattern, kDst, set([](auto& in) { in.dst.num0 = 19; }));
  bad(transpose_opcode, kType, kDstType, set_byte(kDstType, TERN_DTYPE_INT32));

  const unsigned reduce_opcode = TERN_OPCODE_TENSOR_PARTITION_REDUCE;
  bad(reduce_opcode, kField, kOp0, set_byte(kOp0, TERN_ALU_OP_MULTIPLY));
  bad(reduce_opcode, kField, kOp1, set_byte(kOp1, TERN_ALU_OP_ADD));
  bad(reduce_opcode, kPattern, kDst, set([](auto& in) { in.dst.num0 = 8; }));
  bad(reduce_opcode, kType, kDstType, set([](auto& in) {
        in.op0 = TERN_ALU_OP_BIT_AND;
        in.dst_dtype = TERN_DTYPE_INT32;
      }));
  // One partition of the destination is enough: it may start where 128 could not.
  taken(good(reduce_opcode).in, kGpsimd, set([](auto& in) { in.dst.addr = place(96, 0); }));
}

TEST_CASE("special check: affine functions") {
  for (unsigned opcode : {TERN_OPCODE_IOTA, TERN_OPCODE_AFFINE_SELECT}) {
    bad(opcode, kField, 58, set_byte(58, 0));
    bad(opcode, kType, 56, set_byte(56, TERN_DTYPE_E8M0));
    bad(opcode, kMemory, 12, [](Operation& o) { o.instruction.affine.dst.addr |= kPsum; });
    bad(opcode, kField, 44 + 4, [](Operation& o) { o.instruction.affine.step[2] = 1; });
    bad(opcode, kField, 44 + 6, [](Operation& o) { o.instruction.affine.step[3] = 1; });
    bad(opcode, kField, 64 + 52, [](Operation& o) { o.extension.flags = 1; });
    bad(opcode, kPattern, 64 + 12, [](Operation& o) { o.extension.dst_outer = {2, -1, 0, 0}; });
  }
  bad(TERN_OPCODE_IOTA, kType, 57, set_byte(57, TERN_DTYPE_FP32));
  bad(TERN_OPCODE_IOTA, kField, 59, set_byte(59, TERN_ALU_OP_IS_EQ));
  bad(TERN_OPCODE_IOTA, kField, 52, set_byte(52, 1));
  bad(TERN_OPCODE_IOTA, kField, 24, set_byte(24, 1));
  bad(TERN_OPCODE_AFFINE_SELECT, kField, 59, set_byte(59, TERN_ALU_OP_ADD));
  bad(TERN_OPCODE_AFFINE_SELECT, kPattern, 24,
      [](Operation& o) { o.instruction.affine.src.num0 = 8; });
}

TEST_CASE("special check: gathers and positions") {
  const unsigned local = TERN_OPCODE_LOCAL_GATHER;
  bad(local, kField, kOp1, set_byte(kOp1, 3));
  bad(local, kField, kOp1, set_byte(kOp1, 64));
  bad(local, kField, kPartitions, set_byte(kPartitions, 24));
  bad(local, kType, kSrc1Type, set_byte(kSrc1Type, TERN_DTYPE_UINT32));
  bad(local, kType, kDstType, set_byte(kDstType, TERN_DTYPE_INT32));
  bad(local, kPattern, kDst, set([](auto& in) { in.dst.num0 = 97; }));
  bad(local, kPattern, kDst, set([](auto& in) { in.dst.num0 = 98; }));  // 49 of 48 indices
  bad(local, kPattern, kDst, set([](auto& in) {
        in.op1 = 1;
        in.dst.num0 = 4097;
        in.src1.num0 = 300;
      }));
  bad(local, kPattern, kSrc0, set([](auto& in) { in.src0.addr = place(32, 1024); }));
  bad(local, kPattern, kSrc1, set([](auto& in) { in.src1.addr = place(32, 4096); }));

  bad(TERN_OPCODE_N_GATHER, kType, kSrc1Type, set_byte(kSrc1Type, TERN_DTYPE_UINT16));
  bad(TERN_OPCODE_N_GATHER, kPattern, kDst, set([](auto& in) { in.dst.num0 = 8; }));
  bad(TERN_OPCODE_NONZERO_WITH_COUNT, kPattern, kDst, set([](auto& in) { in.dst.num0 = 9; }));
  bad(TERN_OPCODE_NONZERO_WITH_COUNT, kField, kImm0, set([](auto& in) { in.imm0 = 0.5f; }));
  bad(TERN_OPCODE_NONZERO_WITH_COUNT, kField, kImm1, set([](auto& in) { in.imm1 = 3e9f; }));
  bad(TERN_OPCODE_NONZERO_WITH_COUNT, kType, kDstType, set_byte(kDstType, TERN_DTYPE_FP32));
  bad(TERN_OPCODE_SEQUENCE_BOUNDS, kPattern, kDst, set([](auto& in) { in.dst.num0 = 17; }));
  bad(TERN_OPCODE_SEQUENCE_BOUNDS, kType, kSrc0Type, set_byte(kSrc0Type, TERN_DTYPE_BF16));

  const unsigned topk = TERN_OPCODE_TOPK;
  bad(topk, kField, kImm0, set([](auto& in) { in.imm0 = 7; }));
  bad(topk, kField, kImm0, set([](auto& in) { in.imm0 = 65536; }));
  bad(topk, kField, kImm0, set([](auto& in) { in.imm0 = NAN; }));
  bad(topk, kField, kImm1, set([](auto& in) { in.imm1 = 0; }));
  bad(topk, kField, kImm1, set([](auto& in) { in.imm1 = 101; }));
  bad(topk, kPattern, kSrc0, set([](auto& in) { in.src0.num0 = 6; }));
  bad(topk, kPattern, kDst, set([](auto& in) { in.dst.num0 = 1; }));
  bad(topk, kPattern, kSrc1, set([](auto& in) { in.src1.num0 = 1; }));
  bad(topk, kType, kSrc0Type, set_byte(kSrc0Type, TERN_DTYPE_FP32));
}

TEST_CASE("special check: stochastic rounding needs a format that has it") {
  const auto copy =
      elementwise(TERN_OPCODE_TENSOR_COPY, 32, typed(0, 9, TERN_DTYPE_BF16), fp32(64, 9));
  const auto stochastic = [](unsigned dtype) {
    return [dtype](Operation& o) {
      o.extension.flags = 1u << 5;
      o.instruction.elementwise.dst_dtype = static_cast<std::uint8_t>(dtype);
    };
  };
  for (unsigned dtype :
       {TERN_DTYPE_BF16, TERN_DTYPE_FP16, TERN_DTYPE_E4M3, TERN_DTYPE_E5M2, TERN_DTYPE_E4M3FN}) {
    taken(copy, kVector, stochastic(dtype));
    taken(copy, TERN_QUEUE_SCALAR, stochastic(dtype));
  }
  refused(copy, kVector, kType, kDstType, stochastic(TERN_DTYPE_FP32));
  refused(copy, kVector, kType, kDstType, stochastic(TERN_DTYPE_UINT8));
}
