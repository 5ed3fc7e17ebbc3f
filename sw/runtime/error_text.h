// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "sw/runtime/status.h"

namespace tern::runtime {

// "tensor", "vector", ...
std::string queue_name(unsigned queue);
// "multiply_moving", ...
std::string opcode_name(unsigned opcode);
// "a source address outside every unit": a dma_fault of docs/reference/isa.md.
std::string dma_fault_text(unsigned fault);
// "1201 (HBM uncorrectable error)"
std::string status_text(Status status);
// The meaning of an error code of the core, with its detail where that adds information.
std::string error_meaning(unsigned code, std::uint32_t detail);

}  // namespace tern::runtime
