// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace tern::tb {

// PSUM as docs/numerics.md defines it, element by element: no words of RTL, no cycles.

inline constexpr unsigned kLanes = 8;
inline constexpr unsigned kBanks = 8;
inline constexpr unsigned kBankColumns = 16;
inline constexpr std::uint32_t kFp32Nan = 0x7FC00000;

using Row = std::array<std::uint32_t, kLanes>;

// round(a + b): binary32 to nearest even, NaN canonical.
std::uint32_t reference_add(std::uint32_t a, std::uint32_t b);
// The BF16 number next to a binary32 one, ties to even, by distances.
std::uint16_t reference_bf16(std::uint32_t x);
std::uint16_t reference_bf16_stochastic(std::uint32_t x, std::uint32_t draw);

struct Xorwow {
  std::array<std::uint32_t, 6> word{};  // x, y, z, w, v, d
  std::uint32_t draw();
};
Xorwow reset_generator(unsigned lane);

struct Destination {
  std::uint8_t tag = 0;
  unsigned first = 0, lanes = kLanes;
  unsigned bank = 0, column = 0;  // in elements of the destination
  unsigned count = 1;
  bool accumulate = false, half = false, raw = false, stochastic = false, quad = false;
};

class PsumReference {
 public:
  PsumReference();

  // Destination of a column: slot q of a quad command, otherwise 0.
  static unsigned element(const Destination& destination, unsigned index, unsigned slot);

  // Writes one element of a lane and returns it, 16-bit ones in the lower half.
  std::uint32_t write(const Destination& destination, unsigned element, unsigned lane,
                      std::uint32_t y);

  std::uint32_t& word(unsigned bank, unsigned column, unsigned lane);

  std::array<Xorwow, kLanes> generators;
  void reset_generators();

 private:
  std::vector<std::uint32_t> words_;
};

}  // namespace tern::tb
