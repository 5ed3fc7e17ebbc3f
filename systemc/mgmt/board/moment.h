// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>
#include <tuple>

namespace tern::mgmt {

// A point in the run of a board at which it can stop: of two, the later one is greater. It names
// the same state each time that the board comes there with the same input.
struct Moment {
  sc_core::sc_time at;       // of the simulation as the board counts it (Board::now())
  std::uint64_t cycles = 0;  // of all harts
  std::uint64_t turn = 0;    // whose: 0 between rounds, otherwise hart + 1
};

inline bool operator<(const Moment& a, const Moment& b) {
  return std::tie(a.at, a.cycles, a.turn) < std::tie(b.at, b.cycles, b.turn);
}
inline bool operator==(const Moment& a, const Moment& b) {
  return std::tie(a.at, a.cycles, a.turn) == std::tie(b.at, b.cycles, b.turn);
}

}  // namespace tern::mgmt
