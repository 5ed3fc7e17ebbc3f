// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/vector/elementwise.h"

#include <stdexcept>
#include <utility>

#include "systemc/engines/vector/instruction_families.h"

namespace tern {

Elementwise::Elementwise(unsigned queue, SbufAccess sbuf, PsumPort* psum, Units units,
                         DescribeIndex describe) {
  unit_.queue = queue;
  unit_.memory = {sbuf, psum};
  unit_.random = RandomStates::of_queue(queue);
  unit_.exp = std::move(units.exp);
  unit_.mx = std::move(units.mx);
  unit_.describe = std::move(describe);
}

bool Elementwise::executes(unsigned opcode) {
  return vector_instructions().find(opcode) != nullptr;
}

void Elementwise::run(const Operation& operation, unsigned index,
                      const std::function<void()>& let_interval_pass) {
  unit_.index = index;
  unit_.let_interval_pass = let_interval_pass;
  const InstructionRow* row = vector_instructions().find(operation.opcode());
  if (row == nullptr) {
    throw std::logic_error("Elementwise: an instruction that the checks should have refused");
  }
  row->run(unit_, operation);
}

}  // namespace tern
