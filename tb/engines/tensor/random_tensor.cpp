// SPDX-License-Identifier: Apache-2.0
#include "tb/engines/tensor/random_tensor.h"

#include <algorithm>
#include <numeric>

namespace tern::tb {

namespace {

constexpr unsigned kKept[] = {4, 4, 4, 2, 2, 1, 1}, kOf[] = {16, 12, 8, 8, 4, 4, 2};

TensorType pick_type(unsigned number, std::initializer_list<TensorType> types) {
  return *(types.begin() + number % types.size());
}

bool is_mx(const TensorCommand& command) {
  return command.mode >= TensorMode::kDoubleRow;
}

struct Cells {
  unsigned g0, g1, j0, j1;
};
Cells cells(const TensorShape& shape, const TensorCommand& c) {
  const auto last = [](TensorTileSize size, unsigned first) {
    return size == TensorTileSize::kWhole ? 3 : size == TensorTileSize::kHalf ? first + 1 : first;
  };
  const unsigned g = c.tile_rows == TensorTileSize::kWhole ? 0 : c.row_start / (shape.rows / 4);
  const unsigned j = c.col_start / (shape.cols / 4);
  return {g, last(c.tile_rows, g), j, last(c.tile_cols, j)};
}

}  // namespace

void RandomTensor::fill(FakeSbuf* sbuf, unsigned wild, unsigned bad) {
  sbuf->fill(random_, wild);
  for (unsigned p = 0; p < shape_.rows; ++p) {
    for (unsigned a = scales(); a < shape_.sbuf_bytes / 8 * 7; ++a) {
      const unsigned kind = below(1000);
      sbuf->put8(p, a,
                 static_cast<std::uint8_t>(kind < wild ? 255
                                           : kind < 20 ? below(255)
                                                       : 110 + below(35)));
    }
  }
  for (unsigned s = 0; s < 7; ++s) {
    const unsigned kept = kKept[s], of = kOf[s];
    for (unsigned m = 0; m < shape_.cols; ++m) {
      for (unsigned p = 0; p < shape_.rows; p += kept) {
        std::array<unsigned, 16> positions;
        std::iota(positions.begin(), positions.end(), 0);
        std::shuffle(positions.begin(), positions.begin() + of, random_);
        std::sort(positions.begin(), positions.begin() + kept);
        for (unsigned i = 0; i < kept; ++i) {
          const bool outside = of < 16 && below(1000) < bad;
          const unsigned position = outside ? of + below(16 - of) : positions[i];
          const unsigned at = tags(static_cast<TensorSparsity>(s)) + m / 2;
          const std::uint8_t other = sbuf->view().partition(p + i)[at] & (m % 2 != 0 ? 0x0F : 0);
          sbuf->put8(p + i, at, static_cast<std::uint8_t>(other | position << (4 * (m % 2))));
        }
      }
    }
  }
}

TensorCommand RandomTensor::next(unsigned refused) {
  TensorCommand command;
  const unsigned kind = below(16);
  if (loaded_.empty() || kind < 5) {
    command = load();
  } else if (kind == 5) {
    command = transpose();
  } else {
    command = multiply(loaded_[below(static_cast<unsigned>(loaded_.size()))]);
  }
  command.tag = tag_++ % 256;
  if (below(100) < refused) {
    switch (below(4)) {
      case 0:
        command.rows = 0;
        break;
      case 1:
        command.sbuf_address |= 0x7FFFFF00;
        break;
      case 2:
        command.mode = static_cast<TensorMode>(7);
        break;
      default:
        command.op = static_cast<TensorOp>(9);
    }
    return command;
  }
  if (command.op != TensorOp::kMultiplyMoving) forget(command);
  if (command.op == TensorOp::kLoadStationary) loaded_.push_back(command);
  return command;
}

// Tiles whose weights the command overwrites; a transpose may take any that were not used yet.
void RandomTensor::forget(const TensorCommand& command) {
  const auto lost = [&](const TensorCommand& old) {
    if (command.op == TensorOp::kTranspose) return !is_mx(old);
    if (is_mx(command) != is_mx(old)) return false;
    const Cells a = cells(shape_, command), b = cells(shape_, old);
    return a.g0 <= b.g1 && b.g0 <= a.g1 && a.j0 <= b.j1 && b.j0 <= a.j1;
  };
  loaded_.erase(std::remove_if(loaded_.begin(), loaded_.end(), lost), loaded_.end());
}

void RandomTensor::choose_tile(TensorCommand* c) {
  const auto part = [&](TensorTileSize* size, unsigned whole, bool starts_inside, unsigned* start,
                        unsigned* count) {
    *size = static_cast<TensorTileSize>(below(3));
    unsigned extent = whole >> static_cast<unsigned>(*size);
    if (*size != TensorTileSize::kWhole) {
      *start = below(whole / extent) * extent;
    } else if (starts_inside) {
      *start = below(4) * (whole / 4);
      extent = whole - *start;
    }
    *count = below(3) == 0 ? extent : 1 + below(extent);
  };
  part(&c->tile_rows, shape_.rows, true, &c->row_start, &c->rows);
  part(&c->tile_cols, shape_.cols, false, &c->col_start, &c->cols);
}

// The M columns of a load or transpose; those of a dense one may be anywhere.
void RandomTensor::choose_pattern(TensorCommand* c) {
  c->num0 = c->cols;
  if (below(3) == 0) c->num0 = std::gcd(c->cols, 1 + below(c->cols));
  c->num1 = c->cols / c->num0;
  c->step1 = static_cast<int>(c->num0);
  if (c->mode != TensorMode::kDense || below(2) != 0) return;
  if (below(2) != 0) c->step0 = static_cast<int>(below(7)) - 3;
  if (below(2) != 0) c->step1 = static_cast<int>(below(7)) - 3;
  // No column is farther away than this.
  const unsigned reach = 3 * (c->num0 + c->num1) + c->cols;
  c->sbuf_address = 4 * reach + 4 * below(scales() / 4 - 2 * reach);
  if (c->type == TensorType::kBf16 && below(2) != 0) c->sbuf_address += 2;
}

TensorCommand RandomTensor::load() {
  TensorCommand c;
  c.mode = static_cast<TensorMode>(below(5));
  c.row_start = below(4) * (shape_.rows / 4);
  c.cols = below(3) == 0 ? shape_.cols : 1 + below(shape_.cols);
  unsigned grain = 1;
  switch (c.mode) {
    case TensorMode::kDense:
      c.type = pick_type(
          below(4), {TensorType::kBf16, TensorType::kFp16, TensorType::kFp32, TensorType::kTf32});
      c.high_half = below(2) != 0;
      choose_tile(&c);
      break;
    case TensorMode::kSparse:
      c.type = pick_type(below(2), {TensorType::kBf16, TensorType::kFp16});
      c.sparsity = static_cast<TensorSparsity>(below(7));
      c.aux_address = tags(c.sparsity);
      grain = kKept[static_cast<unsigned>(c.sparsity)];
      break;
    case TensorMode::kDoubleRow:
      c.type = pick_type(below(3), {TensorType::kE4m3, TensorType::kE4m3fn, TensorType::kE5m2});
      grain = 8;
      break;
    default:
      c.type =
          pick_type(below(3), {TensorType::kE4m3fnX4, TensorType::kE5m2X4, TensorType::kE2m1X4});
      c.aux_address = scales() + 4 * below((shape_.sbuf_bytes / 8 - shape_.cols) / 4);
      c.scale_offset = 4 * below(4);
      grain = 32;
  }
  if (c.mode != TensorMode::kDense) {
    c.row_start -= c.row_start % grain;
    unsigned rows = shape_.rows - c.row_start;
    const bool tiles = c.mode == TensorMode::kDoubleRow || c.mode == TensorMode::kMx;
    const unsigned size = tiles ? below(3) : 0, part = shape_.rows >> size;
    if (size != 0 && part >= grain) {
      c.tile_rows = static_cast<TensorTileSize>(size);
      c.row_start -= c.row_start % part;
      rows = part;
    }
    const unsigned room = rows / grain;
    c.rows = grain * (below(2) == 0 ? room : 1 + below(room));
  }
  const unsigned room = scales() / 2 - 4 * shape_.cols;
  c.sbuf_address = 8 * below(room / 8);
  choose_pattern(&c);
  if (c.mode == TensorMode::kDoubleRow) {
    c.plane = 4 * static_cast<int>(below(room / 8)) - static_cast<int>(c.sbuf_address / 2 & ~3u);
  }
  return c;
}

void RandomTensor::choose_destination(TensorCommand* c, unsigned columns, bool half, bool quad) {
  const unsigned bank = shape_.bank_columns * (half ? 2 : 1);
  const unsigned all = bank * shape_.psum_banks / (quad ? 4 : 1);
  const unsigned first = below(all - columns + 1);
  c->psum_bank = first / bank;
  c->psum_column = first % bank;
}

TensorCommand RandomTensor::multiply(const TensorCommand& load) {
  TensorCommand c = load;
  c.op = TensorOp::kMultiplyMoving;
  c.accumulate = below(2) != 0;
  c.bf16_result = below(3) == 0;
  c.stochastic = c.bf16_result && below(2) != 0;
  switch (load.mode) {
    case TensorMode::kDense:
      c.high_half = below(2) != 0;
      c.type = load.type == TensorType::kBf16 || load.type == TensorType::kFp16
                   ? pick_type(below(2), {TensorType::kBf16, TensorType::kFp16})
                   : pick_type(below(2), {TensorType::kFp32, TensorType::kTf32});
      break;
    case TensorMode::kSparse:
      c.type = pick_type(below(2), {TensorType::kBf16, TensorType::kFp16});
      break;
    case TensorMode::kDoubleRow:
      if (below(2) != 0) c.type = TensorType::kE5m2;
      if (load.type == TensorType::kE5m2) {
        c.type = pick_type(below(3), {TensorType::kE4m3, TensorType::kE4m3fn, TensorType::kE5m2});
      }
      break;
    default:
      c.type =
          pick_type(below(3), {TensorType::kE4m3fnX4, TensorType::kE5m2X4, TensorType::kE2m1X4});
      c.scale_offset = 4 * below(4);
  }
  const bool quad = load.mode == TensorMode::kQuad;
  const unsigned limit =
      std::min(shape_.max_moving, shape_.psum_banks * shape_.bank_columns) / (quad ? 4 : 1);
  const unsigned most = std::min(limit * (c.bf16_result ? 2 : 1), below(4) == 0 ? 400u : 30u);
  c.num0 = 1 + below(most);
  if (below(2) != 0) c.num0 = 1 + below(std::min(most, 9u));
  c.num1 = 1 + below(most / c.num0);
  c.step0 = below(2) == 0 ? 1 : static_cast<int>(below(3)) - 1;
  c.step1 = below(2) == 0 ? static_cast<int>(c.num0) : static_cast<int>(below(5)) - 2;
  const bool backward = c.step0 < 0 || c.step1 < 0;
  // No pattern reaches farther than this many elements in either direction.
  const unsigned reach = (c.num0 * c.num1 + 2 * c.num1 + c.num0) & ~3u;
  const unsigned middle = scales() / 4;
  c.sbuf_address = backward ? 4 * reach + 4 * below(middle / 4) : 4 * below(middle / 4);
  if (load.mode == TensorMode::kDoubleRow) c.sbuf_address += below(4);
  if (load.mode == TensorMode::kSparse || load.mode == TensorMode::kDoubleRow) {
    c.plane = 2 * static_cast<int>(below(scales() / 32));
  }
  if (load.mode >= TensorMode::kMx) {
    c.aux_address = scales() + (backward ? reach : 0) + below(shape_.sbuf_bytes / 64);
  }
  choose_destination(&c, c.num0 * c.num1, c.bf16_result, quad);
  return c;
}

TensorCommand RandomTensor::transpose() {
  TensorCommand c;
  c.op = TensorOp::kTranspose;
  c.type = pick_type(below(7),
                     {TensorType::kBf16, TensorType::kFp16, TensorType::kFp32, TensorType::kTf32,
                      TensorType::kE4m3, TensorType::kE5m2, TensorType::kE4m3fn});
  c.row_start = below(4) * (shape_.rows / 4);
  c.rows = 1 + below(shape_.rows - c.row_start);
  c.cols = 1 + below(shape_.cols);
  c.sbuf_address = 8 * below(scales() / 16);
  choose_pattern(&c);
  const bool wide = c.type == TensorType::kFp32 || c.type == TensorType::kTf32;
  choose_destination(&c, c.rows, !wide, false);
  return c;
}

}  // namespace tern::tb
