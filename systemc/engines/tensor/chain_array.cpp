// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/tensor/chain_array.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "sw/base/math.h"
#include "sw/numerics/fp_modes.h"
#include "systemc/engines/tensor/tensor_geometry.h"

namespace tern {

namespace {

constexpr std::size_t kLanes = TensorTile::kLanes;
constexpr std::size_t kColumns = TensorTile::kColumns;
static_assert(kColumns == kPanelColumns);

// Position of a weight of the tile in its panel.
std::size_t panel_index(const TensorCommand& command, std::size_t row, std::size_t lane) {
  return lane / kLanes * command.rows * kLanes + row * kLanes + lane % kLanes;
}

}  // namespace

bool ChainArray::load(TensorStationary* stationary) const {
  const numerics::ScopedFpModes modes;
  const TensorCommand& command = stationary->command;
  const unsigned size = element_bytes(command.type);
  const std::size_t padded = round_up(command.cols, kLanes);
  stationary->weights.resize(padded * command.rows);
  const PatternReader source(sbuf_, command, size, command.sbuf_address);
  for (unsigned row = 0; row < command.rows; ++row) {
    for (unsigned column = 0; column < command.cols; column += 64 / size) {
      source.prefetch(command.row_start + row, column, 1);
    }
  }
  const OperandWidener widen = operand_widener(command);
  std::vector<float> wide(padded);
  std::vector<std::uint8_t> gathered(std::size_t{size} * command.cols);
  for (std::size_t row = 0; row < command.rows; ++row) {
    const auto partition = static_cast<unsigned>(command.row_start + row);
    widen.row(source.read(partition, 0, command.cols, gathered.data()), command.cols, wide.data());
    for (std::size_t lane = 0; lane < command.cols; lane += kLanes) {
      std::memcpy(stationary->weights.data() + panel_index(command, row, lane), wide.data() + lane,
                  kLanes * sizeof(float));
    }
  }
  return command.mode != TensorMode::kSparse || load_tags(stationary);
}

// Finds the moving element of every weight. A weight whose position does not exist, or that pads a
// tile, becomes 0 and meets a row of -0 after the last one. Adding their product -0 changes
// nothing, not even the sign of a zero.
bool ChainArray::load_tags(TensorStationary* stationary) const {
  const TensorCommand& command = stationary->command;
  const SparsePattern pattern = sparse_pattern(command.sparsity);
  const std::uint32_t nothing = command.rows * pattern.planes();
  stationary->partners.assign(stationary->weights.size(), nothing);
  bool legal = true;
  for (unsigned row = 0; row < command.rows; ++row) {
    const std::uint8_t* tags = sbuf_.partition(command.row_start + row) + command.aux_address;
    for (unsigned lane = 0; lane < command.cols; ++lane) {
      const unsigned position = (tags[lane / 2] >> (4 * (lane % 2))) & 15;
      const std::size_t at = panel_index(command, row, lane);
      if (position < pattern.of) {
        stationary->partners[at] = row / pattern.kept * pattern.of + position;
      } else {
        stationary->weights[at] = 0.0f;
        legal = false;
      }
    }
  }
  return legal;
}

void ChainArray::multiply(const TensorCommand& command, const TensorStationary& stationary,
                          PsumMemory* psum) {
  const numerics::ScopedFpModes modes;
  const bool sparse = command.mode == TensorMode::kSparse;
  const unsigned planes = operand_planes(command), size = element_bytes(command.type);
  const std::size_t first = first_element(shape_, command);
  const std::size_t columns = moving_columns(command), parts = ceil_div(command.cols, kLanes);
  std::vector<PatternReader> readers;
  for (unsigned plane = 0; plane < planes; ++plane) {
    readers.emplace_back(sbuf_, command, size,
                         std::int64_t{command.sbuf_address} + std::int64_t{plane} * command.plane);
  }
  const auto share = static_cast<unsigned>(ceil_div(command.rows, parts));
  const OperandWidener widen = operand_widener(command);
  panel_.resize((std::size_t{command.rows} * planes + 1) * kColumns);
  std::fill(panel_.end() - kColumns, panel_.end(), -0.0f);
  TensorTile tile;
  tile.moving = panel_.data();
  tile.rows = command.rows;
  for (std::size_t column = 0; column < columns; column += kColumns) {
    const std::size_t width = std::min(kColumns, columns - column);
    widen.panel(readers, command.row_start, command.rows, column, width, panel_.data());
    unsigned ahead = 0;  // rows of the next columns prefetched
    for (std::size_t part = 0; part < parts; ++part) {
      for (unsigned i = 0; i < share && ahead < command.rows; ++i, ++ahead) {
        for (const PatternReader& reader : readers) {
          reader.prefetch(command.row_start + ahead, column + kColumns, kColumns);
        }
      }
      const std::size_t lane = part * kLanes;
      tile.stationary = stationary.weights.data() + lane * command.rows;
      if (sparse) tile.partners = stationary.partners.data() + lane * command.rows;
      run_tile(
          command, tile,
          {command.col_start + lane, std::min(kLanes, command.cols - lane), first + column, width},
          psum);
    }
  }
}

void ChainArray::run_tile(const TensorCommand& command, TensorTile tile, const Place& place,
                          PsumMemory* psum) const {
  const TensorKernel kernel = tile.partners != nullptr ? kernels_.sparse : kernels_.dense;
  if (place.width == kColumns && place.height == kLanes && !command.bf16_result) {
    tile.psum = psum->words(place.lane, place.element);
    tile.psum_pitch = psum->pitch();
    tile.accumulate = command.accumulate;
    return kernel(tile);
  }
  // An edge, or another rounding: work on a full tile outside PSUM.
  float results[kLanes * kColumns];
  tile.psum = results;
  tile.psum_pitch = kColumns;
  kernel(tile);
  const PsumRule rule = {command.bf16_result, command.accumulate, command.stochastic};
  for (std::size_t i = 0; i < place.height; ++i) {
    psum->store(place.lane + i, place.element, results + i * kColumns, place.width, rule);
  }
}

}  // namespace tern
