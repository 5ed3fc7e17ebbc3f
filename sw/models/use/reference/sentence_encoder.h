// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/models/use/model.h"

namespace tern::reference {

// The embedding by Universal Sentence Encoder Lite of a sentence of 1 .. 128 tokens: 512 numbers of
// length
// 1. Plain loops in FP32, written from the architecture in sw/models/use/README.md.
std::vector<float> sentence_embedding(const use::Model& model,
                                      const std::vector<std::uint32_t>& tokens);

double cosine(const float* a, const float* b, std::size_t count);

}  // namespace tern::reference
