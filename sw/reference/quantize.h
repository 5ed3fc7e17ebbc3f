// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sw/reference/tensor.h"

// How FP32 matrices [K, columns] become operands of the tensor engine (docs/numerics.md, section
// 5), in double and without the packers' layouts.
namespace tern::reference {

// One rounding to nearest even, saturating; NaN only where the format has one.
std::uint8_t small_code(SmallFormat format, double value);

// "aws": a binade of headroom above the largest element; "ocp": none, the largest may saturate.
enum class ScaleRule { kAws, kOcp };

// One scale per block.
BlockOperand quantize_blocks(const std::vector<float>& values, std::size_t columns,
                             SmallFormat format, const BlockOrder& order, ScaleRule rule);

// Without scales.
BlockOperand quantize_plain(const std::vector<float>& values, std::size_t columns,
                            SmallFormat format);

// The values that are not zero, and the first zeros to make up `kept` of every `group`.
SparseOperand compress(const std::vector<float>& values, std::size_t k, std::size_t columns,
                       unsigned kept, unsigned group);

}  // namespace tern::reference
