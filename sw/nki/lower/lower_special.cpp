// SPDX-License-Identifier: Apache-2.0
// Statistics, searches, shuffles, random numbers.
#include <array>

#include <algorithm>

#include "sw/nki/lower/chip_views.h"
#include "sw/nki/lower/lowering.h"

namespace tern::nki {

namespace {

constexpr std::uint8_t kKeep = 255;  // of a mask: the partition stays as it is

}  // namespace

void Lowering::bn_stats(const Instruction& instruction) {
  builder_.bn_stats(tile_view(instruction.at("dst")), tile_view(instruction.at("data")), where_);
}

void Lowering::bn_aggr(const Instruction& instruction) {
  builder_.bn_aggr(tile_view(instruction.at("dst")), tile_view(instruction.at("data")), where_);
}

void Lowering::max8(const Instruction& instruction) {
  builder_.max8(tile_view(instruction.at("dst")), tile_view(instruction.at("src")), where_);
}

void Lowering::nc_find_index8(const Instruction& instruction) {
  builder_.nc_find_index8(tile_view(instruction.at("dst")), tile_view(instruction.at("data")),
                          tile_view(instruction.at("vals")), where_);
}

void Lowering::nc_match_replace8(const Instruction& instruction) {
  builder_.nc_match_replace8(tile_view(instruction.at("dst")), tile_view(instruction.at("data")),
                             tile_view(instruction.at("vals")),
                             static_cast<float>(instruction.options.value0), where_);
}

void Lowering::nc_stream_shuffle(const Instruction& instruction) {
  std::array<std::uint8_t, 32> mask{};
  for (std::size_t i = 0; i < mask.size(); ++i) {
    mask[i] = static_cast<std::uint8_t>(instruction.options.numbers.at(i));
  }
  // Whole groups at a time; of a part of one the rest keeps its values.
  kernels::TileView dst = tile_view(instruction.at("dst")), src = tile_view(instruction.at("src"));
  constexpr unsigned kGroup = 32;
  const unsigned whole = std::min(dst.partitions, src.partitions) / kGroup * kGroup;
  if (whole > 0) builder_.nc_stream_shuffle(dst.rows(0, whole), src.rows(0, whole), mask, where_);
  if (dst.partitions == whole) return;
  for (unsigned i = dst.partitions - whole; i < kGroup; ++i) mask[i] = kKeep;
  for (kernels::TileView* view : {&dst, &src}) {
    view->partition += whole;
    view->partitions = kGroup;
  }
  builder_.nc_stream_shuffle(dst, src, mask, where_);
}

void Lowering::dropout(const Instruction& instruction) {
  builder_.dropout(tile_view(instruction.at("dst")), tile_view(instruction.at("data")),
                   scalar(instruction, "prob", instruction.options.value0), where_);
}

void Lowering::rng(const Instruction& instruction) {
  builder_.rng(tile_view(instruction.at("dst")), engine(instruction), where_);
}

void Lowering::rand2(const Instruction& instruction) {
  const Options& options = instruction.options;
  builder_.rand2(tile_view(instruction.at("dst")), scalar(instruction, "min", options.value0),
                 scalar(instruction, "max", options.value1), where_);
}

void Lowering::set_rng_seed(const Instruction& instruction) {
  builder_.set_rng_seed(tile_view(instruction.at("src")), engine(instruction), where_);
}

void Lowering::rand_set_state(const Instruction& instruction) {
  builder_.rand_set_state(tile_view(instruction.at("src")), engine(instruction), where_);
}

void Lowering::rand_get_state(const Instruction& instruction) {
  builder_.rand_get_state(tile_view(instruction.at("dst")), engine(instruction), where_);
}

}  // namespace tern::nki
