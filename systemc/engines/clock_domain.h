// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <systemc>

namespace tern {

// Numbers the edges of a clock that is never simulated edge by edge. Needs a time resolution of 1
// fs.
class ClockDomain {
 public:
  explicit ClockDomain(double ghz) : hertz_(static_cast<std::uint64_t>(std::llround(ghz * 1e9))) {}

  // First edge at or after `time`.
  std::uint64_t cycle_at(const sc_core::sc_time& time) const {
    const Wide product = static_cast<Wide>(time.value()) * hertz_;
    return static_cast<std::uint64_t>((product + kFsPerSecond - 1) / kFsPerSecond);
  }
  // Rounded down to 1 fs, so that cycle_at(time_of(n)) == n.
  sc_core::sc_time time_of(std::uint64_t cycle) const {
    return sc_core::sc_time::from_value(
        static_cast<std::uint64_t>(static_cast<Wide>(cycle) * kFsPerSecond / hertz_));
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
  std::uint64_t hertz_;
};

}  // namespace tern
