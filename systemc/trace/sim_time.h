// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <systemc>

namespace tern {

// Simulated time in whole femtoseconds: what traces carry, and the kernel's resolution
// (systemc/chip/simulation.h). Integers, because sums of doubles would depend on the order of
// events.
inline sc_core::sc_time from_fs(std::uint64_t fs) {
  return sc_core::sc_time::from_value(fs);
}
inline std::uint64_t to_fs(const sc_core::sc_time& time) {
  return time.value();
}
inline std::uint64_t now_fs() {
  return sc_core::sc_time_stamp().value();
}

inline std::uint64_t ns_to_fs(double ns) {
  return static_cast<std::uint64_t>(std::llround(ns * 1e6));
}
// Time of a number of bytes at a rate in 1e9 bytes per second, rounded to a femtosecond.
inline std::uint64_t transfer_fs(std::uint64_t bytes, double gb_per_s) {
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(bytes) * 1e6 / gb_per_s));
}

}  // namespace tern
