// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/top/oracle/reference_psum.h"

#include <cmath>

namespace tern::tb {

std::uint16_t round_bf16(std::uint32_t word) {
  const float x = float_of(word);
  if (std::isnan(x)) return 0x7FC0;
  // The two neighbours and the middle between them, in units of the last bit that is cut off. The
  // neighbour of the largest finite number is infinity, which is also its bit pattern plus one.
  const std::uint32_t below = word >> 16, rest = word & 0xFFFF;
  const bool up = rest > 0x8000 || (rest == 0x8000 && (below & 1) != 0);
  return static_cast<std::uint16_t>(below + (up ? 1 : 0));
}

std::uint16_t round_bf16_stochastic(std::uint32_t word, std::uint32_t draw) {
  const float x = float_of(word);
  if (std::isnan(x)) return 0x7FC0;
  if (std::isinf(x)) return static_cast<std::uint16_t>(word >> 16);
  return static_cast<std::uint16_t>((word + (draw >> 16)) >> 16);
}

Xorwow::Xorwow(unsigned lane) : state_{} {
  for (unsigned i = 0; i < 6; ++i) {
    std::uint32_t h = 6 * lane + i + 1;
    h ^= h >> 16;
    h *= 0x85EBCA6B;
    h ^= h >> 13;
    h *= 0xC2B2AE35;
    h ^= h >> 16;
    state_[i] = h;
  }
}

std::uint32_t Xorwow::draw() {
  auto& [x, y, z, w, v, d] = state_;
  const std::uint32_t t = x ^ (x >> 2);
  x = y;
  y = z;
  z = w;
  w = v;
  v = (v ^ (v << 4)) ^ (t ^ (t << 1));
  d += 362437;
  return v + d;
}

ReferencePsum::ReferencePsum(const TensorShape& shape)
    : columns_(shape.psum_banks * shape.bank_columns), words_(std::size_t{shape.cols} * columns_) {
  for (unsigned lane = 0; lane < shape.cols; ++lane) generators_.emplace_back(lane);
}

std::uint32_t& ReferencePsum::at(unsigned lane, unsigned column) {
  return column < columns_ ? words_[std::size_t{lane} * columns_ + column]
                           : generators_[lane].word(column - columns_);
}

std::uint32_t ReferencePsum::word(unsigned lane, unsigned column) const {
  return const_cast<ReferencePsum*>(this)->at(lane, column);
}

void ReferencePsum::set_word(unsigned lane, unsigned column, std::uint32_t bits) {
  at(lane, column) = bits;
}

std::uint32_t ReferencePsum::element(bool half, unsigned lane, unsigned column) {
  return half ? (at(lane, column / 2) >> (16 * (column % 2))) & 0xFFFF : at(lane, column);
}

std::uint32_t ReferencePsum::store_raw(bool half, unsigned lane, unsigned column,
                                       std::uint32_t bits) {
  if (half) {
    const unsigned shift = 16 * (column % 2);
    std::uint32_t& word = at(lane, column / 2);
    word = (word & ~(0xFFFFu << shift)) | bits << shift;
  } else {
    at(lane, column) = bits;
  }
  return bits;
}

std::uint32_t ReferencePsum::store(const TensorCommand& c, unsigned lane, unsigned column,
                                   float sum) {
  float y = sum;
  if (c.accumulate) {
    const std::uint32_t old = element(c.bf16_result, lane, column);
    y = float_of(c.bf16_result ? old << 16 : old) + sum;
  }
  if (!c.bf16_result) return store_raw(false, lane, column, canonical(y));
  return store_raw(true, lane, column,
                   c.stochastic ? round_bf16_stochastic(bits_of(y), generators_[lane].draw())
                                : round_bf16(bits_of(y)));
}

}  // namespace tern::tb
