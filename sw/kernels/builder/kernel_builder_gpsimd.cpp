// SPDX-License-Identifier: Apache-2.0
// Instructions of the GpSimd engine: positions and gathers.
#include <limits>

#include "sw/base/math.h"
#include "sw/kernels/builder/builder_gpsimd.h"
#include "sw/kernels/builder/program/encoding.h"
#include "sw/kernels/builder/tensor/operand_checks.h"

namespace tern::kernels {

namespace {

void require_partitions(const ViewChecks& checks, const TileView& view, const TileView& dst) {
  checks.require(view.partitions == dst.partitions && view.elements() == dst.elements(),
                 "source " + shape_text(view) + ": the destination is " + shape_text(dst));
}

// The destination with its own dimensions, and a step for each of them.
tern_instr_affine_t affine_fields(const ViewChecks& checks, const TileView& dst,
                                  const IndexPattern& index, tern_outer_t* outer) {
  checks.element(dst, true, "destination", Engine::kGpsimd);
  checks.require(
      index.steps.size() >= dst.dimensions() && index.steps.size() <= TileView::kDimensions,
      "expected a step for each dimension of the destination " + shape_text(dst) + ", got " +
          std::to_string(index.steps.size()));
  tern_instr_affine_t fields{};
  encode_dimensions(dst, &fields.dst, outer);
  fields.dst_dtype = code(dst.dtype);
  fields.partitions = static_cast<std::uint8_t>(dst.partitions);
  fields.base = index.base;
  fields.channel_multiplier = index.channel_multiplier;
  std::size_t d = index.steps.size();
  for (const std::int32_t step : index.steps) {
    checks.require(step >= std::numeric_limits<std::int16_t>::min() &&
                       step <= std::numeric_limits<std::int16_t>::max(),
                   "a step of " + std::to_string(step) + ": expected 16 bits");
    if (--d < dst.dimensions()) fields.step[d] = static_cast<std::int16_t>(step);
  }
  return fields;
}

constexpr unsigned kCorePartitions = 16;  // of one of the eight processors
constexpr unsigned kGatherMaxElements = 32, kGatherMaxIndices = 4096;
constexpr unsigned kTopkMin = 8, kTopkMax = 65535, kTopkMaxResults = 32767;

bool is_word(DType dtype) {
  return dtype == DType::kFp32 || dtype == DType::kInt32;
}

// A processor accesses its own partitions only.
void require_together(const ElementPlan& plan, const TileView& dst, const TileView& other,
                      const std::string& role) {
  plan.checks().require(other.partition == dst.partition,
                        role + " " + shape_text(other) + " on partition " +
                            std::to_string(other.partition) + ": the destination is on " +
                            std::to_string(dst.partition));
}

void require_whole_cores(const ElementPlan& plan, const TileView& dst) {
  plan.checks().require(dst.partitions % kCorePartitions == 0,
                        "destination " + shape_text(dst) +
                            ": expected a multiple of 16 partitions, whole processors");
}

std::uint64_t core_columns(std::uint64_t elements) {
  return ceil_div(elements, kCorePartitions);
}

}  // namespace

void GpsimdCalls::iota(const TileView& dst, const IndexPattern& index, SourceLine where) {
  const char* name = "iota";
  ElementPlan in = plan(Engine::kGpsimd, TERN_OPCODE_IOTA, name, {Engine::kGpsimd}, where);
  const tern_header_t header = in.instruction.header;
  in.instruction.affine = affine_fields(in.checks(), dst, index, &in.extension.dst_outer);
  in.instruction.header = header;
  in.accesses = {access_of(dst, true)};
  emit(in, name, where);
}

void GpsimdCalls::affine_select(const TileView& dst, const TileView& src, const IndexPattern& index,
                                Alu op, float fill, SourceLine where) {
  const char* name = "affine_select";
  ElementPlan in = plan(Engine::kGpsimd, TERN_OPCODE_AFFINE_SELECT, name, {Engine::kGpsimd}, where);
  in.checks().require(is_comparison(op), "expected is_eq .. is_lt");
  const tern_header_t header = in.instruction.header;
  in.instruction.affine = affine_fields(in.checks(), dst, index, &in.extension.dst_outer);
  in.instruction.header = header;
  in.checks().element(src, false, "source", Engine::kGpsimd);
  require_partitions(in.checks(), src, dst);
  auto& fields = in.instruction.affine;
  encode_pattern(src, &fields.src, &in.extension.src0_outer);
  fields.src_dtype = code(src.dtype);
  fields.op = static_cast<std::uint8_t>(op);
  fields.fill = fill;
  in.accesses = {access_of(dst, true), access_of(src, false)};
  emit(in, name, where);
}

void GpsimdCalls::local_gather(const TileView& dst, const TileView& src, const TileView& indices,
                               unsigned each, SourceLine where) {
  const char* name = "local_gather";
  ElementPlan in = plan(Engine::kGpsimd, TERN_OPCODE_LOCAL_GATHER, name, {Engine::kGpsimd}, where);
  in.destination(dst);
  in.source(src);
  in.second(indices, "indices");
  const bool power_of_two = each >= 1 && (each & (each - 1)) == 0;
  in.checks().require(
      power_of_two && each <= kGatherMaxElements,
      "expected 1, 2, 4, 8, 16 or 32 elements per index, got " + std::to_string(each));
  require_whole_cores(in, dst);
  in.require_format(dst.dtype == src.dtype, dst, "destination",
                    std::string(numerics::dtype_name(src.dtype)) + " as the source");
  in.require_format(indices.dtype == DType::kUint16, indices, "indices", "uint16");
  require_together(in, dst, src, "source");
  require_together(in, dst, indices, "indices");
  const std::uint64_t list = dst.elements() / each;
  in.checks().require(dst.elements() % each == 0 && list <= kGatherMaxIndices &&
                          list <= kCorePartitions * indices.elements(),
                      "destination " + shape_text(dst) + ": expected at most " +
                          std::to_string(each) + " elements for each of " +
                          std::to_string(kCorePartitions * indices.elements()) +
                          " indices, and at most 4096 indices");
  in.instruction.elementwise.op1 = static_cast<std::uint8_t>(each);
  emit(in, name, where);
}

void GpsimdCalls::nc_n_gather(const TileView& dst, const TileView& src, const TileView& indices,
                              SourceLine where) {
  const char* name = "nc_n_gather";
  ElementPlan in = plan(Engine::kGpsimd, TERN_OPCODE_N_GATHER, name, {Engine::kGpsimd}, where);
  in.destination(dst);
  in.source(src);
  in.second(indices, "indices");
  in.same_elements(indices, "indices");
  in.require_format(dst.dtype == src.dtype, dst, "destination",
                    std::string(numerics::dtype_name(src.dtype)) + " as the source");
  in.require_format(indices.dtype == DType::kUint32, indices, "indices", "uint32");
  require_together(in, dst, src, "source");
  require_together(in, dst, indices, "indices");
  emit(in, name, where);
}

void GpsimdCalls::nonzero_with_count(const TileView& dst, const TileView& src, std::int32_t padding,
                                     std::int32_t offset, SourceLine where) {
  const char* name = "nonzero_with_count";
  ElementPlan in =
      plan(Engine::kGpsimd, TERN_OPCODE_NONZERO_WITH_COUNT, name, {Engine::kGpsimd}, where);
  in.destination(dst);
  in.source(src);
  in.elements(src.elements() + 1);
  in.require_format(dst.dtype == DType::kInt32, dst, "destination", "int32");
  in.require_format(is_word(src.dtype), src, "source", "fp32 or int32");
  require_together(in, dst, src, "source");
  auto& fields = in.instruction.elementwise;
  fields.imm0 = static_cast<float>(padding);
  fields.imm1 = static_cast<float>(offset);
  in.checks().require(
      static_cast<double>(fields.imm0) == padding && static_cast<double>(fields.imm1) == offset,
      "padding and offset: expected integers that FP32 holds");
  emit(in, name, where);
}

void GpsimdCalls::sequence_bounds(const TileView& dst, const TileView& src, SourceLine where) {
  const char* name = "sequence_bounds";
  ElementPlan in =
      plan(Engine::kGpsimd, TERN_OPCODE_SEQUENCE_BOUNDS, name, {Engine::kGpsimd}, where);
  in.destination(dst);
  in.source(src);
  in.elements(2 * src.elements());
  in.require_format(is_word(dst.dtype), dst, "destination", "fp32 or int32");
  in.require_format(is_word(src.dtype), src, "source", "fp32 or int32");
  require_together(in, dst, src, "source");
  emit(in, name, where);
}

void GpsimdCalls::topk(const TileView& dst, const TileView& indices, const TileView& src,
                       unsigned elements, unsigned count, SourceLine where) {
  const char* name = "topk";
  ElementPlan in = plan(Engine::kGpsimd, TERN_OPCODE_TOPK, name, {Engine::kGpsimd}, where);
  in.destination(dst);
  in.source(src);
  in.second(indices, "indices", true);
  require_whole_cores(in, dst);
  in.require_format(dst.dtype == DType::kBf16, dst, "destination", "bf16");
  in.require_format(src.dtype == DType::kBf16, src, "source", "bf16");
  in.require_format(indices.dtype == DType::kUint32, indices, "indices", "uint32");
  require_together(in, dst, src, "source");
  require_together(in, dst, indices, "indices");
  in.checks().require(elements >= kTopkMin && elements <= kTopkMax,
                      "expected 8..65535 elements, got " + std::to_string(elements));
  in.checks().require(count >= 1 && count <= elements && count <= kTopkMaxResults,
                      "expected 1..elements results, at most 32767, got " + std::to_string(count));
  in.checks().require(src.elements() >= core_columns(elements) &&
                          dst.elements() >= core_columns(count) &&
                          indices.elements() >= core_columns(count),
                      "expected a column for every 16 elements and for every 16 results");
  in.instruction.elementwise.imm0 = static_cast<float>(elements);
  in.instruction.elementwise.imm1 = static_cast<float>(count);
  emit(in, name, where);
}

void GpsimdCalls::tensor_partition_reduce(const TileView& dst, Alu op, const TileView& src,
                                          SourceLine where) {
  const char* name = "tensor_partition_reduce";
  ElementPlan in =
      plan(Engine::kGpsimd, TERN_OPCODE_TENSOR_PARTITION_REDUCE, name, {Engine::kGpsimd}, where);
  const bool bits = op == Alu::kBitAnd || op == Alu::kBitOr;
  in.checks().require(bits || op == Alu::kAdd || op == Alu::kMax,
                      "expected add, max, bit_and or bit_or");
  in.checks().require(
      dst.partitions == 1 && dst.elements() == src.elements(),
      "destination " + shape_text(dst) + ": expected [1, " + std::to_string(src.elements()) + "]");
  in.across_partitions(dst, src);
  in.require_format(!bits || dst.dtype == src.dtype, dst, "destination",
                    std::string(numerics::dtype_name(src.dtype)) + " as the source");
  in.operations(op, Alu::kBypass);
  emit(in, name, where);
}

}  // namespace tern::kernels
