// SPDX-License-Identifier: Apache-2.0
// Statistics, searches, shuffles, random numbers.
#include <array>

#include "sw/nki/lower/chip_views.h"
#include "sw/nki/lower/lowering.h"

namespace tern::nki {

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
  builder_.nc_stream_shuffle(tile_view(instruction.at("dst")), tile_view(instruction.at("src")),
                             mask, where_);
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
