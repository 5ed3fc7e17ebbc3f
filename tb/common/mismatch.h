// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tb/common/bench_cycle.h"

namespace tern::tb {

// "0x3F80": as many digits as `bits` bits have.
std::string hex(std::uint64_t value, unsigned bits = 32);

// An array of words, in hex: "3F80 0000 BF80", runs of equal words as "0000 x 12".
std::string hex_words(const std::vector<std::uint64_t>& words, unsigned bits);
template <typename Words>
std::string hex_list(const Words& words, unsigned bits = 8 * sizeof(*std::begin(words))) {
  return hex_words({std::begin(words), std::end(words)}, bits);
}

// One number of many 32-bit words, the lowest first, without zeros in front.
std::string hex_number(const std::vector<std::uint32_t>& words);

// Where and when a block under test differs.
struct Where {
  std::string place;  // "lane 17", "port done_o"
  std::string input;  // the input vector that led there
  std::uint64_t cycle = *bench_cycle();
};

// An output of a block that is not the expected one.
struct Mismatch {
  Where where;
  std::string expected, got;  // in hex

  std::string text() const;
};

// What a bench collects while it compares: the number of mismatches and the few of the earliest
// cycles, which are not always those that it finds first.
class MismatchLog {
 public:
  // `where()`, which gives a Where, is called for a mismatch only.
  template <typename Describe>
  void compare(std::uint64_t expected, std::uint64_t got, unsigned bits, const Describe& where) {
    if (expected == got) return;
    add([&] { return Mismatch{where(), hex(expected, bits), hex(got, bits)}; });
  }
  // `mismatch()` gives a Mismatch.
  template <typename Describe>
  void add(const Describe& mismatch) {
    if (count_++ < kDescribed) keep(mismatch());
  }
  void add(const MismatchLog& more);

  bool empty() const { return count_ == 0; }
  std::uint64_t count() const { return count_; }
  const Mismatch& first() const { return kept_.front(); }
  std::string text() const;

 private:
  static constexpr std::uint64_t kDescribed = 10000;  // a text for each takes its time
  static constexpr std::size_t kKept = 4;

  void keep(Mismatch mismatch);

  std::uint64_t count_ = 0;
  std::vector<Mismatch> kept_;  // by cycle
};

}  // namespace tern::tb
