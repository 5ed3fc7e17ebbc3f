// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Rare errors of units (flits, packets) that are wrong each on its own: what is drawn is how many
// good ones come before the next wrong one, so that errors that never happen cost nothing.
namespace tern::link {

// SplitMix64: a step of the state, and its output.
std::uint64_t next_random(std::uint64_t* state);

// Good units before the next wrong one; probability 0: practically never.
std::uint64_t error_gap(std::uint64_t* state, double probability);

}  // namespace tern::link
