// SPDX-License-Identifier: Apache-2.0
// Snapshots of the tensor engine's model: the weights in its cells, PSUM and its random states.
#include <algorithm>
#include <vector>

#include "systemc/engines/tensor/tensor_check.h"
#include "systemc/engines/tensor/tensor_model.h"

namespace tern {

namespace {

constexpr std::size_t kMostStationaries = TensorCells::kGrid * (TensorCells::kGrid + 1);

// A LoadStationary that the engine would take.
void archive_command(base::StateArchive& archive, const TensorShape& shape, TensorCommand& c) {
  archive.number(c.op, TensorOp::kLoadStationary);
  archive.number(c.type, TensorType{UINT8_MAX});
  archive.numbers(c.tag, c.row_start, c.rows, c.cols, c.sbuf_address);
  archive.numbers(c.num0, c.step0, c.num1, c.step1);
  archive.number(c.mode, TensorMode::kQuad);
  archive.number(c.high_half);
  archive.number(c.sparsity, TensorSparsity::k1of2);
  archive.number(c.tile_rows, TensorTileSize::kQuarter);
  archive.number(c.tile_cols, TensorTileSize::kQuarter);
  archive.numbers(c.col_start, c.plane, c.aux_address, c.scale_offset);
  if (c.op != TensorOp::kLoadStationary ||
      check_tensor_command(shape, c, {}) != TensorStatusCode::kOk)
    archive.damaged();
}

// Of the length that the command gives it.
template <typename Vector>
void archive_array(base::StateArchive& archive, Vector& values) {
  archive.constant(values.size());
  archive.bytes(values.data(), values.size() * sizeof(values[0]));
}

}  // namespace

void TensorRecords::archive_state(base::StateArchive& archive, const TensorShape& shape,
                                  const Contents& contents) {
  std::vector<Stationary> all;  // each once, in the order of the cells
  const auto number_of = [&](const Stationary& stationary) {
    return static_cast<std::size_t>(std::find(all.begin(), all.end(), stationary) - all.begin());
  };
  const auto note = [&](const Stationary& stationary) {
    if (stationary != nullptr && number_of(stationary) == all.size()) all.push_back(stationary);
  };
  for (const Cell& cell : cells_) note(cell.stationary);
  for (const Stationary& stationary : mx_) note(stationary);
  const std::size_t count = archive.size(all.size(), kMostStationaries);
  if (archive.restores()) all.assign(count, nullptr);
  for (Stationary& stationary : all) {
    TensorStationary own;
    if (!archive.restores()) own = *stationary;
    archive_command(archive, shape, own.command);
    if (contents) contents(&own);
    if (archive.restores()) stationary = std::make_shared<TensorStationary>(std::move(own));
  }
  // all.size() stands for none.
  const auto link = [&](Stationary& stationary, bool mx) {
    const std::size_t number =
        archive.size(stationary == nullptr ? all.size() : number_of(stationary), all.size());
    if (!archive.restores()) return;
    stationary = number == all.size() ? nullptr : all[number];
    if (stationary != nullptr && uses_mx_array(stationary->command) != mx) archive.damaged();
  };
  for (Cell& cell : cells_) {
    link(cell.stationary, false);
    archive.number(cell.pending);
  }
  for (Stationary& stationary : mx_) link(stationary, true);
}

void TensorModel::archive_state(base::StateArchive& archive) {
  psum_.archive_state(archive);
  records_.archive_state(archive, shape_, [&](TensorStationary* weights) {
    const TensorCommand& command = weights->command;
    const bool mx = uses_mx_array(command);
    archive.number(weights->specials);
    // Arrays of the right lengths; what SBUF has there now is replaced.
    if (archive.restores()) {
      const bool specials = weights->specials;
      if (mx) {
        blocks_.load(weights);
      } else {
        chains_.load(weights);
      }
      weights->specials = specials;
      weights->finite.resize(specials ? weights->elements.size() : 0);
    }
    archive_array(archive, weights->weights);
    archive.constant(weights->partners.size());
    const std::uint32_t nothing = mx || command.mode != TensorMode::kSparse
                                      ? 0
                                      : command.rows * sparse_pattern(command.sparsity).planes();
    for (std::uint32_t& partner : weights->partners) archive.number(partner, nothing);
    archive_array(archive, weights->elements);
    archive_array(archive, weights->finite);
    for (auto& values : weights->classes) archive_array(archive, values);
    archive_array(archive, weights->scales);
  });
}

}  // namespace tern
