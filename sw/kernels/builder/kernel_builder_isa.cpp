// SPDX-License-Identifier: Apache-2.0
// Element-wise instructions of one source or two: one function each.
#include <algorithm>

#include "sw/kernels/builder/builder_elements.h"
#include "sw/kernels/builder/tensor/operand_checks.h"

namespace tern::kernels {

namespace {

constexpr unsigned kTwoDimensions = 2;

const char* engine_name(Engine engine) {
  static constexpr const char* kNames[] = {"Tensor", "Vector", "Scalar", "GpSimd"};
  return kNames[static_cast<unsigned>(engine)];
}

// An operation that this engine has on FP32 values.
void require_arithmetic(const ElementPlan& plan, Alu op) {
  plan.checks().require(op != Alu::kPower || plan.engine() == Engine::kGpsimd,
                        "power runs on GpSimd only");
}

// Bit operations: on Vector, elements of one size, no conversion.
void require_bit_sizes(const ElementPlan& plan, const TileView& dst, const TileView& source) {
  plan.checks().require(plan.engine() == Engine::kVector, "bit operations run on Vector only");
  plan.checks().require(numerics::dtype_size(source.dtype) == numerics::dtype_size(dst.dtype),
                        "bit operations take elements of one size, got " +
                            std::string(numerics::dtype_name(source.dtype)) + " and " +
                            std::string(numerics::dtype_name(dst.dtype)));
}

}  // namespace

void ElementCalls::check_view(const char* name, const TileView& view, bool write, const char* role,
                              SourceLine where) const {
  ViewChecks(chip_, where, name).view(view, write, role, kTwoDimensions);
}

ElementPlan ElementCalls::plan(Engine engine, unsigned opcode, const char* name,
                               std::initializer_list<Engine> engines, SourceLine where) const {
  if (std::find(engines.begin(), engines.end(), engine) == engines.end()) {
    std::string all;
    for (const Engine e : engines) all += (all.empty() ? "" : " or ") + std::string(engine_name(e));
    ViewChecks(chip_, where, name)
        .fail("runs on " + all + ", not on " + std::string(engine_name(engine)));
  }
  return ElementPlan(chip_, engine, opcode, name, where);
}

void ElementCalls::activation(const TileView& dst, Activation func, const TileView& src,
                              const ActivationOptions& options, SourceLine where) {
  const char* name = "activation";
  ElementPlan in = plan(Engine::kScalar, TERN_OPCODE_ACTIVATION, name, {Engine::kScalar}, where);
  in.destination(dst);
  in.source(src);
  in.same_elements(src, "source");
  in.instruction.elementwise.op0 = static_cast<std::uint8_t>(func);
  in.scalar0(options.scale);
  in.scalar1(options.bias, true);
  in.reduce(options.reduce);
  in.checks().require(func == Activation::kPrelu || options.slope == 0.0f,
                      "a slope belongs to prelu");
  in.extension.imm2 = options.slope;
  emit(in, name, where);
}

void ElementCalls::activation(const TileView& dst, Activation func, const TileView& src,
                              float scale, const ScalarOperand& bias, SourceLine where) {
  ActivationOptions options;
  options.scale = scale;
  options.bias = bias;
  activation(dst, func, src, options, where);
}

void ElementCalls::activation_reduce(const TileView& dst, Activation func, const TileView& src,
                                     Alu reduce_op, const TileView& column,
                                     const ActivationOptions& options, SourceLine where) {
  ActivationOptions with_column = options;
  with_column.reduce = Reduce{reduce_op, column};
  activation(dst, func, src, with_column, where);
}

void ElementCalls::activate2(const TileView& dst, const TileView& src, Alu op0,
                             const ScalarOperand& scalar0, Alu op1, const ScalarOperand& scalar1,
                             const ScalarOptions& options, SourceLine where) {
  const char* name = "activate2";
  // The options' engine is that of tensor_scalar; this instruction has no choice.
  ElementPlan in = plan(Engine::kScalar, TERN_OPCODE_ACTIVATE2, name, {Engine::kScalar}, where);
  in.checks().require(chip_.core.scalar_features.all_operators,
                      "chip '" + chip_.name + "' has no activate2 (use tensor_scalar on Scalar)");
  const bool first = op0 == Alu::kMultiply || op0 == Alu::kAdd || op0 == Alu::kSubtract ||
                     (op0 == Alu::kBypass && op1 == Alu::kBypass);
  const bool second =
      op1 == Alu::kBypass || (op0 == Alu::kMultiply && (op1 == Alu::kAdd || op1 == Alu::kSubtract));
  in.checks().require(first && second,
                      "expected multiply then add or subtract, or multiply, add, subtract or "
                      "bypass alone");
  in.destination(dst);
  in.source(src);
  in.same_elements(src, "source");
  in.operations(op0, op1);
  in.scalar0(scalar0);
  in.scalar1(scalar1);
  in.reverse(options.reverse0, options.reverse1);
  in.reduce(options.reduce);
  emit(in, name, where);
}

void ElementCalls::exponential(const TileView& dst, const TileView& src, const ScalarOperand& max,
                               const std::optional<Reduce>& sum, SourceLine where) {
  const char* name = "exponential";
  ElementPlan in = plan(Engine::kVector, TERN_OPCODE_EXPONENTIAL, name, {Engine::kVector}, where);
  in.checks().require(chip_.core.vector.exp_per_cycle != 0,
                      "chip '" + chip_.name + "' has no exponential instruction (use activation)");
  in.checks().require(!sum || sum->op == Alu::kAdd, "reduction: expected add");
  in.destination(dst);
  in.source(src);
  in.same_elements(src, "source");
  for (const TileView* view : {&dst, &src}) {
    in.checks().require(
        numerics::is_float(view->dtype),
        "expected fp32, bf16 or fp16, got " + std::string(numerics::dtype_name(view->dtype)));
  }
  in.scalar0(max, true);
  in.reduce(sum);
  emit(in, name, where);
}

void ElementCalls::tensor_copy(const TileView& dst, const TileView& src, Engine engine,
                               SourceLine where) {
  const char* name = "tensor_copy";
  ElementPlan in = plan(engine, TERN_OPCODE_TENSOR_COPY, name,
                        {Engine::kVector, Engine::kScalar, Engine::kGpsimd}, where);
  in.destination(dst);
  in.source(src);
  in.same_elements(src, "source");
  emit(in, name, where);
}

void ElementCalls::tensor_tensor(const TileView& dst, const TileView& src0, Alu op,
                                 const TileView& src1, Engine engine, SourceLine where) {
  const char* name = "tensor_tensor";
  ElementPlan in =
      plan(engine, TERN_OPCODE_TENSOR_TENSOR, name, {Engine::kVector, Engine::kGpsimd}, where);
  in.checks().require(op != Alu::kBypass && !is_unary(op), "expected an operation of two operands");
  in.destination(dst);
  in.source(src0);
  in.same_elements(src0, "source");
  in.second(src1);
  in.same_elements(src1, "second source");
  in.operations(op, Alu::kBypass);
  require_arithmetic(in, op);
  if (is_bitwise(op)) {
    require_bit_sizes(in, dst, src0);
    require_bit_sizes(in, dst, src1);
  }
  emit(in, name, where);
}

void ElementCalls::tensor_scalar(const TileView& dst, const TileView& src, Alu op0,
                                 const ScalarOperand& scalar0, Alu op1,
                                 const ScalarOperand& scalar1, const ScalarOptions& options,
                                 SourceLine where) {
  const char* name = "tensor_scalar";
  ElementPlan in = plan(options.engine, TERN_OPCODE_TENSOR_SCALAR, name,
                        {Engine::kVector, Engine::kScalar, Engine::kGpsimd}, where);
  in.destination(dst);
  in.source(src);
  in.same_elements(src, "source");
  in.operations(op0, op1);
  require_arithmetic(in, op0);
  require_arithmetic(in, op1);
  const bool bits = is_bitwise(op0) || is_bitwise(op1);
  if (bits) {
    in.checks().require(is_bitwise(op0) && (is_bitwise(op1) || op1 == Alu::kBypass),
                        "bit operations do not mix with arithmetic");
    require_bit_sizes(in, dst, src);
  }
  in.checks().require(!options.reduce || (options.engine == Engine::kVector && !bits),
                      "reductions need Vector and arithmetic");
  // The older Scalar engine: multiply and add, one of them or both, in this order.
  const bool limited =
      options.engine == Engine::kScalar && !chip_.core.scalar_features.all_operators;
  const bool simple = (op0 == Alu::kMultiply && (op1 == Alu::kAdd || op1 == Alu::kBypass)) ||
                      (op0 == Alu::kAdd && op1 == Alu::kBypass);
  in.checks().require(!limited || simple,
                      "Scalar of chip '" + chip_.name + "' takes multiply, add, or both only");
  in.scalar0(scalar0, true);
  in.scalar1(scalar1);
  in.reverse(options.reverse0, options.reverse1);
  in.reduce(options.reduce);
  emit(in, name, where);
}

void ElementCalls::tensor_scalar_reduce(const TileView& dst, const TileView& src, Alu op0,
                                        const ScalarOperand& scalar0, Alu reduce_op,
                                        const TileView& column, SourceLine where) {
  ScalarOptions options;
  options.reduce = Reduce{reduce_op, column};
  tensor_scalar(dst, src, op0, scalar0, Alu::kBypass, 0.0f, options, where);
}

void ElementCalls::scalar_tensor_tensor(const TileView& dst, const TileView& src0, Alu op0,
                                        const ScalarOperand& scalar0, Alu op1, const TileView& src1,
                                        bool reverse0, bool reverse1, SourceLine where) {
  const char* name = "scalar_tensor_tensor";
  ElementPlan in =
      plan(Engine::kVector, TERN_OPCODE_SCALAR_TENSOR_TENSOR, name, {Engine::kVector}, where);
  in.checks().require(op1 != Alu::kBypass && !is_unary(op1),
                      "expected an operation of two operands for the tiles");
  in.checks().require(!is_bitwise(op0) && !is_bitwise(op1),
                      "bit operations: tensor_tensor or tensor_scalar");
  require_arithmetic(in, op0);
  require_arithmetic(in, op1);
  in.destination(dst);
  in.source(src0);
  in.same_elements(src0, "source");
  in.second(src1);
  in.same_elements(src1, "second source");
  in.operations(op0, op1);
  in.scalar0(scalar0);
  in.reverse(reverse0, reverse1);
  emit(in, name, where);
}

void ElementCalls::memset(const TileView& dst, const ScalarOperand& value, Engine engine,
                          SourceLine where) {
  const char* name = "memset";
  ElementPlan in =
      plan(engine, TERN_OPCODE_MEMSET, name, {Engine::kVector, Engine::kGpsimd}, where);
  in.destination(dst);
  in.scalar0(value);
  emit(in, name, where);
}

void ElementCalls::reciprocal(const TileView& dst, const TileView& src, SourceLine where) {
  const char* name = "reciprocal";
  ElementPlan in = plan(Engine::kVector, TERN_OPCODE_RECIPROCAL, name, {Engine::kVector}, where);
  in.destination(dst);
  in.source(src);
  in.same_elements(src, "source");
  emit(in, name, where);
}

}  // namespace tern::kernels
