// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tern::tb {

namespace {

constexpr std::uint32_t kNan = 0x7FC00000;

std::uint32_t canonical(float x) {
  return std::isnan(x) ? kNan : bits_of(x);
}

}  // namespace

std::uint32_t bits_of(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, 4);
  return bits;
}

float float_of(std::uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, 4);
  return x;
}

float decode(TensorType type, std::uint16_t element) {
  if (type == TensorType::kBf16) return float_of(std::uint32_t{element} << 16);
  const int exponent = (element >> 10) & 0x1F;
  const int fraction = element & 0x3FF;
  float x;
  if (exponent == 31) {
    x = fraction != 0 ? NAN : INFINITY;
  } else if (exponent == 0) {
    x = std::ldexp(static_cast<float>(fraction), -24);
  } else {
    x = std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  }
  return (element & 0x8000) != 0 ? -x : x;
}

Reference::Reference(const TensorShape& shape, const TestSbuf& sbuf)
    : shape_(shape),
      sbuf_(sbuf),
      psum_(std::size_t{shape.cols} * shape.psum_banks * shape.bank_columns) {}

TensorStatusCode Reference::check(const TensorCommand& c) const {
  const bool move = c.op == TensorOp::kMultiplyMoving;
  if (!move && c.op != TensorOp::kLoadStationary) return TensorStatusCode::kBadOperation;
  if (c.type != TensorType::kBf16 && c.type != TensorType::kFp16)
    return TensorStatusCode::kBadOperation;
  const std::uint64_t quarter = shape_.rows < 4 ? 1 : shape_.rows / 4;
  if (c.rows < 1 || std::uint64_t{c.row_start} + c.rows > shape_.rows ||
      c.row_start % quarter != 0 || c.cols < 1 || c.cols > shape_.cols) {
    return TensorStatusCode::kBadTile;
  }
  const std::uint64_t n = std::uint64_t{c.num0} * c.num1;
  if (move && (n < 1 || n > shape_.max_moving)) return TensorStatusCode::kBadMoving;
  if (move && (c.psum_bank >= shape_.psum_banks || c.psum_column + n > shape_.bank_columns)) {
    return TensorStatusCode::kBadPsum;
  }
  if (c.sbuf_address % (move ? 2 : 8) != 0) return TensorStatusCode::kBadAlignment;
  if (move && (!stationary_ || stationary_->row_start != c.row_start ||
               stationary_->rows != c.rows || stationary_->cols != c.cols)) {
    return TensorStatusCode::kNoStationary;
  }
  const std::int64_t first = c.sbuf_address;
  if (!move && first + 2 * std::int64_t{c.cols} > shape_.sbuf_bytes)
    return TensorStatusCode::kBadAddress;
  if (move) {
    for (unsigned i1 : {0u, c.num1 - 1}) {
      for (unsigned i0 : {0u, c.num0 - 1}) {
        const std::int64_t address =
            first + 2 * (std::int64_t{i0} * c.step0 + std::int64_t{i1} * c.step1);
        if (address < 0 || address > std::int64_t{shape_.sbuf_bytes} - 2)
          return TensorStatusCode::kBadAddress;
      }
    }
  }
  return TensorStatusCode::kOk;
}

ExpectedStatus Reference::accept(const TensorCommand& c, std::uint64_t cycle) {
  ExpectedStatus status;
  status.tag = c.tag;
  status.code = check(c);
  std::uint64_t issue = std::max(cycle + 1, last_issue_ + 1);
  std::uint64_t complete = 0;
  if (status.code != TensorStatusCode::kOk) {
    complete = issue + 1;
  } else if (c.op == TensorOp::kLoadStationary) {
    issue = std::max(issue, load_issue_ + load_cycles_);
    load_issue_ = issue;
    load_cycles_ = (c.cols + 3) / 4;
    load_pending_ = true;
    complete = issue + load_cycles_ + shape_.rows;
    load(c);
  } else {
    const std::uint64_t n = std::uint64_t{c.num0} * c.num1;
    issue = std::max(issue, move_issue_ + move_cycles_);
    if (load_pending_) issue = std::max(issue, load_issue_ + load_cycles_ + 1);
    load_pending_ = false;
    move_issue_ = issue;
    move_cycles_ = std::max<std::uint64_t>(shape_.min_interval, n);
    complete = issue + n + shape_.rows + 2;
    multiply(c, issue);
  }
  last_issue_ = issue;
  last_retire_ = std::max(complete, last_retire_ + 1);
  status.issue = issue;
  status.retire = last_retire_;
  retires_.push_back(last_retire_);
  return status;
}

bool Reference::ready(std::uint64_t cycle) const {
  const auto in_flight = std::count_if(retires_.begin(), retires_.end(),
                                       [cycle](std::uint64_t r) { return r >= cycle; });
  return in_flight < static_cast<std::ptrdiff_t>(shape_.command_depth);
}

void Reference::load(const TensorCommand& c) {
  Stationary s{c.row_start, c.rows, c.cols, {}};
  for (unsigned r = 0; r < c.rows; ++r) {
    for (unsigned m = 0; m < c.cols; ++m) {
      s.weights.push_back(decode(c.type, sbuf_.get(c.row_start + r, c.sbuf_address + 2 * m)));
    }
  }
  stationary_ = std::move(s);
}

void Reference::multiply(const TensorCommand& c, std::uint64_t issue) {
  const unsigned base = c.psum_bank * shape_.bank_columns + c.psum_column;
  const unsigned n = c.num0 * c.num1;
  std::vector<float> moving(c.rows);
  for (unsigned i = 0; i < n; ++i) {
    const std::int64_t offset =
        std::int64_t{i % c.num0} * c.step0 + std::int64_t{i / c.num0} * c.step1;
    for (unsigned r = 0; r < c.rows; ++r) {
      moving[r] = decode(c.type, sbuf_.get(c.row_start + r, c.sbuf_address + 2 * offset));
    }
    ExpectedWrite write;
    write.tag = c.tag;
    write.cycle = issue + i + shape_.rows + 2;
    write.column = base + i;
    write.index = i;
    for (unsigned m = 0; m < c.cols; ++m) {
      float acc = 0.0f;
      for (unsigned r = 0; r < c.rows; ++r) {
        acc = std::fmaf(moving[r], stationary_->weights[r * c.cols + m], acc);
      }
      std::uint32_t& word = psum_[index(m, base + i)];
      word = c.accumulate ? canonical(float_of(word) + acc) : canonical(acc);
      write.data.push_back(word);
    }
    writes_.push_back(std::move(write));
  }
}

}  // namespace tern::tb
