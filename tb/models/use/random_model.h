// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/models/use/model.h"

namespace tern::tb {

// A model of the right shapes with random weights, so that tests need no download.
use::Model random_model(std::uint64_t seed);
// Sentences of 1 .. 128 random tokens of it.
std::vector<std::vector<std::uint32_t>> random_sentences(std::size_t count, std::uint64_t seed);

}  // namespace tern::tb
