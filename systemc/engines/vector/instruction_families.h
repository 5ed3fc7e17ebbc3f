// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "systemc/engines/instruction/instruction_table.h"
#include "systemc/engines/vector/engine_unit.h"

// The instructions of the Vector, Scalar and GpSimd engines by family: one file each, which holds
// the check, execution, cost and row of its instructions. Semantics: the instruction's line in
// docs/spec/isa.yaml and docs/numerics.md. How to add one: docs/howto/instruction.md.
namespace tern {

InstructionRows tensor_ops();
InstructionRows reductions();
InstructionRows selections();
InstructionRows activations();
InstructionRows exponentials();
InstructionRows mx_instructions();
InstructionRows row_instructions();
InstructionRows random_instructions();
InstructionRows partition_instructions();
InstructionRows affine_instructions();
InstructionRows index_instructions();

// All of the above.
const std::vector<InstructionRows>& vector_families();
const InstructionTable& vector_instructions();

// activate2 executes as tensor_scalar does.
void run_tensor_scalar(EngineUnit& unit, const Operation& operation);

}  // namespace tern
