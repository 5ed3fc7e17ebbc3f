// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "sw/runtime/executable.h"

namespace tern::runtime {

// What the core's error registers say of a custom_op that failed.
struct ProgramFaultRegisters {
  std::uint32_t pc = 0;  // error_detail
  std::uint32_t processor = 0, reason = 0, value = 0;
};

// "GpSimd program 'row_topk', processor 4: wrote to 0x20400000, where it has no memory, at 0x10124
// in row_topk+0x1c".
std::string describe_program_fault(const Blob& program, const ProgramFaultRegisters& fault);

}  // namespace tern::runtime
