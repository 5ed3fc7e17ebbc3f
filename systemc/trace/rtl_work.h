// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace tern {

// What a Verilated unit of the Vector engine has done so far.
struct RtlWork {
  std::uint64_t results = 0;                   // elements
  std::uint64_t cycles = 0, model_cycles = 0;  // of its instructions, and what the model takes
  double seconds = 0;                          // of host time

  RtlWork& operator+=(const RtlWork& other) {
    results += other.results;
    cycles += other.cycles;
    model_cycles += other.model_cycles;
    seconds += other.seconds;
    return *this;
  }
  RtlWork operator-(const RtlWork& before) const {
    return {results - before.results, cycles - before.cycles, model_cycles - before.model_cycles,
            seconds - before.seconds};
  }
};

// The units built by one factory.
template <typename Unit>
struct RtlUnits {
  std::vector<const Unit*> units;
  RtlWork work() const {
    RtlWork sum;
    for (const Unit* unit : units) sum += unit->work();
    return sum;
  }
};

}  // namespace tern
