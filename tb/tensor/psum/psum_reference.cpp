// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/psum/psum_reference.h"

#include <cmath>
#include <cstring>

namespace tern::tb {

namespace {

float as_float(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

std::uint32_t as_bits(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// Magnitude of a BF16 pattern without sign; the one after the largest finite counts as 2^128.
double bf16_magnitude(unsigned pattern) {
  return pattern >= 0x7F80 ? std::ldexp(1.0, 128) : as_float(pattern << 16);
}

bool is_nan(std::uint32_t x) {
  return (x & 0x7FFFFFFF) > 0x7F800000;
}
bool is_infinite(std::uint32_t x) {
  return (x & 0x7FFFFFFF) == 0x7F800000;
}

std::uint32_t mix(std::uint32_t h) {
  h ^= h >> 16;
  h *= 0x85EBCA6B;
  h ^= h >> 13;
  h *= 0xC2B2AE35;
  h ^= h >> 16;
  return h;
}

}  // namespace

std::uint32_t reference_add(std::uint32_t a, std::uint32_t b) {
  // Two roundings of a sum of binary32 are one: binary64 has more than twice the digits.
  const double sum = static_cast<double>(as_float(a)) + static_cast<double>(as_float(b));
  return std::isnan(sum) ? kFp32Nan : as_bits(static_cast<float>(sum));
}

std::uint16_t reference_bf16(std::uint32_t x) {
  if (is_nan(x)) return 0x7FC0;
  const unsigned sign = x >> 31 << 15;
  const unsigned below = (x & 0x7FFFFFFF) >> 16;
  if (is_infinite(x)) return static_cast<std::uint16_t>(sign | below);
  const double magnitude = std::fabs(as_float(x));
  const double down = magnitude - bf16_magnitude(below);
  const double up = bf16_magnitude(below + 1) - magnitude;
  const bool odd = (below & 1) != 0;
  const unsigned rounded = up < down || (up == down && odd) ? below + 1 : below;
  return static_cast<std::uint16_t>(sign | rounded);
}

std::uint16_t reference_bf16_stochastic(std::uint32_t x, std::uint32_t draw) {
  if (is_nan(x)) return 0x7FC0;
  if (is_infinite(x)) return static_cast<std::uint16_t>(x >> 16);
  // Up if the part cut and the random number together reach the next BF16 number.
  const unsigned cut = x & 0xFFFF;
  const bool up = cut + (draw >> 16) >= 0x10000;
  return static_cast<std::uint16_t>((x >> 16) + (up ? 1 : 0));
}

std::uint32_t Xorwow::draw() {
  auto& [x, y, z, w, v, d] = word;
  const std::uint32_t t = x ^ (x >> 2);
  x = y;
  y = z;
  z = w;
  w = v;
  v = (v ^ (v << 4)) ^ (t ^ (t << 1));
  d += 362437;
  return v + d;
}

Xorwow reset_generator(unsigned lane) {
  Xorwow generator;
  for (unsigned i = 0; i < 6; ++i) generator.word[i] = mix(6 * lane + i + 1);
  return generator;
}

PsumReference::PsumReference() : words_(std::size_t{kBanks} * kBankColumns * kLanes) {
  reset_generators();
}

void PsumReference::reset_generators() {
  for (unsigned lane = 0; lane < kLanes; ++lane) generators[lane] = reset_generator(lane);
}

unsigned PsumReference::element(const Destination& destination, unsigned index, unsigned slot) {
  const unsigned in_bank = kBankColumns * (destination.half ? 2 : 1);
  return (destination.bank + slot * (kBanks / 4)) * in_bank + destination.column + index;
}

std::uint32_t PsumReference::write(const Destination& destination, unsigned element, unsigned lane,
                                   std::uint32_t y) {
  if (!destination.half) {
    std::uint32_t& old = word(element / kBankColumns, element % kBankColumns, lane);
    if (destination.raw) {
      old = y;
    } else if (destination.accumulate) {
      old = reference_add(old, y);
    } else {
      old = is_nan(y) ? kFp32Nan : y;
    }
    return old;
  }
  const unsigned column = element / 2;
  std::uint32_t& pair = word(column / kBankColumns, column % kBankColumns, lane);
  const unsigned shift = element % 2 * 16;
  const std::uint32_t exact =
      destination.accumulate ? reference_add((pair >> shift & 0xFFFF) << 16, y) : y;
  std::uint32_t value = y & 0xFFFF;
  if (!destination.raw) {
    value = destination.stochastic ? reference_bf16_stochastic(exact, generators[lane].draw())
                                   : reference_bf16(exact);
  }
  pair = (pair & ~(0xFFFFU << shift)) | value << shift;
  return value;
}

std::uint32_t& PsumReference::word(unsigned bank, unsigned column, unsigned lane) {
  return words_[(std::size_t{bank} * kBankColumns + column) * kLanes + lane];
}

}  // namespace tern::tb
