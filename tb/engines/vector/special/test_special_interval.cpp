// SPDX-License-Identifier: Apache-2.0
// Costs of the special instructions, computed by hand.
#include <catch2/catch.hpp>

#include "systemc/engines/vector/instruction_families.h"
#include "systemc/engines/vector/instruction_interval.h"
#include "tb/core/bench/program.h"

using namespace tern;
using namespace tern::tb;

namespace {

constexpr unsigned kVector = TERN_QUEUE_VECTOR, kGpsimd = TERN_QUEUE_GPSIMD;

Operand row(unsigned count, unsigned dtype = TERN_DTYPE_FP32) {
  return {ap(0, count), dtype};
}

// Without the engine's least interval.
std::uint64_t cycles(const Operation& operation, unsigned queue) {
  const InstructionRow* row = vector_instructions().find(operation.opcode());
  REQUIRE(row != nullptr);
  return row->cycles(operation, queue, IntervalRules());
}

std::uint64_t cycles(const tern_instruction_t& in, unsigned queue) {
  return cycles(Operation{in, {}}, queue);
}

std::uint64_t gather(unsigned results, unsigned elements, unsigned dtype) {
  return cycles(elementwise(TERN_OPCODE_LOCAL_GATHER, 128, row(results, dtype), row(500, dtype),
                            row(100, TERN_DTYPE_UINT16), 0, elements),
                kGpsimd);
}

}  // namespace

TEST_CASE("special interval: Vector") {
  CHECK(cycles(elementwise(TERN_OPCODE_BN_STATS, 128, row(6), row(512)), kVector) == 512);
  CHECK(cycles(elementwise(TERN_OPCODE_BN_AGGR, 128, row(2), row(24)), kVector) == 104);
  CHECK(cycles(elementwise(TERN_OPCODE_MAX8, 128, row(8), row(16384)), kVector) == 16384);
  CHECK(cycles(elementwise(TERN_OPCODE_FIND_INDEX8, 128, row(8), row(1000), row(8)), kVector) ==
        1000);
  CHECK(cycles(elementwise(TERN_OPCODE_MATCH_REPLACE8, 128, row(1000), row(1000), row(8)),
               kVector) == 1000);
  CHECK(cycles(elementwise(TERN_OPCODE_VECTOR_TRANSPOSE, 32, row(32), row(30)), kVector) == 30);
  CHECK(cycles(elementwise(TERN_OPCODE_DROPOUT, 128, row(300), row(300)), kVector) == 300);
  CHECK(cycles(elementwise(TERN_OPCODE_RNG, 128, row(301), {}), kVector) == 76);
  CHECK(cycles(elementwise(TERN_OPCODE_RAND2, 128, row(400), {}), kVector) == 100);
  CHECK(cycles(elementwise(TERN_OPCODE_RAND_SET_STATE, 128, {}, row(24)), kVector) == 6);
  tern_instruction_t shuffle = plain(TERN_OPCODE_STREAM_SHUFFLE);
  shuffle.shuffle.num = 777;
  CHECK(cycles(shuffle, kVector) == 777);
}

TEST_CASE("special interval: states of Scalar, a word a cycle") {
  CHECK(cycles(elementwise(TERN_OPCODE_RAND_SET_STATE, 128, {}, row(6)), TERN_QUEUE_SCALAR) == 6);
  CHECK(cycles(elementwise(TERN_OPCODE_RAND_GET_STATE, 128, row(6), {}), TERN_QUEUE_SCALAR) == 6);
  CHECK(cycles(elementwise(TERN_OPCODE_SET_RNG_SEED, 1, {}, row(1)), TERN_QUEUE_SCALAR) == 1);
}

TEST_CASE("special interval: GpSimd") {
  tern_instruction_t iota = plain(TERN_OPCODE_IOTA);
  iota.affine.dst = ap(0, 10, 1, 20, 10);
  CHECK(cycles(iota, kGpsimd) == 350);
  Operation longer{iota, {}};
  longer.extension.dst_outer = {3, 200, 0, 0};
  CHECK(cycles(longer, kGpsimd) == 750);
  // C = (32 / 4) / 1 = 8, C = (36 / 8) / 2 = 2.25, C = (156 / 128) / 1.
  CHECK(gather(400, 1, TERN_DTYPE_FP32) == 200);
  CHECK(gather(900, 2, TERN_DTYPE_BF16) == 550);
  CHECK(gather(3200, 32, TERN_DTYPE_FP32) == 150 + 2626);  // 2625.6
  CHECK(cycles(elementwise(TERN_OPCODE_TOPK, 128, row(4), row(63), row(4), 0, 0, 1000, 64),
               kGpsimd) == 4064);
  CHECK(cycles(elementwise(TERN_OPCODE_RNG, 128, row(300), {}), kGpsimd) == 450);
  CHECK(cycles(elementwise(TERN_OPCODE_SET_RNG_SEED, 1, {}, row(1)), kGpsimd) == 151);
  CHECK(cycles(elementwise(TERN_OPCODE_N_GATHER, 128, row(100), row(100), row(100)), kGpsimd) ==
        1750);
  CHECK(cycles(elementwise(TERN_OPCODE_N_GATHER, 2, row(100), row(100), row(100)), kGpsimd) == 350);
  CHECK(cycles(elementwise(TERN_OPCODE_NONZERO_WITH_COUNT, 128, row(101), row(100)), kGpsimd) ==
        250);
  CHECK(cycles(elementwise(TERN_OPCODE_SEQUENCE_BOUNDS, 1, row(200), row(100)), kGpsimd) == 350);
  CHECK(cycles(elementwise(TERN_OPCODE_TENSOR_PARTITION_REDUCE, 128, row(100), row(100)),
               kGpsimd) == 1750);
}

TEST_CASE("special interval: never below the least interval") {
  IntervalRules rules;
  rules.min_interval = 64;
  CHECK(instruction_interval({elementwise(TERN_OPCODE_MAX8, 128, row(8), row(20)), {}}, kVector,
                             rules) == 64);
  CHECK(instruction_interval({elementwise(TERN_OPCODE_BN_AGGR, 128, row(2), row(24)), {}}, kVector,
                             rules) == 104);
}
