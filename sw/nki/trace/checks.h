// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/config/chip_config.h"
#include "sw/nki/trace/instruction.h"

// What is checked while a kernel is traced. Each throws NkiError, without a place.
namespace tern::nki {

// Every dimension has an element, and there are not too many partitions.
void check_shape(const Storage& storage);
// In HBM: that it fits beside `before` bytes that are already taken.
void check_hbm(const Storage& storage, std::int64_t before, const ChipConfig& chip);
// On chip: that it can be there at all.
void check_place(const Storage& storage, const ChipConfig& chip);
// Memories, partitions, shapes and engines by the function's signature, then by its limits.
void check_operands(const Instruction& instruction, const ChipConfig& chip);

// Of check_operands(), for the tensor engine (checks_tensor.cpp).
void check_matmul(const Instruction& instruction, const ChipConfig& chip);
void check_transpose(const Instruction& instruction);

}  // namespace tern::nki
