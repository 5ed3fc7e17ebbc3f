// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/vector/instruction_families.h"

namespace tern {

const std::vector<InstructionRows>& vector_families() {
  static const std::vector<InstructionRows> families = {
      tensor_ops(),          reductions(),          selections(),
      activations(),         exponentials(),        mx_instructions(),
      row_instructions(),    random_instructions(), partition_instructions(),
      affine_instructions(), index_instructions(),
  };
  return families;
}

const InstructionTable& vector_instructions() {
  static const InstructionTable table(vector_families());
  return table;
}

}  // namespace tern
