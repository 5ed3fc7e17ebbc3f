// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/ctrl/random_commands.h"

#include <algorithm>
#include <cstdint>

#include "tb/tensor/ctrl/ctrl_reference.h"

namespace tern::tb {

RandomCommands::RandomCommands(const TensorShape& shape, const Flavour& flavour, Random* random)
    : shape_(shape), flavour_(flavour), random_(random) {}

TensorType RandomCommands::type_of(TensorMode mode, bool wide) {
  switch (mode) {
    case TensorMode::kDense:
      if (wide) return below(2) != 0 ? TensorType::kTf32 : TensorType::kFp32;
      return below(2) != 0 ? TensorType::kBf16 : TensorType::kFp16;
    case TensorMode::kSparse:
      return below(2) != 0 ? TensorType::kBf16 : TensorType::kFp16;
    case TensorMode::kDoubleRow:
      return static_cast<TensorType>(between(14, 16));
    default:
      return static_cast<TensorType>(between(20, 22));
  }
}

void RandomCommands::place_tile(TensorCommand* c) {
  const auto side = [&](unsigned size, unsigned grain, TensorTileSize* tile, unsigned* start,
                        unsigned* count, bool tiles) {
    *tile = TensorTileSize::kWhole;
    if (tiles && flavour_.tiles && below(4) != 0) {
      *tile = static_cast<TensorTileSize>(between(1, 2));
      // Where a quarter of the rows is less than the grain there are no such tiles.
      if (size >> static_cast<unsigned>(*tile) < grain) *tile = TensorTileSize::kWhole;
    }
    unsigned part = size >> static_cast<unsigned>(*tile);
    unsigned step = part == size ? std::max(size / 4, grain) : part;
    const bool full = below(3) != 0;
    *start = full && part == size ? 0 : step * below(size / step);
    part = part == size ? size - *start : part;
    *count = full ? part : grain * between(1, part / grain);
  };
  unsigned grain = 1;
  if (c->mode == TensorMode::kMx || c->mode == TensorMode::kQuad) grain = 32;
  if (c->mode == TensorMode::kDoubleRow) grain = 8;
  if (c->mode == TensorMode::kSparse) grain = static_cast<unsigned>(kept(c->sparsity));
  const bool dense = c->mode == TensorMode::kDense;
  const bool rows = dense || c->mode == TensorMode::kDoubleRow || c->mode == TensorMode::kMx;
  side(shape_.rows, grain, &c->tile_rows, &c->row_start, &c->rows, rows);
  side(shape_.cols, 1, &c->tile_cols, &c->col_start, &c->cols, dense);
  if (c->tile_cols == TensorTileSize::kWhole && c->col_start != 0) {
    c->cols += c->col_start;
    c->col_start = 0;
  }
}

TensorCommand RandomCommands::load() {
  TensorCommand c;
  c.op = TensorOp::kLoadStationary;
  c.mode = TensorMode::kDense;
  if (flavour_.arrays && below(3) != 0) c.mode = static_cast<TensorMode>(below(5));
  c.sparsity = static_cast<TensorSparsity>(below(7));
  c.type = type_of(c.mode, below(3) == 0);
  c.high_half = below(2) != 0;
  place_tile(&c);
  place_stationary(&c);
  c.aux_address = 4 * below((shape_.sbuf_bytes - 2 * c.cols) / 4);
  c.scale_offset = 4 * below(4);
  const auto other = static_cast<std::int32_t>(4 * below((shape_.sbuf_bytes - c.cols) / 4 + 1));
  c.plane = other - static_cast<std::int32_t>(c.sbuf_address);
  return c;
}

// M elements in a run from a multiple of eight bytes on or, if dense, in any pattern.
void RandomCommands::place_stationary(TensorCommand* c) {
  const unsigned last = shape_.sbuf_bytes - static_cast<unsigned>(element_bytes(c->type)) * c->cols;
  c->sbuf_address = 8 * below(last / 8 + 1);
  c->num0 = c->cols;
  if (below(3) == 0) {
    do c->num0 = between(1, c->cols);
    while (c->cols % c->num0 != 0);
  }
  c->num1 = c->cols / c->num0;
  c->step0 = 1;
  c->step1 = static_cast<int>(c->num0);
  if (c->mode != TensorMode::kDense || below(2) == 0) return;
  if (below(2) == 0) c->step0 = static_cast<int>(below(9)) - 4;
  if (below(2) == 0) c->step1 = static_cast<int>(below(41)) - 20;
  place_address(c, 0);
}

// A pattern in the middle of the partition, sometimes exactly at its start or end.
void RandomCommands::place_pattern(TensorCommand* c) {
  unsigned most = shape_.max_moving * (c->bf16_result ? 2 : 1);
  const unsigned bank = shape_.bank_columns * (c->bf16_result ? 2 : 1);
  const unsigned banks = c->mode == TensorMode::kQuad ? shape_.psum_banks / 4 : shape_.psum_banks;
  most = std::min(most, banks * bank);
  if (below(12) != 0) most = std::min(most, flavour_.longest);
  c->num0 = between(1, below(4) != 0 ? std::min(most, 24u) : most);
  c->num1 = between(1, most / c->num0);
  c->step0 = below(2) != 0 ? 1 : static_cast<int>(below(9)) - 4;
  c->step1 = below(2) != 0 ? static_cast<int>(c->num0) : static_cast<int>(below(41)) - 20;
  int planes_room = 0;
  c->plane = static_cast<int>(2 * below(400));
  if (c->mode == TensorMode::kSparse) planes_room = (planes(c->sparsity) - 1) * c->plane;
  if (c->mode == TensorMode::kDoubleRow) planes_room = c->plane;
  place_address(c, planes_room);
  if (below(2) != 0 && planes_room != 0) {  // the reverse
    c->sbuf_address += static_cast<unsigned>(planes_room);
    c->plane = -c->plane;
  }
  c->scale_offset = 4 * below(4);
}

// Of elements and scales, for the pattern in the command.
void RandomCommands::place_address(TensorCommand* c, int planes_room) {
  const int size = element_bytes(c->type);
  const int span0 = (static_cast<int>(c->num0) - 1) * c->step0;
  const int span1 = (static_cast<int>(c->num1) - 1) * c->step1;
  const int low = std::min({0, span0, span1, span0 + span1});
  const int high = std::max({0, span0, span1, span0 + span1});
  const int bytes = static_cast<int>(shape_.sbuf_bytes);
  const int first = -low * size, last = bytes - planes_room - (high + 1) * size;
  const auto pick = [&](int from, int to, int grain) {
    if (to < from) return from;  // does not fit: refused with code 7
    const auto count = static_cast<unsigned>((to - from) / grain);
    const unsigned i = below(6) == 0 ? count * below(2) : below(count + 1);
    return from + static_cast<int>(i) * grain;
  };
  c->sbuf_address = static_cast<unsigned>(pick(first, last, size));
  c->aux_address = static_cast<unsigned>(pick(-low, bytes - 1 - high, 1));
}

void RandomCommands::place_result(TensorCommand* c, unsigned columns) {
  const bool half = is_transpose(*c) ? element_bytes(c->type) < 4 : c->bf16_result;
  const unsigned bank = shape_.bank_columns * (half ? 2 : 1);
  const bool quad = is_move(*c) && c->mode == TensorMode::kQuad;
  const unsigned room = (quad ? shape_.psum_banks / 4 : shape_.psum_banks) * bank - columns;
  const unsigned linear = below(8) == 0 ? room : below(room + 1);
  c->psum_bank = linear / bank;
  c->psum_column = linear % bank;
}

TensorCommand RandomCommands::move(const TensorCommand& load) {
  TensorCommand c = load;
  c.op = TensorOp::kMultiplyMoving;
  c.type = type_of(c.mode, element_bytes(load.type) == 4);
  c.high_half = below(2) != 0;
  c.bf16_result = below(3) == 0;
  c.stochastic = c.bf16_result && below(2) != 0;
  c.accumulate = below(2) != 0;
  place_pattern(&c);
  place_result(&c, c.num0 * c.num1);
  return c;
}

TensorCommand RandomCommands::transpose() {
  TensorCommand c;
  c.op = TensorOp::kTranspose;
  const unsigned types[] = {6, 7, 10, 11, 14, 15, 16};
  c.type = static_cast<TensorType>(types[below(7)]);
  c.row_start = shape_.rows / 4 * below(4);
  c.rows = between(1, shape_.rows - c.row_start);
  c.cols = between(1, shape_.cols);
  place_stationary(&c);
  c.bf16_result = below(2) != 0;  // ignored
  place_result(&c, c.rows);
  return c;
}

void RandomCommands::spoil(TensorCommand* c) {
  const int nudge = below(2) != 0 ? 1 : -1;
  switch (below(20)) {
    case 0:
      c->op = static_cast<TensorOp>(below(16));
      break;
    case 1:
      c->type = static_cast<TensorType>(below(32));
      break;
    case 2:
      c->mode = static_cast<TensorMode>(below(8));
      break;
    case 3:
      c->tile_rows = static_cast<TensorTileSize>(below(4));
      break;
    case 4:
      c->tile_cols = static_cast<TensorTileSize>(below(4));
      break;
    case 5:
      c->rows = (c->rows + static_cast<unsigned>(nudge)) & 255;
      break;
    case 6:
      c->cols = below(2) != 0 ? shape_.cols + below(2) : (c->cols - 1) & 255;
      break;
    case 7:
      c->row_start = below(2) != 0 ? below(256) : shape_.rows / 4 * below(4);
      break;
    case 8:
      c->col_start = below(2) != 0 ? below(256) : shape_.cols / 4 * below(4);
      break;
    case 9:
      c->num0 = below(3) == 0 ? 0 : below(65536);
      break;
    case 10:
      c->num1 = below(3) == 0 ? 0 : below(65536);
      break;
    case 11:
      c->psum_bank += shape_.psum_banks / 4 * between(1, 4);
      break;
    case 12:
      c->psum_column = below(2) != 0 ? below(65536) : c->psum_column + 1;
      break;
    case 13:
      c->sbuf_address += static_cast<unsigned>(nudge * (1 << below(4)));
      break;
    case 14:
      c->sbuf_address = static_cast<unsigned>((*random_)());
      break;
    case 15:
      c->plane = below(2) != 0 ? static_cast<int>((*random_)()) : c->plane + nudge;
      break;
    case 16:
      c->aux_address = below(2) != 0 ? static_cast<unsigned>((*random_)())
                                     : c->aux_address + static_cast<unsigned>(nudge);
      break;
    case 17:
      c->scale_offset = below(16);
      break;
    case 18:
      c->stochastic = c->accumulate = true;
      c->sparsity = static_cast<TensorSparsity>(below(8));
      break;
    default:
      c->step0 = static_cast<int>(below(65536)) - 32768;
      c->step1 = static_cast<int>(below(65536)) - 32768;
      break;
  }
}

TensorCommand RandomCommands::next() {
  TensorCommand c;
  const unsigned kind = below(8);
  if (loads_.empty() || kind < 2) {
    c = load();
    loads_.push_back(c);
    if (loads_.size() > 6) loads_.erase(loads_.begin());
  } else if (kind == 2 && below(2) == 0) {
    c = transpose();
  } else {
    // The newest load more often than older ones, which may be gone.
    const unsigned back = below(2) != 0 ? 0 : below(static_cast<unsigned>(loads_.size()));
    c = move(loads_[loads_.size() - 1 - back]);
  }
  if (flavour_.spoiled != 0 && below(flavour_.spoiled) == 0) spoil(&c);
  c.tag = tag_++ & 255;
  return c;
}

}  // namespace tern::tb
