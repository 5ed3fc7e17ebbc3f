// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/spec/generated/isa.h"

namespace tern {

// Why a queue refuses an instruction. Detail: the opcode for illegal_opcode, otherwise the byte of
// the first invalid field, plus 64 for a field of the extension.
struct InstructionFault {
  unsigned code = TERN_ERROR_NONE;
  std::uint32_t detail = 0;
};

}  // namespace tern
