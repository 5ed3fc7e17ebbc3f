// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "systemc/fabric/transport.h"

namespace tern::fabric::packet {

// A fraction of 2^64 that chooses one of several equal ways. Multiples of irrational numbers, modulo
// 1, are spread evenly: neighbouring chips and streams use different ways, and every way is used
// equally often. A hash would load some twice as much as others.
inline std::uint64_t spread(const Transfer& t) {
  return t.source * 0x9e3779b97f4a7c15ULL      // golden ratio - 1
         + t.target * 0x6a09e667f3bcc908ULL    // square root of 2
         + t.stream * 0xbb67ae8584caa73bULL    // of 3
         + t.traffic_class * 0x3c6ef372fe94f82bULL;  // of 5
}

// One of `count`, by a fraction of 2^64.
inline std::uint64_t choose(std::uint64_t fraction, std::uint64_t count) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Wide>(fraction) * count >> 64);
}

}  // namespace tern::fabric::packet
