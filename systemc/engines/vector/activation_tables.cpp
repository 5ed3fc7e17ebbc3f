// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/vector/activation_tables.h"

#include "sw/spec/activation_tables.h"

namespace tern {

std::optional<unsigned> activation_tables(const Operation& operation) {
  if (operation.opcode() != TERN_OPCODE_ACTIVATION) return std::nullopt;
  return tables_of_function(operation.instruction.elementwise.op0);
}

}  // namespace tern
