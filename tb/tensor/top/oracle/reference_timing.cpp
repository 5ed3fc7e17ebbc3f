// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/top/oracle/reference_timing.h"

#include <algorithm>

#include "tb/tensor/top/oracle/reference_check.h"

namespace tern::tb {

namespace {

// L.
std::uint64_t load_groups(const TensorCommand& c) {
  return four_at_a_time(c) ? (c.cols + 3) / 4 : c.cols;
}

// Cycles from the issue of a multiply to its first write.
std::uint64_t move_latency(const TensorShape& shape, const TensorCommand& c) {
  const unsigned groups = claim_of(shape, c).row_last + 1;
  return on_array_x(c) ? shape.stages * shape.rows / 32 * groups + 3
                       : shape.stages * shape.rows / 4 * groups + 2;
}

unsigned slots_of(const TensorCommand& c) {
  return c.op == TensorOp::kMultiplyMoving && c.mode == TensorMode::kQuad ? 4 : 1;
}

}  // namespace

ReferenceTiming::ReferenceTiming(const TensorShape& shape)
    : shape_(shape),
      ramp_(shape),
      rows_(std::uint64_t{shape.stages} * shape.rows),
      blocks_(rows_ / 8),
      cells_{},
      window_end_(shape.psum_banks) {}

Schedule ReferenceTiming::accept(const TensorCommand& c, bool rejected, std::uint64_t cycle) {
  const std::uint64_t earliest = std::max(cycle, last_issue_) + 1;
  Schedule schedule;
  std::uint64_t complete = 0;
  if (rejected) {
    schedule.issue = earliest;
    complete = earliest + 1;
  } else if (c.op == TensorOp::kLoadStationary) {
    schedule.issue = issue_load(c, earliest);
    complete = schedule.issue + load_groups(c) + (on_array_x(c) ? blocks_ : rows_);
  } else {
    const bool move = c.op == TensorOp::kMultiplyMoving;
    schedule.issue = move ? issue_move(c, earliest) : issue_transpose(c, earliest);
    schedule.first_write = windows_.back().first_write;
    complete = schedule.first_write + columns_of(c);
  }
  last_issue_ = schedule.issue;
  last_retire_ = schedule.retire = std::max(complete, last_retire_ + 1);
  retires_.push_back(last_retire_);
  if (retires_.size() > 4 * shape_.command_depth) retires_.pop_front();
  return schedule;
}

std::uint64_t ReferenceTiming::issue_load(const TensorCommand& c, std::uint64_t earliest) {
  std::uint64_t s = std::max(earliest, load_free_);
  s = std::max(s, on_array_x(c) ? x_load_from_ : shadow_free_);
  load_free_ = s + load_groups(c);
  const Claim claim = claim_of(shape_, c);
  if (on_array_x(c)) {
    for (unsigned g = claim.row_first; g <= claim.row_last; ++g) x_ready_[g] = load_free_ + 1;
    return s;
  }
  x_load_from_ = load_free_ + rows_ - blocks_;
  for (unsigned g = claim.row_first; g <= claim.row_last; ++g) {
    for (unsigned j = claim.col_first; j <= claim.col_last; ++j)
      cells_[g][j].ready = load_free_ + 1;
  }
  return s;
}

std::uint64_t ReferenceTiming::issue_move(const TensorCommand& c, std::uint64_t earliest) {
  const std::uint64_t n = columns_of(c);
  const bool x = on_array_x(c);
  const Claim claim = claim_of(shape_, c);  // array X: all columns
  std::uint64_t t = earliest;
  if (x) t = std::max(t, x_move_from_);
  // A column of quad mode is in three more row groups before it leaves by all ports.
  if (x && claim.row_last < 3) t = std::max(t, quad_gone_);
  for (unsigned g = claim.row_first; g <= claim.row_last; ++g) {
    for (unsigned j = claim.col_first; j <= claim.col_last; ++j)
      t = std::max({t, cells_[g][j].busy, x ? x_ready_[g] : cells_[g][j].ready});
  }
  t = book(c, t, move_latency(shape_, c));
  const std::uint64_t kept = ramp_.interval(t, n, c.rows, c.cols);
  for (unsigned g = claim.row_first; g <= claim.row_last; ++g) {
    for (unsigned j = claim.col_first; j <= claim.col_last; ++j)
      cells_[g][j].busy = t + std::max<std::uint64_t>(shape_.min_interval, kept);
  }
  if (c.mode == TensorMode::kQuad) quad_gone_ = t + n + blocks_ / 4 * 3;
  if (!x) x_move_from_ = std::max(x_move_from_, t + n + rows_ - blocks_);
  return t;
}

std::uint64_t ReferenceTiming::issue_transpose(const TensorCommand& c, std::uint64_t earliest) {
  const std::uint64_t groups = load_groups(c);
  std::uint64_t s = std::max({earliest, load_free_, shadow_free_});
  s = book(c, s, groups + rows_ + 3);
  load_free_ = s + groups;
  shadow_free_ = s + groups + 1 + c.rows;
  x_load_from_ = load_free_ + rows_ - blocks_;
  return s;
}

std::vector<unsigned> ReferenceTiming::banks_of(const TensorCommand& c) const {
  const std::uint64_t elements = bank_elements(shape_, c);
  const std::uint64_t first = c.psum_bank * elements + c.psum_column;
  const std::uint64_t last = first + columns_of(c) - 1;
  std::vector<unsigned> banks;
  for (unsigned slot = 0; slot < slots_of(c); ++slot) {
    for (std::uint64_t bank = first / elements; bank <= last / elements; ++bank)
      banks.push_back(static_cast<unsigned>(bank + slot * (shape_.psum_banks / 4)));
  }
  return banks;
}

std::uint64_t ReferenceTiming::book(const TensorCommand& c, std::uint64_t earliest,
                                    std::uint64_t latency) {
  const bool part = c.op == TensorOp::kMultiplyMoving && !on_array_x(c);
  const Claim claim = part ? claim_of(shape_, c) : Claim{0, 3, 0, 3};
  std::uint64_t write = earliest + latency;
  for (const unsigned bank : banks_of(c)) {
    for (unsigned j = claim.col_first; j <= claim.col_last; ++j)
      write = std::max(write, window_end_[bank][j]);
  }
  const bool stochastic = c.op == TensorOp::kMultiplyMoving && c.stochastic;
  if (stochastic) write = std::max(write, random_free_);
  const std::uint64_t end = write + columns_of(c);
  for (const unsigned bank : banks_of(c)) {
    for (unsigned j = claim.col_first; j <= claim.col_last; ++j) window_end_[bank][j] = end;
  }
  if (stochastic) random_free_ = end;
  windows_.push_back({write, columns_of(c), c.psum_bank, c.psum_column, bank_elements(shape_, c),
                      slots_of(c), stochastic});
  if (windows_.size() > 4 * shape_.command_depth) windows_.pop_front();
  return write - latency;
}

bool ReferenceTiming::ready(std::uint64_t cycle) const {
  const auto under_way = std::count_if(retires_.begin(), retires_.end(),
                                       [cycle](std::uint64_t r) { return r >= cycle; });
  return under_way < static_cast<std::ptrdiff_t>(shape_.command_depth);
}

bool ReferenceTiming::array_uses(unsigned bank, std::uint64_t cycle) const {
  // The generators are busy when a column is written, a bank when its old words are read.
  const bool generators = bank == shape_.psum_banks;
  const std::uint64_t write = cycle + (generators ? 0 : 1);
  return std::any_of(windows_.begin(), windows_.end(), [&](const Window& w) {
    if (write < w.first_write || write >= w.first_write + w.columns) return false;
    if (generators) return w.stochastic;
    const std::uint64_t element = w.column + (write - w.first_write);
    const unsigned first = w.bank + static_cast<unsigned>(element / w.bank_elements);
    for (unsigned slot = 0; slot < w.slots; ++slot) {
      if (first + slot * (shape_.psum_banks / 4) == bank) return true;
    }
    return false;
  });
}

std::uint64_t ReferenceTiming::access_end(std::uint64_t cycle, unsigned column,
                                          unsigned columns) const {
  for (unsigned i = 0; i < columns; ++i, ++cycle) {
    while (array_uses((column + i) / shape_.bank_columns, cycle)) ++cycle;
  }
  return cycle;
}

}  // namespace tern::tb
