// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tb/mgmt/devices/device_bench.h"

namespace tern::tb {

// A hart in front of a device of 32-bit registers.
struct WordBench : DeviceBench {
  WordBench() : DeviceBench(bench_name()) {}

  std::uint32_t get(std::uint64_t offset, sc_core::sc_time ahead = sc_core::SC_ZERO_TIME) {
    return static_cast<std::uint32_t>(DeviceBench::get(offset, 4, ahead));
  }
  void put(std::uint64_t offset, std::uint32_t value,
           sc_core::sc_time ahead = sc_core::SC_ZERO_TIME) {
    DeviceBench::put(offset, 4, value, ahead);
  }
};

inline sc_core::sc_time us(double value) {
  return {value, sc_core::SC_US};
}
// The smallest time.
inline sc_core::sc_time moment() {
  return sc_core::sc_time::from_value(1);
}

}  // namespace tern::tb
