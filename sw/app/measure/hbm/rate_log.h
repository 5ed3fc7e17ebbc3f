// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace tern::app {

// Bytes over time, reads and writes apart, in at most kIntervals intervals of equal length: they
// double when the time does not fit. The order of the calls does not matter.
class RateLog {
 public:
  static constexpr std::size_t kIntervals = 100;

  void add(std::uint64_t fs, bool write, std::uint64_t bytes) {
    while (fs / interval_fs_ >= kIntervals) halve();
    const std::size_t at = fs / interval_fs_;
    if (bytes_.size() <= at) bytes_.resize(at + 1);
    bytes_[at][write] += bytes;
  }
  std::uint64_t interval_fs() const { return interval_fs_; }
  // Of each interval up to the last with any: reads, writes.
  const std::vector<std::array<std::uint64_t, 2>>& bytes() const { return bytes_; }

 private:
  void halve() {
    interval_fs_ *= 2;
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      const std::array<std::uint64_t, 2> moved = bytes_[i];
      bytes_[i] = {};
      for (unsigned w = 0; w < 2; ++w) bytes_[i / 2][w] += moved[w];
    }
    bytes_.resize((bytes_.size() + 1) / 2);
  }

  std::uint64_t interval_fs_ = 1'000'000;  // 1 ns
  std::vector<std::array<std::uint64_t, 2>> bytes_;
};

}  // namespace tern::app
