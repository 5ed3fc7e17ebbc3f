// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace tern::fabric::packet {

// A set of numbers, visited round robin.
class ReadySet {
 public:
  explicit ReadySet(unsigned size = 0) : size_(size), words_((size + 63) / 64) {}

  bool empty() const { return count_ == 0; }
  void insert(unsigned n) {
    words_[n / 64] |= std::uint64_t{1} << n % 64;
    ++count_;
  }
  void erase(unsigned n) {
    words_[n / 64] &= ~(std::uint64_t{1} << n % 64);
    --count_;
  }

  bool contains(unsigned n) const { return (words_[n / 64] >> n % 64 & 1) != 0; }

  // The first member of both sets, of one size, behind `last`, cyclically, that `wanted` accepts;
  // size(): none.
  template <typename Wanted>
  unsigned next_after(unsigned last, const ReadySet& both, Wanted wanted) const {
    const unsigned first = last + 1 == size_ ? 0 : last + 1;
    unsigned found = scan(first, size_, both, wanted);
    if (found == size_) found = scan(0, first, both, wanted);
    return found;
  }
  unsigned size() const { return size_; }

 private:
  template <typename Wanted>
  unsigned scan(unsigned begin, unsigned end, const ReadySet& both, Wanted wanted) const {
    for (unsigned base = begin / 64 * 64; base < end; base += 64) {
      std::uint64_t word = words_[base / 64] & both.words_[base / 64];
      if (base < begin) word &= ~std::uint64_t{0} << (begin - base);
      for (; word != 0; word &= word - 1) {
        const unsigned n = base + static_cast<unsigned>(__builtin_ctzll(word));
        if (n >= end) return size_;
        if (wanted(n)) return n;
      }
    }
    return size_;
  }

  unsigned size_ = 0, count_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace tern::fabric::packet
