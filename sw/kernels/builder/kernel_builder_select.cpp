// SPDX-License-Identifier: Apache-2.0
// Instructions that reduce, scan, select and transpose.
#include "sw/kernels/builder/builder_selections.h"
#include "sw/kernels/builder/program/encoding.h"
#include "sw/kernels/builder/tensor/operand_checks.h"
#include "sw/spec/extension.h"

namespace tern::kernels {

namespace {

constexpr unsigned kTransposeMax = 32;

// Operations on FP32 that chains may use.
bool is_reducible(Alu op) {
  return !is_unary(op) && op != Alu::kBypass && op != Alu::kPower && !is_comparison(op) &&
         !is_bitwise(op);
}

bool is_bit_reduction(Alu op) {
  return op == Alu::kBitAnd || op == Alu::kBitOr || op == Alu::kBitXor;
}

void require_two_operands(const ElementPlan& plan, Alu op, const char* role) {
  plan.checks().require(op != Alu::kBypass && op != Alu::kPower && !is_unary(op) && !is_bitwise(op),
                        std::string(role) + ": expected an FP32 operation of two operands");
}

std::optional<Reduce> largest(const std::optional<TileView>& column,
                              std::optional<ReduceCommand> command) {
  if (!column && !command) return std::nullopt;
  return Reduce{Alu::kMax, column, command.value_or(ReduceCommand::kResetReduce)};
}

void reverse_predicate(ElementPlan* plan, bool reverse) {
  if (reverse) {
    plan->extension.flags = static_cast<std::uint8_t>(plan->extension.flags | kExtendReverse0);
  }
}

}  // namespace

void SelectionCalls::tensor_reduce(const TileView& dst, Alu op, const TileView& src, bool negate,
                                   unsigned dimensions, SourceLine where) {
  const char* name = "tensor_reduce";
  ElementPlan in = plan(Engine::kVector, TERN_OPCODE_TENSOR_REDUCE, name, {Engine::kVector}, where);
  const bool bits = is_bit_reduction(op);
  in.checks().require(is_reducible(op) || bits, "cannot reduce with this operation");
  in.checks().require(dimensions >= 1 && dimensions <= TileView::kDimensions,
                      "expected 1..4 dimensions to reduce, got " + std::to_string(dimensions));
  in.checks().require(!bits || !negate, "bits have no sign");
  in.destination(dst);
  in.source(src);
  in.checks().require(!bits || numerics::dtype_size(src.dtype) == numerics::dtype_size(dst.dtype),
                      "bit operations take elements of one size");
  // The engine counts dimensions: they stay as they are.
  encode_dimensions(src, &in.instruction.elementwise.src0, &in.extension.src0_outer);
  std::uint64_t results = 1;
  for (unsigned d = dimensions; d < TileView::kDimensions; ++d) results *= src.dimension(d).count;
  in.elements(results);
  in.operations(op, negate ? Alu::kSubtract : Alu::kBypass);
  if (dimensions > 1) in.instruction.elementwise.imm0 = static_cast<float>(dimensions);
  emit(in, name, where);
}

void SelectionCalls::tensor_tensor_scan(const TileView& dst, const TileView& src0, Alu op0,
                                        const TileView& src1, Alu op1, const ScalarOperand& initial,
                                        bool reverse0, bool reverse1, SourceLine where) {
  const char* name = "tensor_tensor_scan";
  ElementPlan in =
      plan(Engine::kVector, TERN_OPCODE_TENSOR_TENSOR_SCAN, name, {Engine::kVector}, where);
  require_two_operands(in, op0, "op0");
  require_two_operands(in, op1, "op1");
  in.destination(dst);
  in.source(src0);
  in.same_elements(src0, "source");
  in.second(src1);
  in.same_elements(src1, "second source");
  in.checks().require(src0.space != Space::kPsum || src1.space != Space::kPsum,
                      "both sources in PSUM");
  in.operations(op0, op1);
  in.scalar0(initial);
  in.reverse(reverse0, reverse1);
  emit(in, name, where);
}

void SelectionCalls::tensor_scalar_cumulative(const TileView& dst, const TileView& src, Alu op0,
                                              const ScalarOperand& scalar, Alu op1,
                                              const ScalarOperand& initial, bool reverse0,
                                              ReduceCommand command, SourceLine where) {
  const char* name = "tensor_scalar_cumulative";
  ElementPlan in =
      plan(Engine::kVector, TERN_OPCODE_TENSOR_SCALAR_CUMULATIVE, name, {Engine::kVector}, where);
  in.checks().require(!is_bitwise(op0) && op0 != Alu::kPower, "op0: expected FP32 arithmetic");
  in.checks().require(op1 >= Alu::kAdd && op1 <= Alu::kMin,
                      "op1: expected add, subtract, multiply, max or min");
  in.destination(dst);
  in.source(src);
  in.same_elements(src, "source");
  for (const TileView* view : {&dst, &src}) {
    in.checks().require(view->dtype != DType::kInt32 && view->dtype != DType::kUint32,
                        "does not take 32-bit integers");
  }
  in.operations(op0, op1);
  in.scalar0(scalar);
  in.scalar1(initial);
  in.reverse(reverse0, false);
  in.checks().require(command != ReduceCommand::kReset && command != ReduceCommand::kLoadReduce,
                      "expected idle, reset_reduce or reduce");
  in.extension.reduce_cmd = static_cast<std::uint8_t>(command);
  emit(in, name, where);
}

void SelectionCalls::tensor_copy_predicated(const TileView& dst, const TileView& src,
                                            const TileView& predicate, bool reverse,
                                            SourceLine where) {
  const char* name = "tensor_copy_predicated";
  ElementPlan in =
      plan(Engine::kVector, TERN_OPCODE_TENSOR_COPY_PREDICATED, name, {Engine::kVector}, where);
  in.destination(dst, true);
  in.source(src);
  in.same_elements(src, "source");
  in.second(predicate, "predicate");
  in.same_elements(predicate, "predicate");
  reverse_predicate(&in, reverse);
  emit(in, name, where);
}

void SelectionCalls::select_reduce(const TileView& dst, const TileView& src,
                                   const TileView& predicate, const ScalarOperand& otherwise,
                                   std::optional<TileView> max_column, bool reverse,
                                   std::optional<ReduceCommand> command, SourceLine where) {
  const char* name = "select_reduce";
  ElementPlan in = plan(Engine::kVector, TERN_OPCODE_SELECT_REDUCE, name, {Engine::kVector}, where);
  in.destination(dst);
  in.source(src);
  in.same_elements(src, "source");
  in.second(predicate, "predicate");
  in.same_elements(predicate, "predicate");
  in.scalar0(otherwise);
  in.reduce(largest(max_column, command));
  reverse_predicate(&in, reverse);
  emit(in, name, where);
}

void SelectionCalls::range_select(const TileView& dst, const TileView& src, Alu op0,
                                  const ScalarOperand& bound0, Alu op1, const ScalarOperand& bound1,
                                  float first, std::optional<TileView> max_column,
                                  std::optional<ReduceCommand> command, SourceLine where) {
  const char* name = "range_select";
  ElementPlan in = plan(Engine::kVector, TERN_OPCODE_RANGE_SELECT, name, {Engine::kVector}, where);
  in.checks().require(is_comparison(op0) && is_comparison(op1), "expected two of is_eq .. is_lt");
  in.destination(dst);
  in.source(src);
  in.same_elements(src, "source");
  constexpr float kIndexLimit = 16777216.0f;  // indices are FP32
  in.checks().require(first >= 0 && first + static_cast<float>(src.elements()) <= kIndexLimit,
                      "indices beyond 2^24");
  in.operations(op0, op1);
  in.scalar0(bound0);
  in.scalar1(bound1);
  in.extension.imm2 = first;
  in.reduce(largest(max_column, command));
  emit(in, name, where);
}

void SelectionCalls::vector_transpose(const TileView& dst, const TileView& source, Engine engine,
                                      SourceLine where) {
  const char* name = "nc_transpose";
  ElementPlan in =
      plan(engine, TERN_OPCODE_VECTOR_TRANSPOSE, name, {Engine::kTensor, Engine::kVector}, where);
  in.checks().require(source.partitions <= kTransposeMax && source.elements() <= kTransposeMax,
                      "source " + shape_text(source) + ": Vector transposes up to [32, 32]");
  in.checks().require(dst.partitions == source.elements() && dst.elements() == source.partitions,
                      "destination " + shape_text(dst) + ": expected [" +
                          std::to_string(source.elements()) + ", " +
                          std::to_string(source.partitions) + "]");
  in.checks().require(dst.dtype == source.dtype, "source and destination of different formats");
  in.across_partitions(dst, source);
  emit(in, name, where);
}

}  // namespace tern::kernels
