// SPDX-License-Identifier: Apache-2.0
// What instructions move and compute, counted by hand.
#include <catch2/catch.hpp>

#include "systemc/core/instruction_activity.h"
#include "tb/core/bench/program.h"
#include "tb/core/bench/special_bench.h"

using namespace tern;
using namespace tern::tb;
using trace::Activity;

namespace {

Activity of(const tern_instruction_t& instruction, const tern_instruction_t& extension = {}) {
  return instruction_activity(Operation{instruction, extension.extend});
}

Activity of_product(unsigned mode, unsigned dtype, bool accumulate = false, unsigned k = 128) {
  tern_instruction_t in =
      multiply_moving(ap(place(0, 0), 512), ap(place(0, 0, kPsum), 512), k, 128, accumulate, dtype);
  in.multiply_moving.mode = static_cast<std::uint8_t>(mode);
  return of(in);
}

}  // namespace

TEST_CASE("activity: products of array A") {
  const Activity dense = of_product(TERN_TENSOR_MODE_DENSE, TERN_DTYPE_BF16, false, 32);
  CHECK(dense.array_a == 32ull * 128 * 512);
  CHECK(dense.array_x == 0);
  CHECK(dense.weights == 0);
  CHECK(dense.sbuf_bytes == 32 * 512 * 2);
  CHECK(dense.psum_bytes == 128 * 512 * 4);
  // The old sum is read as well.
  CHECK(of_product(TERN_TENSOR_MODE_DENSE, TERN_DTYPE_BF16, true).psum_bytes == 2 * 128 * 512 * 4);
  // Of 16 moving rows four meet a weight.
  const Activity sparse = of_product(TERN_TENSOR_MODE_SPARSE, TERN_DTYPE_BF16);
  CHECK(sparse.array_a == 128ull * 128 * 512);
  CHECK(sparse.sbuf_bytes == 4 * 128 * 512 * 2);
}

TEST_CASE("activity: products of array X") {
  const Activity rows = of_product(TERN_TENSOR_MODE_DOUBLE_ROW, TERN_DTYPE_E4M3);
  CHECK(rows.array_a == 0);
  CHECK(rows.array_x == 2ull * 128 * 128 * 512);
  CHECK(rows.sbuf_bytes == 2 * 128 * 512);
  // A scale for each block of eight rows and a column.
  const Activity mx = of_product(TERN_TENSOR_MODE_MX, TERN_DTYPE_E4M3FN_X4);
  CHECK(mx.array_x == 4ull * 128 * 128 * 512);
  CHECK(mx.sbuf_bytes == 4 * 128 * 512 + 128 / 8 * 512);
  CHECK(mx.psum_bytes == 128 * 512 * 4);
  CHECK(of_product(TERN_TENSOR_MODE_QUAD, TERN_DTYPE_E4M3FN_X4).psum_bytes == 4 * 128 * 512 * 4);
}

TEST_CASE("activity: weights and transposes") {
  const Activity load = of(load_stationary(ap(place(0, 0), 64), 32, 64));
  CHECK(load.weights == 32 * 64);
  CHECK(load.sbuf_bytes == 32 * 64 * 2);
  CHECK(load.psum_bytes == 0);
  const Activity turned =
      of(transpose(ap(place(0, 0), 64), ap(place(0, 0, kPsum), 32), 32, 64, TERN_DTYPE_FP32));
  CHECK(turned.weights == 32 * 64);
  CHECK(turned.sbuf_bytes == 32 * 64 * 4);
  CHECK(turned.psum_bytes == 32 * 64 * 4);
  CHECK(turned.array_a == 0);
}

TEST_CASE("activity: elements, with their outer dimensions") {
  const Operand psum{ap(place(0, 0, kPsum), 64), TERN_DTYPE_FP32};
  const Operand sbuf{ap(place(0, 0), 64), TERN_DTYPE_BF16};
  const Activity sum = of(elementwise(TERN_OPCODE_TENSOR_TENSOR, 96, sbuf, psum, sbuf));
  CHECK(sum.elements == 96 * 64);
  CHECK(sum.sbuf_bytes == 2 * 96 * 64 * 2);
  CHECK(sum.psum_bytes == 96 * 64 * 4);
  // A reduction is as long as its source.
  tern_instruction_t outer = extend();
  outer.extend.src0_outer = {3, 64, 1, 0};
  const Operand one{ap(place(0, 4096), 1), TERN_DTYPE_FP32};
  const Activity reduced = of(elementwise(TERN_OPCODE_TENSOR_REDUCE, 128, one, psum), outer);
  CHECK(reduced.elements == 128 * 64 * 3);
  CHECK(reduced.psum_bytes == 128 * 64 * 3 * 4);
  CHECK(reduced.sbuf_bytes == 128 * 4);
  const Activity exponential = of(elementwise(TERN_OPCODE_EXPONENTIAL, 128, sbuf, psum, one));
  CHECK(exponential.exponentials == 128 * 64);
  CHECK(exponential.elements == 0);
}

TEST_CASE("activity: shuffles, indices, control") {
  const Activity moved = of(shuffle(place(0, 0), place(0, 4096), 40, TERN_DTYPE_BF16, 64, {}));
  CHECK(moved.elements == 64 * 40);
  CHECK(moved.sbuf_bytes == 2 * 64 * 40 * 2);
  const Operand indices{ap(place(0, 0), 40), TERN_DTYPE_INT32};
  const Activity iota = of(affine(TERN_OPCODE_IOTA, 64, indices, {}, {}));
  CHECK(iota.elements == 64 * 40);
  CHECK(iota.sbuf_bytes == 64 * 40 * 4);
  const Activity nothing = of(loop(1, 2));
  CHECK(nothing.elements + nothing.sbuf_bytes + nothing.array_a == 0);
}
