// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "systemc/fabric/transport.h"

namespace tern::fabric::packet {

// A fraction of 2^64 that chooses one of several equal ways. Multiples of irrational numbers,
// modulo 1, are spread evenly: neighbouring trays and streams use different ways, and every way is
// used equally often. A hash would load some twice as much as others. tray: chips of one; those in
// one place of all trays share the same switches, so that trays are counted apart.
inline std::uint64_t spread(const Transfer& t, unsigned tray) {
  if (t.ways != 0) {  // the sender has chosen
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(((Wide{2} * t.way + 1) << 63) / t.ways);
  }
  return t.target / tray * 0x9e3779b97f4a7c15ULL    // golden ratio - 1
         + t.source / tray * 0x6a09e667f3bcc908ULL  // square root of 2
         + t.stream * 0xbb67ae8584caa73bULL         // of 3
         + (t.target % tray + t.source % tray * std::uint64_t{2} +
            t.traffic_class * std::uint64_t{3}) *
               0x3c6ef372fe94f82bULL;  // of 5
}

// One of `count`, by a fraction of 2^64.
inline std::uint64_t choose(std::uint64_t fraction, std::uint64_t count) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Wide>(fraction) * count >> 64);
}

}  // namespace tern::fabric::packet
