// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <cstddef>
#include <deque>
#include <vector>

#include "systemc/cosim/mx_rtl.h"

namespace tern::tb {

// Cycles from an input at the ports to its result at the ports (rtl/mx/README.md).
constexpr unsigned kQuantizeLatency = 2;
constexpr unsigned kDequantizeLatency = 1;

// Streams inputs, one per cycle but in cycles where `pause(cycle)` holds, and gives the outputs.
// Every output must come exactly `latency` cycles after its input, and no other.
template <typename Output, typename Rtl, typename Input, typename Pause>
std::vector<Output> stream(Rtl& rtl, const std::vector<Input>& inputs, unsigned latency,
                           Pause pause) {
  std::vector<Output> outputs;
  std::deque<bool> given(latency, false);  // whether an input was at the ports, oldest first
  std::size_t next = 0, mistimed = 0;
  for (unsigned cycle = 0, after = 0; after < latency + 2; ++cycle) {
    const bool offer = next < inputs.size() && !pause(cycle);
    after += next == inputs.size() ? 1 : 0;
    const auto output = rtl.cycle(offer ? &inputs[next] : nullptr);
    if (offer) ++next;
    given.push_back(offer);
    mistimed += output.has_value() != given.front();
    given.pop_front();
    if (output) outputs.push_back(*output);
  }
  REQUIRE(mistimed == 0);
  REQUIRE(outputs.size() == inputs.size());
  return outputs;
}

inline bool never(unsigned) {
  return false;
}

}  // namespace tern::tb
