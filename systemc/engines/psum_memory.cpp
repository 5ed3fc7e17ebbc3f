// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/psum_memory.h"

#include <cstring>
#include <stdexcept>

#include "systemc/numerics/bf16.h"
#include "systemc/numerics/float_bits.h"

namespace tern {

namespace {

using numerics::bits_of;

// Rows of one power-of-two pitch would all fall into the same cache sets: keep a line between them.
constexpr std::size_t kPadding = 16;

constexpr std::uint32_t mix(std::uint32_t h) {
  h ^= h >> 16;
  h *= 0x85EBCA6B;
  h ^= h >> 13;
  h *= 0xC2B2AE35;
  return h ^ (h >> 16);
}

std::uint16_t round_stochastic(float value, std::uint32_t draw) {
  const std::uint32_t bits = bits_of(value);
  if (numerics::is_nan_bits(bits)) return numerics::kBf16Nan;
  const bool infinite = (bits & 0x7FFFFFFF) == 0x7F800000;
  return static_cast<std::uint16_t>((infinite ? bits : bits + (draw >> 16)) >> 16);
}

}  // namespace

PsumMemory::PsumMemory(const TensorShape& shape)
    : width_(std::size_t{shape.psum_banks} * shape.bank_columns),
      pitch_(width_ + kPadding),
      words_(shape.cols * pitch_),
      generators_(shape.cols) {
  std::uint32_t index = 0;
  for (Generator& generator : generators_) {
    for (std::uint32_t& word : generator) word = mix(++index);
  }
}

std::uint32_t PsumMemory::draw(Generator& generator) {
  auto& [x, y, z, w, v, d] = generator;
  const std::uint32_t t = x ^ (x >> 2);
  x = y;
  y = z;
  z = w;
  w = v;
  v = (v ^ (v << 4)) ^ (t ^ (t << 1));
  d += 362437;
  return v + d;
}

void PsumMemory::store(std::size_t partition, std::size_t element, const float* y,
                       std::size_t count, const PsumRule& rule) {
  if (!rule.half) {
    float* target = words(partition, element);
    for (std::size_t i = 0; i < count; ++i) {
      target[i] = numerics::canonical(rule.accumulate ? target[i] + y[i] : y[i]);
    }
    return;
  }
  auto* target = reinterpret_cast<unsigned char*>(words(partition, 0)) + 2 * element;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t old;
    std::memcpy(&old, target + 2 * i, sizeof old);
    const float sum = rule.accumulate ? numerics::bf16_to_float(old) + y[i] : y[i];
    const std::uint16_t rounded = rule.stochastic
                                      ? round_stochastic(sum, draw(generators_[partition]))
                                      : numerics::bf16_from_float(sum);
    std::memcpy(target + 2 * i, &rounded, sizeof rounded);
  }
}

std::uint32_t PsumMemory::bits(std::size_t partition, std::size_t element, bool half) const {
  std::uint32_t word;
  std::memcpy(&word, words_.data() + partition * pitch_ + (half ? element / 2 : element),
              sizeof word);
  return half ? (word >> (16 * (element % 2))) & 0xFFFF : word;
}

void PsumMemory::set_bits(std::size_t partition, std::size_t element, bool half,
                          std::uint32_t bits) {
  float* word = words(partition, half ? element / 2 : element);
  if (half) {
    const unsigned shift = 16 * (element % 2);
    bits = (this->bits(partition, element / 2, false) & ~(0xFFFFu << shift)) | bits << shift;
  }
  std::memcpy(word, &bits, sizeof bits);
}

void PsumMemory::transfer(const PsumTransfer& transfer) {
  const std::size_t first = transfer.column, end = first + transfer.columns;
  const bool state = first >= width_;
  if (std::size_t{transfer.partition} + transfer.partitions > generators_.size() ||
      end > (state ? width_ + kStateWords : width_)) {
    throw std::logic_error("PSUM transfer outside PSUM");
  }
  for (std::size_t p = 0; p < transfer.partitions; ++p) {
    const std::size_t partition = transfer.partition + p;
    void* inside = state ? static_cast<void*>(generators_[partition].data() + (first - width_))
                         : words(partition, first);
    float* outside = transfer.data + p * transfer.stride;
    const std::size_t bytes = transfer.columns * sizeof(float);
    std::memcpy(transfer.write ? inside : outside, transfer.write ? outside : inside, bytes);
  }
}

}  // namespace tern
