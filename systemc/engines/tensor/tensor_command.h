// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/spec/generated/isa.h"
#include "systemc/engines/tensor/tensor_datapath.h"

namespace tern {

// What the datapath is to do for an instruction of the tensor queue, still without a tag.
// bank_columns: 4-byte columns of a PSUM bank.
TensorCommand load_command(const tern_instruction_t& instruction, unsigned bank_columns);
TensorCommand multiply_command(const tern_instruction_t& instruction, unsigned bank_columns);
TensorCommand transpose_command(const tern_instruction_t& instruction, unsigned bank_columns);

// The command of any of them. Its tag is the lower 8 bits of a running number: in a loop an
// instruction may be in flight twice.
TensorCommand tensor_command(const tern_instruction_t& instruction, std::uint32_t number,
                             unsigned bank_columns);

}  // namespace tern
