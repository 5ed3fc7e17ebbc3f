// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/collectives/schedule.h"

namespace tern::collectives {

// FP8 is E4M3FN: all operands and sums have one scale, which their owner knows.
enum class Element : std::uint8_t { kFp32, kBf16, kFp8 };
const std::vector<std::string>& element_names();
Element element_named(const std::string& name);
unsigned bytes_of(Element element);

using Bytes = std::vector<std::uint8_t>;

// Elements of a chunk, of `elements` in a buffer of `chunks`: they differ by one at most, and parts
// of ranks are equal if the elements divide among them.
std::uint64_t first_element(std::uint64_t elements, unsigned chunks, unsigned chunk);

// The bits of a collective: what its schedule makes of the operands, one of each rank, all of one
// size. Sums are those of the adders next to a memory (docs/numerics.md, "DMA"). Returns the
// results, of permutations empty where nothing comes; of all_to_all_v what has come. The schedule
// must be verified. Throws UserError: operands that differ in size, or do not divide among the
// ranks.
std::vector<Bytes> evaluate(const Schedule& schedule, Element element,
                            const std::vector<Bytes>& operands);

}  // namespace tern::collectives
