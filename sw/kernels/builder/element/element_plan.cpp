// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/builder/element/element_plan.h"

#include <algorithm>

#include "sw/kernels/builder/program/encoding.h"
#include "sw/kernels/builder/tensor/operand_checks.h"
#include "sw/spec/extension.h"

namespace tern::kernels {

namespace {

void set_flag(tern_instr_extend_t* extension, unsigned flag) {
  extension->flags = static_cast<std::uint8_t>(extension->flags | flag);
}

std::uint32_t address(const TileView& view) {
  return pattern(view).addr;
}

}  // namespace

ElementPlan::ElementPlan(const ChipConfig& chip, Engine engine, unsigned opcode, const char* name,
                         SourceLine where)
    : checks_(chip, where, name), engine_(engine) {
  instruction.header.opcode = static_cast<std::uint8_t>(opcode);
}

void ElementPlan::destination(const TileView& view, bool also_read) {
  checks_.element(view, true, "destination", engine_);
  dst_ = view;
  auto& body = instruction.elementwise;
  encode_pattern(view, &body.dst, &extension.dst_outer);
  extension.dst_reg = view.moved_by;
  body.dst_dtype = code(view.dtype);
  body.partitions = static_cast<std::uint8_t>(view.partitions);
  accesses.push_back(access_of(view, true));
  if (also_read) accesses.push_back(access_of(view, false));
}

void ElementPlan::source(const TileView& view, const char* role) {
  checks_.element(view, false, role, engine_);
  checks_.require(view.partitions == dst_.partitions,
                  std::string(role) + " " + shape_text(view) + ": the destination has " +
                      std::to_string(dst_.partitions) + " partitions");
  auto& body = instruction.elementwise;
  encode_pattern(view, &body.src0, &extension.src0_outer);
  extension.src0_reg = view.moved_by;
  body.src0_dtype = code(view.dtype);
  accesses.push_back(access_of(view, false));
}

void ElementPlan::second(const TileView& view, const char* role, bool write) {
  checks_.element(view, write, role, engine_);
  checks_.require(view.partitions == dst_.partitions,
                  std::string(role) + " " + shape_text(view) + ": the destination has " +
                      std::to_string(dst_.partitions) + " partitions");
  auto& body = instruction.elementwise;
  encode_pattern(view, &body.src1, &extension.src1_outer);
  extension.src1_reg = view.moved_by;
  body.src1_dtype = code(view.dtype);
  accesses.push_back(access_of(view, write));
}

void ElementPlan::across_partitions(const TileView& dst, const TileView& source) {
  destination(dst);
  no_destination(source);
}

void ElementPlan::no_destination(const TileView& source) {
  dst_.partitions = source.partitions;
  this->source(source);
  instruction.elementwise.partitions = static_cast<std::uint8_t>(source.partitions);
}

void ElementPlan::same_elements(const TileView& view, const char* role) const {
  checks_.require(view.elements() == dst_.elements(),
                  std::string(role) + " " + shape_text(view) + " gives " +
                      std::to_string(view.elements()) +
                      " elements per partition, the destination " + shape_text(dst_) + " takes " +
                      std::to_string(dst_.elements()));
}

void ElementPlan::elements(std::uint64_t results) const {
  checks_.require(results == dst_.elements(), "the source gives " + std::to_string(results) +
                                                  " elements per partition, the destination " +
                                                  shape_text(dst_) + " takes " +
                                                  std::to_string(dst_.elements()));
}

void ElementPlan::add_column(const TileView& view, bool write, const char* role) {
  checks_.column(view, write, role, engine_, dst_.partitions);
  checks_.require(view.moved_by == 0, std::string(role) + ": a column that a register moves");
  accesses.push_back(access_of(view, write));
}

void ElementPlan::put_scalar(const ScalarOperand& scalar, bool in_src1, unsigned flag,
                             const char* role, float* immediate, std::uint32_t* column) {
  if (!scalar.column) {
    *immediate = scalar.value;
    return;
  }
  add_column(*scalar.column, false, role);
  if (in_src1) {
    instruction.elementwise.src1 = pattern(*scalar.column);
    instruction.elementwise.src1_dtype = code(DType::kFp32);
    return;
  }
  set_flag(&extension, flag);
  *column = address(*scalar.column);
}

void ElementPlan::scalar0(const ScalarOperand& scalar, bool in_src1) {
  put_scalar(scalar, in_src1, kExtendScalar0, "per-partition scalar", &instruction.elementwise.imm0,
             &extension.scalar0);
}

void ElementPlan::scalar1(const ScalarOperand& scalar, bool in_src1) {
  put_scalar(scalar, in_src1, kExtendScalar1, "second per-partition scalar",
             &instruction.elementwise.imm1, &extension.scalar1);
}

void ElementPlan::reverse(bool op0, bool op1) {
  const auto one = [&](bool wanted, unsigned op, unsigned flag, const char* name) {
    if (!wanted) return;
    checks_.require(op != TERN_ALU_OP_BYPASS && !is_unary(static_cast<Alu>(op)),
                    std::string(name) + " takes one operand: nothing to reverse");
    set_flag(&extension, flag);
  };
  one(op0, instruction.elementwise.op0, kExtendReverse0, "op0");
  one(op1, instruction.elementwise.op1, kExtendReverse1, "op1");
}

void ElementPlan::reduce(const std::optional<Reduce>& reduce) {
  if (!reduce || reduce->command == ReduceCommand::kIdle) return;
  const Alu op = reduce->op;
  checks_.require(op == Alu::kAdd || op == Alu::kMax || op == Alu::kMin || op == Alu::kAbsMax ||
                      op == Alu::kAbsMin,
                  "reduction: expected add, max, min, abs_max or abs_min");
  extension.reduce_cmd = static_cast<std::uint8_t>(reduce->command);
  extension.reduce_op = static_cast<std::uint8_t>(op);
  const bool loads = reduce->command == ReduceCommand::kLoadReduce;
  checks_.require(!loads || reduce->column, "reduction: load_reduce needs a column");
  if (!reduce->column || (!loads && !reduce->store)) return;
  extension.reduce = address(*reduce->column);
  if (loads) add_column(*reduce->column, false, "reduce column");
  if (reduce->store) {
    add_column(*reduce->column, true, "reduce column");
    set_flag(&extension, kExtendReduce);
  }
}

bool ElementPlan::has_extension() const {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&extension);
  return std::any_of(bytes + sizeof(tern_header_t), bytes + sizeof extension,
                     [](std::uint8_t byte) { return byte != 0; });
}

void ElementPlan::require_format(bool good, const TileView& view, const std::string& role,
                                 const std::string& expected) const {
  checks_.require(good, role + ": expected " + expected + ", got " +
                            std::string(numerics::dtype_name(view.dtype)));
}

bool ElementPlan::can_round_stochastically() const {
  const tern_instr_elementwise_t& body = instruction.elementwise;
  switch (body.header.opcode) {
    case TERN_OPCODE_ACTIVATION:
    case TERN_OPCODE_ACTIVATE2:
    case TERN_OPCODE_TENSOR_COPY:
    case TERN_OPCODE_RECIPROCAL:
    case TERN_OPCODE_MEMSET:
    case TERN_OPCODE_SELECT_REDUCE:
    case TERN_OPCODE_RANGE_SELECT:
      break;
    case TERN_OPCODE_TENSOR_TENSOR:
    case TERN_OPCODE_TENSOR_SCALAR:
    case TERN_OPCODE_SCALAR_TENSOR_TENSOR:
    case TERN_OPCODE_TENSOR_REDUCE:
    case TERN_OPCODE_TENSOR_TENSOR_SCAN:
    case TERN_OPCODE_TENSOR_SCALAR_CUMULATIVE:
      if (is_bitwise(static_cast<Alu>(body.op0))) return false;
      break;
    default:
      return false;
  }
  switch (static_cast<DType>(body.dst_dtype)) {
    case DType::kBf16:
    case DType::kFp16:
    case DType::kE4m3:
    case DType::kE4m3Fn:
    case DType::kE5m2:
      return true;
    default:
      return false;
  }
}

}  // namespace tern::kernels
