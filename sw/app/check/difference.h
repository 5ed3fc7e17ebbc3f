// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

namespace tern::app {

// What is wrong in a result, and where: enough to name a stuck bit.
struct Difference {
  std::uint64_t words = 0, wrong = 0;
  std::string first;  // "c[3, 37] is 0x3f800000, expected 0x3f000000"
  // Bits of the wrong words that are 1 instead of 0, and 0 instead of 1, anywhere.
  std::uint64_t ones = 0, zeros = 0;
  std::set<unsigned> lanes;  // of the wrong words

  bool good() const { return wrong == 0; }
  // Compares words of 1, 2, 4 or 8 bytes; name: of the first one if it is wrong.
  template <typename Name>
  void compare(const std::uint8_t* is, const std::uint8_t* expected, std::size_t bytes,
               std::size_t word_bytes, const Name& name) {
    for (std::size_t at = 0; at < bytes; at += word_bytes) {
      ++words;
      const std::uint64_t a = load(is + at, word_bytes), b = load(expected + at, word_bytes);
      if (a == b) continue;
      if (wrong++ == 0) first = first_text(name(at / word_bytes), a, b, word_bytes);
      ones |= a & ~b;
      zeros |= b & ~a;
    }
  }

 private:
  static std::uint64_t load(const std::uint8_t* bytes, std::size_t size);
  static std::string first_text(const std::string& name, std::uint64_t is, std::uint64_t expected,
                                std::size_t word_bytes);
};

// "12 of 512 words wrong: c[3, 37] is ..., expected ...; bit 12 always 1, partition 37".
std::string difference_text(const Difference& difference);

}  // namespace tern::app
