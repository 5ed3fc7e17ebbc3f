// SPDX-License-Identifier: Apache-2.0
// One row per instruction of docs/spec/isa.yaml.
#include <catch2/catch.hpp>
#include <string>

#include "sw/spec/generated/isa.h"
#include "systemc/core/instruction_info.h"
#include "systemc/core/instruction_registry.h"
#include "systemc/engines/vector/instruction_families.h"

using namespace tern;

namespace {

unsigned rows_of(unsigned opcode) {
  unsigned count = 0;
  for (const InstructionRows& family : instruction_families()) {
    for (const InstructionRow& row : family) count += row.opcode == opcode ? 1 : 0;
  }
  return count;
}

}  // namespace

TEST_CASE("instruction registry: one row per opcode of the instruction set, none for the others") {
  bool known[256] = {};
#define TERN_KNOWN(code, name, queues, format) known[code] = true;
  TERN_INSTRUCTIONS(TERN_KNOWN)
#undef TERN_KNOWN
  for (unsigned opcode = 0; opcode < 256; ++opcode) {
    INFO(instruction_name(opcode));
    CHECK(rows_of(opcode) == (known[opcode] ? 1 : 0));
    const InstructionRow* row = instruction_table().find(opcode);
    REQUIRE((row != nullptr) == known[opcode]);
    CHECK((instruction_queues(opcode) != 0) == known[opcode]);
    if (row == nullptr) continue;
    CHECK(row->opcode == opcode);
    CHECK(row->check != nullptr);
    CHECK(row->describe != nullptr);
  }
}

TEST_CASE(
    "instruction registry: what Vector, Scalar and GpSimd execute has an execution and a cost") {
  constexpr unsigned kQueues =
      1u << TERN_QUEUE_VECTOR | 1u << TERN_QUEUE_SCALAR | 1u << TERN_QUEUE_GPSIMD;
  for (const InstructionRows& family : vector_families()) {
    for (const InstructionRow& row : family) {
      INFO(instruction_name(row.opcode));
      CHECK(row.run != nullptr);
      CHECK(row.cycles != nullptr);
      CHECK((instruction_queues(row.opcode) & ~kQueues) == 0);
      CHECK(vector_instructions().find(row.opcode) == &row);
      CHECK(instruction_table().find(row.opcode) == &row);
    }
  }
}
