// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/ctrl/ctrl_reference.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tern::tb {

namespace {

Cycle groups_of(const TensorCommand& c) {
  return in_fours(c) ? (c.cols + 3) / 4 : c.cols;
}
std::int64_t columns_of(const TensorCommand& c) {
  return is_transpose(c) ? c.rows : static_cast<std::int64_t>(c.num0) * c.num1;
}
bool half_result(const TensorCommand& c) {
  return is_transpose(c) ? element_bytes(c.type) < 4 : c.bf16_result;
}

unsigned form_a(const TensorCommand& c) {
  if (is_transpose(c)) return element_bytes(c.type) == 1 ? 5 : element_bytes(c.type) == 2 ? 6 : 7;
  switch (c.type) {
    case TensorType::kBf16:
      return 0;
    case TensorType::kFp16:
      return 1;
    case TensorType::kTf32:
      return 2;
    default:
      return c.high_half ? 4 : 3;
  }
}

unsigned form_x(TensorType type) {
  switch (type) {
    case TensorType::kE5m2:
    case TensorType::kE5m2X4:
      return 1;
    case TensorType::kE4m3:
      return 2;
    case TensorType::kE2m1X4:
      return 3;
    default:
      return 0;
  }
}

}  // namespace

CtrlReference::CtrlReference(const TensorShape& shape)
    : shape_(shape), ramp_(shape), cells_(16), array_x_(4), waves_(kStreams) {}

CtrlReference::Span CtrlReference::row_groups(const TensorCommand& c) const {
  const unsigned first = c.row_start / (shape_.rows / 4);
  if (c.tile_rows == TensorTileSize::kWhole) return {0, 3};
  return {first, c.tile_rows == TensorTileSize::kHalf ? first + 1 : first};
}

CtrlReference::Span CtrlReference::col_groups(const TensorCommand& c) const {
  const unsigned first = c.col_start / (shape_.cols / 4);
  if (c.tile_cols == TensorTileSize::kWhole) return {0, 3};
  return {first, c.tile_cols == TensorTileSize::kHalf ? first + 1 : first};
}

std::vector<unsigned> CtrlReference::cells_of(const TensorCommand& c) const {
  std::vector<unsigned> cells;
  const Span rows = row_groups(c), cols = col_groups(c);
  for (unsigned g = rows.first; g <= rows.last; ++g) {
    for (unsigned j = cols.first; j <= cols.last; ++j) cells.push_back(4 * g + j);
  }
  return cells;
}

bool CtrlReference::weights_agree(const TensorCommand& c) const {
  if (on_array_x(c)) {
    const Span groups = row_groups(c);
    for (unsigned g = groups.first; g <= groups.last; ++g) {
      if (!array_x_[g].valid || array_x_[g].load != array_x_[groups.first].load) return false;
    }
    const TensorCommand& w = loads_[array_x_[groups.first].load];
    const std::set<TensorType> types = {w.type, c.type};
    return w.row_start == c.row_start && w.rows == c.rows && w.cols == c.cols && w.mode == c.mode &&
           w.tile_rows == c.tile_rows &&
           !(types.count(TensorType::kE4m3) != 0 && types.count(TensorType::kE4m3fn) != 0);
  }
  const std::vector<unsigned> cells = cells_of(c);
  for (const unsigned i : cells) {
    if (!cells_[i].valid || cells_[i].load != cells_[cells.front()].load) return false;
  }
  const TensorCommand& w = loads_[cells_[cells.front()].load];
  return w.row_start == c.row_start && w.rows == c.rows && w.col_start == c.col_start &&
         w.cols == c.cols && w.tile_rows == c.tile_rows && w.tile_cols == c.tile_cols &&
         w.mode == c.mode && (w.mode != TensorMode::kSparse || w.sparsity == c.sparsity) &&
         element_bytes(w.type) == element_bytes(c.type);
}

Cycle CtrlReference::latency(const TensorCommand& c) const {
  const unsigned rows = shape_.rows * shape_.stages;
  if (is_transpose(c)) return groups_of(c) + rows + 3;
  if (on_array_x(c)) return rows / 32 * (row_groups(c).last + 1) + 3;
  return rows / 4 * (row_groups(c).last + 1) + 2;
}

std::set<unsigned> CtrlReference::windows_of(const TensorCommand& c) const {
  const std::int64_t bank = shape_.bank_columns * (half_result(c) ? 2 : 1);
  const bool quad = is_move(c) && c.mode == TensorMode::kQuad;
  const bool all = is_transpose(c) || on_array_x(c);
  const Span groups = all ? Span{0, 3} : col_groups(c);
  std::set<unsigned> windows;
  for (unsigned slot = 0; slot < (quad ? 4u : 1u); ++slot) {
    for (std::int64_t n = 0; n < columns_of(c); ++n) {
      const std::int64_t linear =
          c.psum_bank * bank + c.psum_column + n + slot * (shape_.psum_banks / 4) * bank;
      if (n != 0 && linear % bank != 0) continue;  // same bank as the column before
      for (unsigned j = groups.first; j <= groups.last; ++j) {
        windows.insert(static_cast<unsigned>(linear / bank) * 4 + j);
      }
    }
  }
  return windows;
}

Cycle CtrlReference::window_free(const TensorCommand& c) const {
  Cycle end = 0;
  for (const unsigned w : windows_of(c)) {
    const auto found = window_end_.find(w);
    if (found != window_end_.end()) end = std::max(end, found->second);
  }
  if (is_move(c) && c.stochastic) end = std::max(end, random_end_);
  return end - latency(c);
}

void CtrlReference::write_psum(const TensorCommand& c, Fate* fate) {
  const Cycle end = fate->issue + columns_of(c) + latency(c);
  for (const unsigned w : windows_of(c)) window_end_[w] = end;
  if (is_move(c) && c.stochastic) random_end_ = end;
  fate->complete = end;
  const bool move = is_move(c);
  fate->dest = {c.tag,
                move ? c.col_start : 0,
                c.cols,
                c.psum_bank,
                c.psum_column,
                columns_of(c),
                move && c.accumulate,
                half_result(c),
                !move,
                move && c.stochastic,
                move && c.mode == TensorMode::kQuad};
}

void CtrlReference::send(unsigned stream, Cycle cycle, Members wave) {
  if (!waves_[stream].emplace(cycle, std::move(wave)).second) {
    throw std::logic_error("two waves in one cycle: the rules contradict each other");
  }
}

void CtrlReference::send_load(const TensorCommand& c, Cycle s, unsigned slot) {
  const std::int64_t bytes = element_bytes(c.type), groups = groups_of(c);
  const bool fours = in_fours(c);
  for (std::int64_t g = 0; g < groups; ++g) {
    const std::int64_t column = fours ? 4 * g : g, cycle = s + 1 + g;
    const std::int64_t address = c.sbuf_address + bytes * column_offset(c, column);
    const bool last = g == groups - 1;
    if (!is_transpose(c) && on_array_x(c)) {
      const bool double_row = c.mode == TensorMode::kDoubleRow;
      send(kXLoad, cycle,
           {1, last, slot, form_x(c.type), double_row, g, address / 4,
            double_row ? (address + c.plane) / 4 : kAny,
            double_row ? kAny : (c.aux_address + 4 * g) / 4, double_row ? kAny : c.scale_offset / 4,
            c.row_start / 8, c.rows / 8});
      continue;
    }
    send(kLoad, cycle,
         {1, last && !is_transpose(c), slot, form_a(c), !fours, (c.col_start + column) / 4,
          (c.col_start + column) % 4, address, c.row_start, c.rows});
    if (c.mode == TensorMode::kSparse) {
      const std::int64_t left = c.cols - 4 * g;
      send(kTag, cycle,
           {1, static_cast<int>(c.sparsity), left >= 4 ? 15 : (1 << left) - 1, 0,
            (c.aux_address + 2 * g) / 2});
    }
  }
}

void CtrlReference::send_move(const TensorCommand& c, Cycle t, unsigned slot, bool swap) {
  const Span rows = row_groups(c), cols = col_groups(c);
  unsigned mask = 0;
  for (unsigned j = cols.first; j <= cols.last; ++j) mask |= 1u << j;
  const unsigned entry_row = shape_.rows / 4 * rows.first;
  for (std::int64_t n = 0; n < columns_of(c); ++n) {
    const std::int64_t steps = column_offset(c, n);
    const std::int64_t address = c.sbuf_address + element_bytes(c.type) * steps;
    const bool first = swap && n == 0;
    if (on_array_x(c)) {
      const bool double_row = c.mode == TensorMode::kDoubleRow;
      const unsigned entry_block = shape_.rows / 32 * rows.first;
      send(kXMove + rows.first, t + 1 + n + entry_block * shape_.stages,
           {1, first, slot, form_x(c.type), double_row, c.mode == TensorMode::kQuad, rows.last,
            address / 2, double_row ? (address + c.plane) / 2 : kAny,
            double_row ? address % 2 : kAny, double_row ? kAny : c.aux_address + steps,
            double_row ? kAny : c.scale_offset / 4, c.row_start / 8 - entry_block, c.rows / 8});
      continue;
    }
    const bool sparse = c.mode == TensorMode::kSparse;
    const Cycle cycle = t + 1 + n + entry_row * shape_.stages;
    send(kMove + 4 * rows.first + cols.first, cycle,
         {1, first, slot, form_a(c), sparse, sparse ? static_cast<int>(c.sparsity) : kAny, mask,
          rows.last, address / 2, c.row_start - entry_row, c.rows});
    if (sparse) send(kPlane, cycle, {(c.plane / 2) & 0x1ffff});
  }
}

void CtrlReference::issue_load(const TensorCommand& c, Fate* fate) {
  const Cycle groups = groups_of(c);
  const bool x = on_array_x(c);
  const Cycle s = fate->issue =
      std::max({fate->issue, load_free_, x ? x_load_free_ : shadow_free_});
  load_free_ = s + groups;
  const unsigned index = static_cast<unsigned>(loads_.size());
  loads_.push_back(c);
  const auto take = [&](Cell* cell) {
    cell->valid = cell->pending = true;
    cell->load = index;
    cell->ready = s + groups + 1;
  };
  if (x) {
    const Span rows = row_groups(c);
    for (unsigned g = rows.first; g <= rows.last; ++g) take(&array_x_[g]);
  } else {
    x_load_free_ = s + groups + ahead();
    for (const unsigned i : cells_of(c)) take(&cells_[i]);
  }
  fate->complete = s + groups + (x ? shape_.rows / 8 : shape_.rows) * shape_.stages;
  send_load(c, s, fate->slot);
}

void CtrlReference::issue_transpose(const TensorCommand& c, Fate* fate) {
  const Cycle groups = groups_of(c);
  const Cycle s = fate->issue = std::max({fate->issue, load_free_, shadow_free_, window_free(c)});
  load_free_ = s + groups;
  x_load_free_ = s + groups + ahead();
  shadow_free_ = s + groups + 1 + c.rows;
  for (Cell& cell : cells_) {
    if (cell.pending) cell.valid = cell.pending = false;
  }
  write_psum(c, fate);
  send_load(c, s, fate->slot);
  for (Cycle n = 0; n < static_cast<Cycle>(c.rows); ++n) {
    send(kDrain, s + groups + 2 + n, {1, fate->slot, c.row_start + n});
  }
}

void CtrlReference::issue_move(const TensorCommand& c, Fate* fate) {
  const bool x = on_array_x(c);
  Cycle free = std::max(fate->issue, window_free(c)), ready = 0;
  const std::vector<unsigned> claimed = cells_of(c);  // array X: all columns
  const Span rows = row_groups(c);
  if (x) free = std::max(free, x_move_free_);
  // The ports of tiles that end above the last row group are in use until the columns have passed
  // the lower three quarters of the array.
  if (x && rows.last < 3) free = std::max(free, quad_end_);
  for (const unsigned i : claimed) {
    free = std::max(free, cells_[i].busy);
    ready = std::max(ready, x ? array_x_[i / 4].ready : cells_[i].ready);
  }
  const Cycle t = fate->issue = std::max(free, ready);
  fate->stalled = t - free;
  const std::int64_t columns = columns_of(c);
  const auto kept = static_cast<Cycle>(ramp_.interval(
      static_cast<std::uint64_t>(t), static_cast<std::uint64_t>(columns), c.rows, c.cols));
  for (const unsigned i : claimed) {
    cells_[i].busy = t + std::max<Cycle>(shape_.min_interval, kept);
  }
  bool swap = array_x_[rows.first].pending;
  if (x) {
    for (unsigned g = rows.first; g <= rows.last; ++g) array_x_[g].pending = false;
    if (c.mode == TensorMode::kQuad)
      quad_end_ = t + columns + 3 * (shape_.rows / 32) * shape_.stages;
  } else {
    x_move_free_ = std::max(x_move_free_, t + columns + ahead());
    swap = cells_[claimed.front()].pending;
    for (const unsigned i : claimed) cells_[i].pending = false;
  }
  fate->columns = columns;
  fate->macs = columns * c.rows * c.cols * (!x ? 1 : c.mode == TensorMode::kDoubleRow ? 2 : 4);
  write_psum(c, fate);
  send_move(c, t, fate->slot, swap);
}

Fate CtrlReference::next(const TensorCommand& c, Cycle accepted) {
  Fate fate;
  fate.slot = issued_++ % shape_.command_depth;
  fate.issue = std::max(accepted, last_issue_) + 1;
  fate.code = check_command(shape_, c);
  if (is_move(c) && (fate.code == 0 || fate.code > 6) && !weights_agree(c)) fate.code = 6;
  if (fate.code != 0) {
    fate.complete = fate.issue + 1;
  } else if (is_move(c)) {
    issue_move(c, &fate);
  } else if (is_transpose(c)) {
    issue_transpose(c, &fate);
  } else {
    issue_load(c, &fate);
  }
  last_issue_ = fate.issue;
  return fate;
}

}  // namespace tern::tb
