// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/top/oracle/reference.h"

#include "tb/tensor/top/oracle/reference_check.h"

namespace tern::tb {

namespace {

bool four_byte(const TensorCommand& c) {
  return bytes_of(c.type) == 4;
}

// Whether weights loaded by `load` are those that `move` requires.
bool fits(const TensorCommand& load, const TensorCommand& move) {
  if (load.mode != move.mode || load.row_start != move.row_start || load.rows != move.rows ||
      load.cols != move.cols || load.tile_rows != move.tile_rows) {
    return false;
  }
  if (on_array_x(move)) {
    const auto legacy_meets_fn = [](TensorType a, TensorType b) {
      return a == TensorType::kE4m3 && b == TensorType::kE4m3fn;
    };
    return !legacy_meets_fn(load.type, move.type) && !legacy_meets_fn(move.type, load.type);
  }
  return load.col_start == move.col_start && load.tile_cols == move.tile_cols &&
         four_byte(load) == four_byte(move) &&
         (move.mode != TensorMode::kSparse || load.sparsity == move.sparsity);
}

}  // namespace

Reference::Reference(const TensorShape& shape, const TestSbuf& sbuf)
    : shape_(shape), sbuf_(sbuf), timing_(shape), psum_(shape) {}

const Stationary* Reference::find(const TensorCommand& move) const {
  const Claim claim = claim_of(shape_, move);
  if (on_array_x(move)) {
    const auto& first = x_[claim.row_first];
    if (first == nullptr || !fits(first->command, move)) return nullptr;
    for (unsigned g = claim.row_first; g <= claim.row_last; ++g) {
      if (x_[g] != first) return nullptr;
    }
    return first.get();
  }
  const auto& first = cells_[claim.row_first][claim.col_first].stationary;
  if (first == nullptr || !fits(first->command, move)) return nullptr;
  for (unsigned g = claim.row_first; g <= claim.row_last; ++g) {
    for (unsigned j = claim.col_first; j <= claim.col_last; ++j) {
      if (cells_[g][j].stationary != first) return nullptr;
    }
  }
  return first.get();
}

TensorStatusCode Reference::check(const TensorCommand& c) const {
  const TensorStatusCode fields = check_fields(shape_, c);
  if (fields != TensorStatusCode::kOk) return fields;
  if (c.op == TensorOp::kMultiplyMoving && find(c) == nullptr)
    return TensorStatusCode::kNoStationary;
  return check_places(shape_, c);
}

ExpectedStatus Reference::accept(const TensorCommand& c, std::uint64_t cycle) {
  ExpectedStatus status;
  status.tag = c.tag;
  status.code = check(c);
  const bool rejected = status.code != TensorStatusCode::kOk;
  const Schedule schedule = timing_.accept(c, rejected, cycle);
  status.issue = schedule.issue;
  status.first_write = schedule.first_write;
  status.retire = schedule.retire;
  writes_.clear();
  if (rejected) {
    ++counters_.errors;
    return status;
  }
  count(c);
  if (c.op == TensorOp::kLoadStationary) {
    load(c);
    const Claim claim = claim_of(shape_, c);
    const Stationary& loaded =
        on_array_x(c) ? *x_[claim.row_first] : *cells_[claim.row_first][claim.col_first].stationary;
    if (loaded.bad_tag) status.code = TensorStatusCode::kBadTag;
  } else if (c.op == TensorOp::kMultiplyMoving) {
    multiply(c, schedule.first_write);
  } else {
    transpose(c, schedule.first_write);
  }
  return status;
}

void Reference::count(const TensorCommand& c) {
  if (c.op != TensorOp::kMultiplyMoving) {
    ++counters_.loads;
    return;
  }
  const std::uint64_t factors[] = {1, 1, 2, 4, 4};
  ++counters_.moves;
  counters_.columns += columns_of(c);
  counters_.macs += columns_of(c) * c.rows * c.cols * factors[static_cast<unsigned>(c.mode)];
}

void Reference::load(const TensorCommand& c) {
  const auto stationary = std::make_shared<const Stationary>(read_stationary(sbuf_, c));
  const Claim claim = claim_of(shape_, c);
  for (unsigned g = claim.row_first; g <= claim.row_last; ++g) {
    if (on_array_x(c)) {
      x_[g] = stationary;
      continue;
    }
    for (unsigned j = claim.col_first; j <= claim.col_last; ++j) cells_[g][j] = {stationary, true};
  }
}

void Reference::multiply(const TensorCommand& c, std::uint64_t first_write) {
  const Stationary& stationary = *find(c);
  if (!on_array_x(c)) {
    const Claim claim = claim_of(shape_, c);
    for (unsigned g = claim.row_first; g <= claim.row_last; ++g) {
      for (unsigned j = claim.col_first; j <= claim.col_last; ++j) cells_[g][j].pending = false;
    }
  }
  const unsigned bank = bank_elements(shape_, c);
  const unsigned slots = c.mode == TensorMode::kQuad ? 4 : 1;
  for (unsigned n = 0; n < columns_of(c); ++n) {
    for (unsigned slot = 0; slot < slots; ++slot) {
      ExpectedWrite write;
      write.cycle = first_write + n;
      write.column = (c.psum_bank + slot * (shape_.psum_banks / 4)) * bank + c.psum_column + n;
      write.index = n;
      write.slot = slot;
      write.partition = c.col_start;
      write.half = c.bf16_result;
      unsigned lane = c.col_start;
      for (const float sum : column_sums(sbuf_, stationary, c, n, slot))
        write.data.push_back(psum_.store(c, lane++, write.column, sum));
      writes_.push_back(std::move(write));
    }
  }
}

void Reference::transpose(const TensorCommand& c, std::uint64_t first_write) {
  // It passes through the shadow weights, so weights waiting there are lost.
  for (auto& row : cells_) {
    for (Cell& cell : row) {
      if (cell.pending) cell = {};
    }
  }
  const unsigned bytes = bytes_of(c.type);
  for (unsigned n = 0; n < c.rows; ++n) {
    ExpectedWrite write;
    write.cycle = first_write + n;
    write.column = c.psum_bank * bank_elements(shape_, c) + c.psum_column + n;
    write.index = n;
    write.half = half_elements(c);
    for (unsigned m = 0; m < c.cols; ++m) {
      const std::int64_t address = c.sbuf_address + pattern_offset(c, m, bytes);
      const std::uint32_t bits = sbuf_.read(c.row_start + n, address, bytes);
      write.data.push_back(psum_.store_raw(write.half, m, write.column, bits));
    }
    writes_.push_back(std::move(write));
  }
}

}  // namespace tern::tb
