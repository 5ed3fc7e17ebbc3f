// SPDX-License-Identifier: Apache-2.0
// Instructions of the Vector engine beyond arithmetic: statistics, searches, movement between
// partitions, random numbers.
#include <algorithm>
#include <cmath>

#include "sw/kernels/builder/builder_special.h"
#include "sw/kernels/builder/program/encoding.h"
#include "sw/kernels/builder/tensor/operand_checks.h"

namespace tern::kernels {

namespace {

constexpr unsigned kStatisticsMax = TERN_LIMIT_BN_STATS_ELEMENTS;
constexpr unsigned kSearched = TERN_LIMIT_SEARCH_FOUND, kSearchMax = TERN_LIMIT_SEARCH_ELEMENTS;
constexpr unsigned kShuffleGroup = TERN_LIMIT_QUADRANT, kKeep = 255;
constexpr unsigned kGeneratorWords = 6;

void require_elements(const ElementPlan& plan, const TileView& view, std::uint64_t count,
                      const std::string& role) {
  plan.checks().require(view.elements() == count, role + " " + shape_text(view) + ": expected " +
                                                      std::to_string(count) +
                                                      " elements per partition");
}

void require_searchable(const ElementPlan& plan, const TileView& src) {
  plan.checks().require(src.elements() >= kSearched && src.elements() <= kSearchMax,
                        "source " + shape_text(src) + ": expected 8..16384 elements per partition");
}

unsigned state_words(Engine engine) {
  return engine == Engine::kVector ? 4 * kGeneratorWords : kGeneratorWords;
}

}  // namespace

void SpecialCalls::bn_stats(const TileView& dst, const TileView& src, SourceLine where) {
  const char* name = "bn_stats";
  ElementPlan in = plan(Engine::kVector, TERN_OPCODE_BN_STATS, name, {Engine::kVector}, where);
  in.destination(dst);
  in.source(src);
  in.require_format(numerics::is_float(dst.dtype), dst, "destination", "fp32, bf16 or fp16");
  require_elements(in, dst, 6, "destination");
  in.checks().require(
      src.elements() <= kStatisticsMax,
      "source " + shape_text(src) + ": expected at most 512 elements per partition (then bn_aggr)");
  emit(in, name, where);
}

void SpecialCalls::bn_aggr(const TileView& dst, const TileView& src, SourceLine where) {
  const char* name = "bn_aggr";
  ElementPlan in = plan(Engine::kVector, TERN_OPCODE_BN_AGGR, name, {Engine::kVector}, where);
  in.destination(dst);
  in.source(src);
  in.require_format(numerics::is_float(dst.dtype), dst, "destination", "fp32, bf16 or fp16");
  require_elements(in, dst, 2, "destination");
  in.checks().require(src.elements() % 3 == 0,
                      "source " + shape_text(src) + ": expected groups of count, mean and sum");
  emit(in, name, where);
}

void SpecialCalls::max8(const TileView& dst, const TileView& src, SourceLine where) {
  const char* name = "max8";
  ElementPlan in = plan(Engine::kVector, TERN_OPCODE_MAX8, name, {Engine::kVector}, where);
  in.destination(dst);
  in.source(src);
  require_elements(in, dst, kSearched, "destination");
  require_searchable(in, src);
  emit(in, name, where);
}

void SpecialCalls::nc_find_index8(const TileView& dst, const TileView& src, const TileView& values,
                                  SourceLine where) {
  const char* name = "nc_find_index8";
  ElementPlan in = plan(Engine::kVector, TERN_OPCODE_FIND_INDEX8, name, {Engine::kVector}, where);
  in.destination(dst);
  in.source(src);
  in.second(values, "values");
  in.require_format(dst.dtype == DType::kUint32 || dst.dtype == DType::kUint16, dst, "destination",
                    "uint32 or uint16");
  require_elements(in, dst, kSearched, "destination");
  require_elements(in, values, kSearched, "values");
  require_searchable(in, src);
  emit(in, name, where);
}

void SpecialCalls::nc_match_replace8(const TileView& dst, const TileView& src,
                                     const TileView& values, float replacement, SourceLine where) {
  const char* name = "nc_match_replace8";
  ElementPlan in =
      plan(Engine::kVector, TERN_OPCODE_MATCH_REPLACE8, name, {Engine::kVector}, where);
  in.destination(dst);
  in.source(src);
  in.same_elements(src, "source");
  in.second(values, "values");
  require_elements(in, values, kSearched, "values");
  require_searchable(in, src);
  in.instruction.elementwise.imm0 = replacement;
  emit(in, name, where);
}

void SpecialCalls::nc_stream_shuffle(const TileView& dst, const TileView& src,
                                     const std::array<std::uint8_t, 32>& mask, SourceLine where) {
  const char* name = "nc_stream_shuffle";
  ElementPlan in =
      plan(Engine::kVector, TERN_OPCODE_STREAM_SHUFFLE, name, {Engine::kVector}, where);
  const ViewChecks& checks = in.checks();
  checks.element(dst, true, "destination", Engine::kVector);
  checks.element(src, false, "source", Engine::kVector);
  for (const TileView* view : {&dst, &src}) {
    checks.require(view->dimensions() == 1 && (view->step0 == 1 || view->num0 == 1),
                   shape_text(*view) + ": expected contiguous elements");
    checks.require(view->partitions % kShuffleGroup == 0,
                   shape_text(*view) + ": expected 32, 64, 96 or 128 partitions");
  }
  checks.require(dst.partitions == src.partitions && dst.num0 == src.num0 && dst.dtype == src.dtype,
                 "source " + shape_text(src) + " and destination " + shape_text(dst) +
                     ": expected the same shape and format");
  auto& fields = in.instruction.shuffle;
  fields.dst = pattern(dst).addr;
  fields.src = pattern(src).addr;
  fields.num = static_cast<std::uint16_t>(dst.num0);
  fields.dtype = code(dst.dtype);
  fields.partitions = static_cast<std::uint8_t>(dst.partitions);
  bool keeps = false;
  for (unsigned i = 0; i < mask.size(); ++i) {
    checks.require(mask[i] < kShuffleGroup || mask[i] == kKeep,
                   "mask[" + std::to_string(i) + "]: expected 0..31, or 255 to keep");
    keeps = keeps || mask[i] == kKeep;
    fields.mask[i] = mask[i];
  }
  in.accesses = {access_of(dst, true), access_of(src, false)};
  if (keeps) in.accesses.push_back(access_of(dst, false));
  emit(in, name, where);
}

void SpecialCalls::dropout(const TileView& dst, const TileView& src,
                           const ScalarOperand& probability, SourceLine where) {
  const char* name = "dropout";
  ElementPlan in = plan(Engine::kVector, TERN_OPCODE_DROPOUT, name, {Engine::kVector}, where);
  in.checks().require(probability.column || (probability.value >= 0 && probability.value <= 1),
                      "expected a probability of 0..1");
  in.destination(dst);
  in.source(src);
  in.same_elements(src, "source");
  in.scalar0(probability);
  emit(in, name, where);
}

void SpecialCalls::rng(const TileView& dst, Engine engine, SourceLine where) {
  const char* name = "rng";
  ElementPlan in = plan(engine, TERN_OPCODE_RNG, name, {Engine::kVector, Engine::kGpsimd}, where);
  in.destination(dst);
  in.require_format(numerics::is_integer(dst.dtype), dst, "destination", "an integer format");
  emit(in, name, where);
}

void SpecialCalls::set_rng_seed(const TileView& seed, Engine engine, SourceLine where) {
  const char* name = "set_rng_seed";
  ElementPlan in = plan(engine, TERN_OPCODE_SET_RNG_SEED, name,
                        {Engine::kVector, Engine::kScalar, Engine::kGpsimd}, where);
  in.no_destination(seed);
  in.require_format(seed.dtype == DType::kUint32 || seed.dtype == DType::kInt32, seed, "seed",
                    "uint32 or int32");
  in.checks().require(seed.partitions == 1 && seed.elements() == 1,
                      "seed " + shape_text(seed) + ": expected one word, [1, 1]");
  emit(in, name, where);
}

void SpecialCalls::rand_set_state(const TileView& state, Engine engine, SourceLine where) {
  const char* name = "rand_set_state";
  ElementPlan in = plan(engine, TERN_OPCODE_RAND_SET_STATE, name,
                        {Engine::kVector, Engine::kScalar, Engine::kGpsimd}, where);
  in.no_destination(state);
  in.require_format(state.dtype == DType::kUint32, state, "state", "uint32");
  require_elements(in, state, state_words(engine), "state");
  emit(in, name, where);
}

void SpecialCalls::rand_get_state(const TileView& state, Engine engine, SourceLine where) {
  const char* name = "rand_get_state";
  ElementPlan in = plan(engine, TERN_OPCODE_RAND_GET_STATE, name,
                        {Engine::kVector, Engine::kScalar, Engine::kGpsimd}, where);
  in.destination(state);
  in.require_format(state.dtype == DType::kUint32, state, "state", "uint32");
  require_elements(in, state, state_words(engine), "state");
  emit(in, name, where);
}

void SpecialCalls::rand2(const TileView& dst, const ScalarOperand& low, const ScalarOperand& high,
                         SourceLine where) {
  const char* name = "rand2";
  ElementPlan in = plan(Engine::kVector, TERN_OPCODE_RAND2, name, {Engine::kVector}, where);
  in.destination(dst);
  in.require_format(dst.dtype == DType::kFp32, dst, "destination", "fp32");
  const auto finite = [](const ScalarOperand& s) { return s.column || std::isfinite(s.value); };
  in.checks().require(finite(low) && finite(high) &&
                          (low.column || high.column ||
                           (low.value < high.value && std::isfinite(high.value - low.value))),
                      "expected finite limits, the lower one first");
  in.scalar0(low);
  in.scalar1(high);
  emit(in, name, where);
}

}  // namespace tern::kernels
