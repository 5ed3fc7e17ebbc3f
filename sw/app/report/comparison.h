// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sw/app/report/blocks.h"

namespace tern::app {

// One comparison of the verdict: all `words` must agree.
struct Comparison {
  std::string what;
  std::uint64_t words = 0, mismatches = 0;
  std::string first_difference;  // empty when none
};

// The position of a word in a result, for messages: "probabilities[3, 7]".
using Place = std::function<std::string(std::size_t word)>;

// "rtl = model: 1,290 of 1,290 words equal", with its verdict.
Line line_of(const Comparison& comparison);
nlohmann::ordered_json json_of(const Comparison& comparison);

Comparison compare(const Place& place, const std::string& what, const std::vector<std::uint32_t>& a,
                   const std::vector<std::uint32_t>& b);

}  // namespace tern::app
