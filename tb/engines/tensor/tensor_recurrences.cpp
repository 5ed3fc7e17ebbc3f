// SPDX-License-Identifier: Apache-2.0
#include "tb/engines/tensor/tensor_recurrences.h"

#include <algorithm>

namespace tern::tb {

namespace {

bool is_load(const TensorCommand& c) {
  return c.op == TensorOp::kLoadStationary;
}
bool is_move(const TensorCommand& c) {
  return c.op == TensorOp::kMultiplyMoving;
}
bool is_transpose(const TensorCommand& c) {
  return c.op == TensorOp::kTranspose;
}
bool on_x(const TensorCommand& c) {
  return !is_transpose(c) && (c.mode == TensorMode::kDoubleRow || c.mode == TensorMode::kMx ||
                              c.mode == TensorMode::kQuad);
}
bool halves(const TensorCommand& c) {
  if (is_move(c)) return c.bf16_result;
  return c.type != TensorType::kFp32 && c.type != TensorType::kTf32;
}

// Quarters of the array in one direction, as bits.
unsigned quarters(TensorTileSize size, unsigned start, unsigned whole) {
  if (size == TensorTileSize::kWhole) return 15;
  const unsigned first = start * 4 / whole;
  return size == TensorTileSize::kHalf ? 3u << first : 1u << first;
}
unsigned row_quarters(const TensorShape& shape, const TensorCommand& c) {
  return is_transpose(c) ? 15 : quarters(c.tile_rows, c.row_start, shape.rows);
}
unsigned column_quarters(const TensorShape& shape, const TensorCommand& c) {
  const bool tile = c.mode == TensorMode::kDense && !is_transpose(c);
  return tile ? quarters(c.tile_cols, c.col_start, shape.cols) : 15;
}

}  // namespace

// Four columns a cycle if each is the next element and the first is on eight bytes, else one.
std::uint64_t TensorRecurrences::length(const TensorCommand& c) const {
  bool fours = c.sbuf_address % 8 == 0;
  for (unsigned m = 0; m < c.cols && fours; ++m) {
    const unsigned i0 = m % c.num0, i1 = m / c.num0;
    fours = static_cast<int>(i0) * c.step0 + static_cast<int>(i1) * c.step1 == static_cast<int>(m);
  }
  return fours ? (c.cols + 3) / 4 : c.cols;
}

std::uint64_t TensorRecurrences::columns(const TensorCommand& c) const {
  return is_transpose(c) ? c.rows : std::uint64_t{c.num0} * c.num1;
}

std::uint64_t TensorRecurrences::delay(const TensorCommand& c) const {
  if (is_transpose(c)) return length(c) + shape_.rows + 3;
  const unsigned rows = row_quarters(shape_, c);
  const unsigned last = rows >= 8 ? 4 : rows >= 4 ? 3 : rows >= 2 ? 2 : 1;
  if (on_x(c)) return shape_.rows / 32 * last + 3;
  return shape_.rows / 4 * last + 2;
}

bool TensorRecurrences::shares_columns(const TensorCommand& a, const TensorCommand& b) const {
  return (column_quarters(shape_, a) & column_quarters(shape_, b)) != 0;
}

bool TensorRecurrences::shares_cells(const TensorCommand& a, const TensorCommand& b) const {
  return (row_quarters(shape_, a) & row_quarters(shape_, b)) != 0 && shares_columns(a, b);
}

std::uint64_t TensorRecurrences::bank_of(const TensorCommand& c, std::uint64_t n) const {
  const std::uint64_t elements = std::uint64_t{shape_.bank_columns} * (halves(c) ? 2 : 1);
  const std::uint64_t bank = (c.psum_bank * elements + c.psum_column + n) / elements;
  std::uint64_t banks = 0;
  for (unsigned slot = 0; slot < (c.mode == TensorMode::kQuad ? 4 : 1); ++slot) {
    banks |= std::uint64_t{1} << (bank + slot * shape_.psum_banks / 4);
  }
  return banks;
}

bool TensorRecurrences::shares_banks(const TensorCommand& a, const TensorCommand& b) const {
  const auto banks = [&](const TensorCommand& c) {
    std::uint64_t all = 0;
    for (std::uint64_t n = 0; n < columns(c); ++n) all |= bank_of(c, n);
    return all;
  };
  return (banks(a) & banks(b)) != 0;
}

// The earliest issue of c that an earlier command allows, its weights apart.
std::uint64_t TensorRecurrences::after(const Entry& e, const TensorCommand& c) const {
  std::uint64_t issue = e.issue + 1;
  if (!e.accepted) return issue;
  const std::uint64_t skew = shape_.rows - shape_.rows / 8;
  if (!is_move(c) && !is_move(e.command)) {
    issue = std::max(issue, e.issue + length(e.command));
    if (!on_x(c) && is_transpose(e.command)) {
      issue = std::max(issue, e.issue + length(e.command) + e.command.rows + 1);
    }
    if (on_x(c) && !on_x(e.command)) {
      issue = std::max(issue, e.issue + length(e.command) + skew);
    }
  }
  if (is_move(c) && is_move(e.command)) {
    if (shares_cells(c, e.command)) {
      issue = std::max(issue,
                       e.issue + std::max<std::uint64_t>(shape_.min_interval, columns(e.command)));
    }
    if (on_x(c) && !on_x(e.command)) issue = std::max(issue, e.issue + columns(e.command) + skew);
    const bool above = (row_quarters(shape_, c) & 8) == 0;
    if (on_x(c) && above && e.command.mode == TensorMode::kQuad) {
      issue = std::max(issue, e.issue + columns(e.command) + 3 * shape_.rows / 32);
    }
  }
  if (!is_load(c) && !is_load(e.command)) {
    const std::uint64_t end = e.issue + columns(e.command) + delay(e.command);
    const bool random = is_move(c) && c.stochastic && is_move(e.command) && e.command.stochastic;
    if (random || (shares_columns(c, e.command) && shares_banks(c, e.command))) {
      issue = std::max(issue, end > delay(c) ? end - delay(c) : 0);
    }
  }
  return issue;
}

std::uint64_t TensorRecurrences::weights_after(const Entry& e, const TensorCommand& c) const {
  if (!e.accepted || !is_move(c) || !is_load(e.command) || on_x(c) != on_x(e.command)) return 0;
  return shares_cells(c, e.command) ? e.issue + length(e.command) + 1 : 0;
}

std::uint64_t TensorRecurrences::push(std::uint64_t a, const TensorCommand& c, bool accepted) {
  std::uint64_t issue = a + 1, weights = 0;
  for (const Entry& earlier : entries_) {
    issue = std::max(issue, accepted ? after(earlier, c) : earlier.issue + 1);
    if (accepted) weights = std::max(weights, weights_after(earlier, c));
  }
  if (weights > issue) {
    weight_stalls_ += weights - issue;
    issue = weights;
  }
  entries_.push_back({c, accepted, issue});
  std::uint64_t complete = issue + 1;
  if (accepted && is_load(c)) {
    complete = issue + length(c) + (on_x(c) ? shape_.rows / 8 : shape_.rows);
  } else if (accepted) {
    complete = issue + columns(c) + delay(c);
  }
  last_retire_ = std::max(complete, last_retire_ + 1);
  return last_retire_;
}

std::uint64_t TensorRecurrences::transfer_end(std::uint64_t c, unsigned column,
                                              unsigned columns) const {
  const auto refused = [&](std::uint64_t cycle, unsigned bank) {
    for (const Entry& e : entries_) {
      if (!e.accepted || is_load(e.command)) continue;
      const std::uint64_t first_read = e.issue + delay(e.command) - 1;
      const std::uint64_t count = this->columns(e.command);
      if (bank == shape_.psum_banks) {
        if (is_move(e.command) && e.command.stochastic && cycle >= first_read + 1 &&
            cycle < first_read + 1 + count) {
          return true;
        }
      } else if (cycle >= first_read && cycle < first_read + count &&
                 (bank_of(e.command, cycle - first_read) >> bank & 1) != 0) {
        return true;
      }
    }
    return false;
  };
  for (unsigned i = 0; i < columns; ++i, ++c) {
    while (refused(c, (column + i) / shape_.bank_columns)) ++c;
  }
  return c;
}

}  // namespace tern::tb
