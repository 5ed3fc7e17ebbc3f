// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "sw/numerics/dtype.h"
#include "sw/spec/extension.h"
#include "sw/spec/generated/formats.h"
#include "systemc/core/elementwise_check.h"
#include "systemc/engines/vector/alu_rows.h"
#include "systemc/engines/vector/reduced_dimensions.h"

// One function per instruction, out of the parts in elementwise_check.cpp.
namespace tern {

namespace {

using Elementwise = tern_instr_elementwise_t;
using Extend = tern_instr_extend_t;

constexpr unsigned kOuters = kPartDstOuter | kPartSrc0Outer;
constexpr unsigned kTwoTiles = kOuters | kPartSrc1Outer;
constexpr unsigned kRounded = kOuters | kPartStochastic;

bool is_float(unsigned dtype) {
  return dtype == TERN_DTYPE_FP32 || dtype == TERN_DTYPE_BF16 || dtype == TERN_DTYPE_FP16;
}

}  // namespace

void ElementwiseChecker::exponential() const {
  const Elementwise& in = in_.elementwise;
  require(limits_.exp_per_cycle != 0, TERN_ERROR_NOT_MODELLED, offsetof(tern_header_t, opcode));
  begin(kOuters | kPartReduce);
  field(extension_.reduce_cmd == TERN_REDUCE_CMD_IDLE || extension_.reduce_op == TERN_ALU_OP_ADD,
        kExtensionByte + offsetof(Extend, reduce_op));
  bypass(in.op0, offsetof(Elementwise, op0));
  bypass(in.op1, offsetof(Elementwise, op1));
  require(is_float(in.src0_dtype), TERN_ERROR_BAD_DTYPE, offsetof(Elementwise, src0_dtype));
  require(is_float(in.dst_dtype), TERN_ERROR_BAD_DTYPE, offsetof(Elementwise, dst_dtype));
  results_as_src0();
  src1_column(0);
}

void ElementwiseChecker::activation() const {
  const Elementwise& in = in_.elementwise;
  const bool slope = in.op0 == TERN_ACT_FUNC_PRELU;
  begin(kRounded | kPartScalar0 | kPartScalar1 | kPartReduce | (slope ? kPartImm2 : 0u));
  field(in.op0 <= TERN_ACT_FUNC_RECIPROCAL, offsetof(Elementwise, op0));
  bypass(in.op1, offsetof(Elementwise, op1));
  results_as_src0();
  src1_column(kExtendScalar1);
}

void ElementwiseChecker::activate2() const {
  const Elementwise& in = in_.elementwise;
  require(limits_.scalar.all_operators, TERN_ERROR_NOT_MODELLED, offsetof(tern_header_t, opcode));
  begin(kRounded | kPartScalar0 | kPartScalar1 | kPartReduce | kPartReverse0 | kPartReverse1);
  const bool multiply = in.op0 == TERN_ALU_OP_MULTIPLY;
  field(multiply || in.op0 == TERN_ALU_OP_ADD || in.op0 == TERN_ALU_OP_SUBTRACT ||
            in.op0 == TERN_ALU_OP_BYPASS,
        offsetof(Elementwise, op0));
  field(in.op1 == TERN_ALU_OP_BYPASS ||
            (multiply && (in.op1 == TERN_ALU_OP_ADD || in.op1 == TERN_ALU_OP_SUBTRACT)),
        offsetof(Elementwise, op1));
  reverse_needs_two(kExtendReverse0, in.op0);
  reverse_needs_two(kExtendReverse1, in.op1);
  results_as_src0();
  no_src1();
}

void ElementwiseChecker::tensor_copy() const {
  const Elementwise& in = in_.elementwise;
  begin(kRounded);
  bypass(in.op0, offsetof(Elementwise, op0));
  bypass(in.op1, offsetof(Elementwise, op1));
  results_as_src0();
  no_src1();
}

void ElementwiseChecker::tensor_tensor() const {
  const Elementwise& in = in_.elementwise;
  begin(kTwoTiles | kPartStochastic);
  const bool bits = alu_is_bitwise(in.op0) && in.op0 != TERN_ALU_OP_BIT_NOT;
  if (!bits) two_operand(in.op0, offsetof(Elementwise, op0));
  bypass(in.op1, offsetof(Elementwise, op1));
  results_as_src0();
  src1_as_src0();
  if (!bits) return;
  bitwise();
  require(numerics::dtype_size(static_cast<numerics::DType>(in.src1_dtype)) ==
              numerics::dtype_size(static_cast<numerics::DType>(in.dst_dtype)),
          TERN_ERROR_BAD_DTYPE, offsetof(Elementwise, src1_dtype));
}

void ElementwiseChecker::tensor_scalar() const {
  const Elementwise& in = in_.elementwise;
  const bool bits = alu_is_bitwise(in.op0);
  const bool reduces = queue_ == TERN_QUEUE_VECTOR && !bits;
  begin(kRounded | kPartScalar0 | kPartScalar1 | kPartReverse0 | kPartReverse1 |
        (reduces ? kPartReduce : 0u));
  if (bits) {
    field(alu_is_bitwise(in.op1) || in.op1 == TERN_ALU_OP_BYPASS, offsetof(Elementwise, op1));
  } else {
    with_scalar(in.op0, offsetof(Elementwise, op0));
    with_scalar(in.op1, offsetof(Elementwise, op1));
  }
  scalar_engine_operators();
  reverse_needs_two(kExtendReverse0, in.op0);
  reverse_needs_two(kExtendReverse1, in.op1);
  results_as_src0();
  src1_column(kExtendScalar0);
  if (bits) bitwise();
}

// Without all_operators: multiply then add, multiply, or add.
void ElementwiseChecker::scalar_engine_operators() const {
  const Elementwise& in = in_.elementwise;
  if (queue_ != TERN_QUEUE_SCALAR || limits_.scalar.all_operators) return;
  require(in.op0 == TERN_ALU_OP_MULTIPLY || in.op0 == TERN_ALU_OP_ADD, TERN_ERROR_NOT_MODELLED,
          offsetof(Elementwise, op0));
  require(
      in.op1 == TERN_ALU_OP_BYPASS || (in.op0 == TERN_ALU_OP_MULTIPLY && in.op1 == TERN_ALU_OP_ADD),
      TERN_ERROR_NOT_MODELLED, offsetof(Elementwise, op1));
}

void ElementwiseChecker::scalar_tensor_tensor() const {
  const Elementwise& in = in_.elementwise;
  begin(kTwoTiles | kPartStochastic | kPartScalar0 | kPartReverse0 | kPartReverse1);
  with_scalar(in.op0, offsetof(Elementwise, op0));
  two_operand(in.op1, offsetof(Elementwise, op1));
  reverse_needs_two(kExtendReverse0, in.op0);
  reverse_needs_two(kExtendReverse1, in.op1);
  results_as_src0();
  src1_as_src0();
}

void ElementwiseChecker::tensor_reduce() const {
  const Elementwise& in = in_.elementwise;
  const bool bits = in.op0 == TERN_ALU_OP_BIT_AND || in.op0 == TERN_ALU_OP_BIT_OR ||
                    in.op0 == TERN_ALU_OP_BIT_XOR;
  begin(kRounded);
  field(alu_is_reducible(in.op0) || bits, offsetof(Elementwise, op0));
  field(in.op1 == TERN_ALU_OP_BYPASS || (in.op1 == TERN_ALU_OP_SUBTRACT && !bits),
        offsetof(Elementwise, op1));
  const unsigned dimensions = reduced_dimensions(in);
  field(dimensions != 0, offsetof(Elementwise, imm0));
  const AccessPattern source = src0();
  results(source.count() / reduced_elements(source, dimensions));
  no_src1();
  if (bits) bitwise();
}

void ElementwiseChecker::tensor_tensor_scan() const {
  const Elementwise& in = in_.elementwise;
  begin(kTwoTiles | kPartStochastic | kPartScalar0 | kPartReverse0 | kPartReverse1);
  two_operand(in.op0, offsetof(Elementwise, op0));
  two_operand(in.op1, offsetof(Elementwise, op1));
  reverse_needs_two(kExtendReverse0, in.op0);
  reverse_needs_two(kExtendReverse1, in.op1);
  results_as_src0();
  src1_as_src0();
  require(!src0().psum || !src1().psum, TERN_ERROR_FORBIDDEN_MEMORY, offsetof(Elementwise, src1));
}

void ElementwiseChecker::tensor_scalar_cumulative() const {
  const Elementwise& in = in_.elementwise;
  begin(kRounded | kPartScalar0 | kPartScalar1 | kPartReverse0 | kPartCarry);
  with_scalar(in.op0, offsetof(Elementwise, op0));
  reverse_needs_two(kExtendReverse0, in.op0);
  field(in.op1 >= TERN_ALU_OP_ADD && in.op1 <= TERN_ALU_OP_MIN, offsetof(Elementwise, op1));
  results_as_src0();
  no_src1();
  const auto is_wide = [](unsigned dtype) {
    return dtype == TERN_DTYPE_INT32 || dtype == TERN_DTYPE_UINT32;
  };
  require(!is_wide(in.dst_dtype), TERN_ERROR_BAD_DTYPE, offsetof(Elementwise, dst_dtype));
  require(!is_wide(in.src0_dtype), TERN_ERROR_BAD_DTYPE, offsetof(Elementwise, src0_dtype));
}

void ElementwiseChecker::tensor_copy_predicated() const {
  const Elementwise& in = in_.elementwise;
  begin(kTwoTiles | kPartReverse0);
  bypass(in.op0, offsetof(Elementwise, op0));
  bypass(in.op1, offsetof(Elementwise, op1));
  results_as_src0();
  src1_as_src0();
}

// The only reduction is max.
void ElementwiseChecker::select_reduce() const {
  const Elementwise& in = in_.elementwise;
  begin(kTwoTiles | kPartStochastic | kPartScalar0 | kPartReverse0 | kPartReduce);
  max_only();
  bypass(in.op0, offsetof(Elementwise, op0));
  bypass(in.op1, offsetof(Elementwise, op1));
  results_as_src0();
  src1_as_src0();
}

void ElementwiseChecker::range_select() const {
  const Elementwise& in = in_.elementwise;
  const auto compares = [](unsigned op) {
    return op >= TERN_ALU_OP_IS_EQ && op <= TERN_ALU_OP_IS_LT;
  };
  begin(kRounded | kPartScalar0 | kPartScalar1 | kPartImm2 | kPartReduce);
  max_only();
  field(compares(in.op0), offsetof(Elementwise, op0));
  field(compares(in.op1), offsetof(Elementwise, op1));
  results_as_src0();
  no_src1();
}

void ElementwiseChecker::memset() const {
  const Elementwise& in = in_.elementwise;
  begin(kPartDstOuter | kPartScalar0 | kPartStochastic);
  bypass(in.op0, offsetof(Elementwise, op0));
  bypass(in.op1, offsetof(Elementwise, op1));
  dst();
  no_src0();
  no_src1();
}

void ElementwiseChecker::reciprocal() const {
  const Elementwise& in = in_.elementwise;
  begin(kRounded);
  bypass(in.op0, offsetof(Elementwise, op0));
  bypass(in.op1, offsetof(Elementwise, op1));
  results_as_src0();
  no_src1();
}

}  // namespace tern
