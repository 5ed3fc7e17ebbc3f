// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/engines/instruction/instruction_row.h"

namespace tern {

// The instructions that start transfers: dma_trigger, dma_copy, dma_indirect.
InstructionRows transfer_instructions();

}  // namespace tern
