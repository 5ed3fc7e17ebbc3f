// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/train/model.h"

namespace tern::train {

// That part of a whole tensor, as the rank that has it keeps it.
StateTensor part_of(const StateTensor& whole, const TensorPart& part);

// Of a part's columns, side by side, those from `first` on.
std::vector<TensorPart::Run> columns_within(const TensorPart& part, const StateTensor& whole,
                                            std::uint64_t first, std::uint64_t count);

// The bytes of a whole tensor that a part has, row major; and the way back.
std::vector<std::uint8_t> cut(const StateTensor& whole, const TensorPart& part,
                              const std::vector<std::uint8_t>& bytes);
void paste(const StateTensor& whole, const TensorPart& part, const std::vector<std::uint8_t>& bytes,
           std::vector<std::uint8_t>* into);

}  // namespace tern::train
