// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <numeric>
#include <systemc>

namespace tern {

// Numbers the edges of a clock that is never simulated edge by edge. Needs a time resolution of 1
// fs.
class ClockDomain {
 public:
  explicit ClockDomain(double ghz) {
    const auto hertz = static_cast<std::uint64_t>(std::llround(ghz * 1e9));
    const std::uint64_t common = std::gcd(hertz, kFsPerSecond);
    cycles_ = hertz / common;
    fs_ = kFsPerSecond / common;
  }

  // First edge at or after a time in femtoseconds.
  std::uint64_t cycle_at(std::uint64_t fs) const { return scaled(fs, cycles_, fs_ - 1, fs_); }
  std::uint64_t cycle_at(const sc_core::sc_time& time) const { return cycle_at(time.value()); }
  // Last edge at or before it: the cycle in progress.
  std::uint64_t cycle_begun(std::uint64_t fs) const {
    return scaled(fs, cycles_, cycles_ - 1, fs_);
  }
  // Rounded down to 1 fs, so that cycle_at(fs_of(n)) == n.
  std::uint64_t fs_of(std::uint64_t cycle) const { return scaled(cycle, fs_, 0, cycles_); }
  sc_core::sc_time time_of(std::uint64_t cycle) const {
    return sc_core::sc_time::from_value(fs_of(cycle));
  }
  std::uint64_t now() const { return cycle_at(sc_core::sc_time_stamp()); }

  // Of the calling SC_THREAD.
  void wait_for(std::uint64_t cycle) const {
    const sc_core::sc_time target = time_of(cycle);
    const sc_core::sc_time current = sc_core::sc_time_stamp();
    if (target > current) sc_core::wait(target - current);
  }

 private:
  using Wide = unsigned __int128;
  static constexpr std::uint64_t kFsPerSecond = 1'000'000'000'000'000;

  // (value * factor + added) / divisor, rounded down.
  static std::uint64_t scaled(std::uint64_t value, std::uint64_t factor, std::uint64_t added,
                              std::uint64_t divisor) {
    std::uint64_t sum;
    if (!__builtin_mul_overflow(value, factor, &sum) && !__builtin_add_overflow(sum, added, &sum)) {
      return sum / divisor;
    }
    return static_cast<std::uint64_t>((static_cast<Wide>(value) * factor + added) / divisor);
  }

  // Cycles per femtoseconds as a fraction in lowest terms: products nearly always fit 64 bits.
  std::uint64_t cycles_ = 0, fs_ = 1;
};

}  // namespace tern
