// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "systemc/cosim/mx_rtl.h"
#include "tb/common/check_mismatch.h"

namespace tern::tb {

// Cycles from an input at the ports to its result at the ports (rtl/mx/README.md).
constexpr unsigned kQuantizeLatency = 2;
constexpr unsigned kDequantizeLatency = 1;

// An output and the cycle in which it was at the ports.
template <typename Output>
struct Timed : Output {
  std::uint64_t cycle;
};

// Streams inputs, one per cycle but in cycles where `pause(cycle)` holds, and gives the outputs.
// Every output must come exactly `latency` cycles after its input, and no other.
template <typename Output, typename Rtl, typename Input, typename Pause>
std::vector<Timed<Output>> stream(Rtl& rtl, const std::vector<Input>& inputs, unsigned latency,
                                  Pause pause) {
  std::vector<Timed<Output>> outputs;
  std::deque<bool> given(latency, false);  // whether an input was at the ports, oldest first
  std::size_t next = 0;
  MismatchLog mistimed;
  for (unsigned cycle = 0, after = 0; after < latency + 2; ++cycle) {
    const bool offer = next < inputs.size() && !pause(cycle);
    after += next == inputs.size() ? 1 : 0;
    const auto output = rtl.cycle(offer ? &inputs[next] : nullptr);
    if (offer) ++next;
    given.push_back(offer);
    mistimed.compare(given.front(), output.has_value(), 1, [&] {
      return Where{"port valid_o", "valid_i, newest last: " + hex_list(given, 1), cycle};
    });
    given.pop_front();
    if (output) outputs.push_back({*output, cycle});
  }
  CHECK_NO_MISMATCH(mistimed);
  REQUIRE(outputs.size() == inputs.size());
  return outputs;
}

inline bool never(unsigned) {
  return false;
}

}  // namespace tern::tb
