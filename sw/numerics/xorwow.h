// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

// The random generators of the core (docs/numerics.md, section 6).
namespace tern::numerics {

// XORWOW: a xorshift of five words plus a Weyl sequence (G. Marsaglia, Xorshift RNGs, 2003).
struct Xorwow {
  static constexpr unsigned kWords = 6;

  std::array<std::uint32_t, kWords> words{};  // x, y, z, w, v, d

  std::uint32_t draw() {
    auto& [x, y, z, w, v, d] = words;
    const std::uint32_t t = x ^ (x >> 2);
    x = y;
    y = z;
    z = w;
    w = v;
    v = (v ^ (v << 4)) ^ (t ^ (t << 1));
    d += 362437;
    return v + d;
  }
};

// A bijection of 32-bit words that scatters adjacent values; 0 stays 0.
constexpr std::uint32_t scatter_bits(std::uint32_t h) {
  h ^= h >> 16;
  h *= 0x85EBCA6B;
  h ^= h >> 13;
  h *= 0xC2B2AE35;
  return h ^ (h >> 16);
}

// Word `number` of the random state of a core, counted from 1 over all its generators, after a
// reset (seed 0) or after a new seed. At most one number of a seed gives 0: no generator gets five
// zeros, from which it would not recover.
constexpr std::uint32_t random_state_word(std::uint32_t seed, std::uint32_t number) {
  return scatter_bits(scatter_bits(seed) + number);
}

// A uniform number in [0, 1): the upper 24 bits of a draw times 2^-24, exact.
constexpr float uniform_from_bits(std::uint32_t draw) {
  return static_cast<float>(draw >> 8) * 0x1p-24f;
}

}  // namespace tern::numerics
