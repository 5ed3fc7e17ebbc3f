// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sw/numerics/fp_modes.h"
#include "sw/spec/generated/formats.h"
#include "systemc/engines/exp/exp_unit.h"
#include "systemc/engines/mx/mx_unit.h"
#include "systemc/engines/ports/operation.h"
#include "systemc/engines/vector/accumulators.h"
#include "systemc/engines/vector/operand.h"
#include "systemc/engines/vector/special/random_states.h"

namespace tern {

using DescribeIndex = std::function<std::string(unsigned index)>;

// Operands to and from the exponential unit.
struct ExpRows {
  std::vector<std::uint8_t> source, result;  // packed, row by row
  std::array<float, kExpPartitions> m{}, sums{};
};

// The state that the instructions of one engine share: its memories, its registers, and buffers
// that keep their size between instructions. Families of instructions (instruction_families.h) run
// on it in the engine's thread, on operations that have passed check_instruction(). They may wait
// for PSUM, and throw EngineFault if an index in the data leaves its row.
struct EngineUnit {
  unsigned queue = TERN_QUEUE_VECTOR;
  EngineMemory memory;
  Accumulators accumulators;

  OperandReader source0, source1;
  OperandReader previous;         // the destination's old contents
  std::vector<std::uint8_t> raw;  // a row of elements, bits unchanged
  ResultWriter result;
  ScalarColumn scalar0, scalar1;

  RandomStates random = RandomStates::vector();

  // The running instruction, and its name in a message.
  unsigned index = 0;
  DescribeIndex describe;

  // Waits until the engine is free for the next instruction; empty where no time passes.
  std::function<void()> let_interval_pass;

  // Of the Vector engine.
  ExpRows exp_rows;  // outlives the unit that works on them
  std::unique_ptr<ExpUnit> exp;
  std::unique_ptr<MxUnit> mx;

  // The operands of an elementwise instruction. Columns: scalar0 and scalar1 of the extension or
  // the immediates.
  void open_source0(const Operation& operation);
  void open_source1(const Operation& operation);
  void open_result(const Operation& operation);
  void open_previous(const Operation& operation);
  void open_scalars(const Operation& operation);
};

// An instruction that works on one partition after another: opens result and accumulators, calls
// row(lane, out) for every partition, which fills `out` with the partition's results, accumulates
// and stores them. The caller has opened the sources.
template <typename Row>
void for_rows(EngineUnit& unit, const Operation& operation, Row row) {
  const tern_instr_elementwise_t& in = operation.instruction.elementwise;
  unit.open_result(operation);
  unit.accumulators.begin(unit.memory, operation.extension, unit.result.pattern().partition,
                          in.partitions);
  {
    const numerics::ScopedFpModes modes;
    for (unsigned lane = 0; lane < in.partitions; ++lane) {
      row(lane, unit.result.row());
      if (unit.accumulators.reduces()) {
        unit.accumulators.add_row(lane, unit.result.row(), unit.result.count());
      }
      unit.result.store(lane);
    }
  }
  unit.result.close();
  unit.accumulators.finish(unit.memory, operation.extension);
}

// The same for instructions that move or combine elements bit by bit, without conversion and
// accumulators: row(lane, out) fills `out` with packed elements of the destination's format.
template <typename Row>
void for_raw_rows(EngineUnit& unit, const Operation& operation, Row row) {
  const tern_instr_elementwise_t& in = operation.instruction.elementwise;
  unit.open_result(operation);
  unit.raw.resize(unit.result.count() * numerics::dtype_size(unit.result.type()));
  for (unsigned lane = 0; lane < in.partitions; ++lane) {
    row(lane, unit.raw.data());
    unit.result.store_raw(lane, unit.raw.data());
  }
  unit.result.close();
}

}  // namespace tern
