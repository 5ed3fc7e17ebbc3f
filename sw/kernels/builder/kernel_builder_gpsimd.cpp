// SPDX-License-Identifier: Apache-2.0
// Instructions of the GpSimd engine: positions and gathers.
#include <limits>

#include "sw/kernels/builder/encoding.h"
#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/builder/operand_checks.h"

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
    fields.step[--d] = static_cast<std::int16_t>(step);
  }
  return fields;
}

}  // namespace

void KernelBuilder::iota(const TileView& dst, const IndexPattern& index, SourceLine where) {
  const char* name = "iota";
  ElementPlan in = plan(Engine::kGpsimd, TERN_OPCODE_IOTA, name, {Engine::kGpsimd}, where);
  const tern_header_t header = in.instruction.header;
  in.instruction.affine = affine_fields(in.checks(), dst, index, &in.extension.dst_outer);
  in.instruction.header = header;
  in.accesses = {access_of(dst, true)};
  emit(in, name, where);
}

void KernelBuilder::affine_select(const TileView& dst, const TileView& src,
                                  const IndexPattern& index, Alu op, float fill, SourceLine where) {
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

}  // namespace tern::kernels
