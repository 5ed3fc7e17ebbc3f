// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "sw/numerics/float_bits.h"
#include "sw/spec/extension.h"
#include "systemc/engines/vector/alu_rows.h"
#include "systemc/engines/vector/bit_rows.h"
#include "systemc/engines/vector/instruction_families.h"
#include "systemc/engines/vector/integer_exact.h"

// Element by element: copies, one or two tiles, scalars.
namespace tern {

namespace {

bool reversed(const Operation& operation, unsigned flag) {
  return (operation.extension.flags & flag) != 0;
}

void tensor_tensor_raw(EngineUnit& unit, const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  const bool integer = is_exact_integer(in, unit.queue);
  for_raw_rows(unit, operation, [&](unsigned lane, std::uint8_t* out) {
    const std::uint8_t* a = unit.source0.raw(lane);
    const std::uint8_t* b = unit.source1.raw(lane);
    if (integer) {
      integer_rows(in.op0, a, b, out, unit.source0.count());
    } else {
      bit_rows(in.op0, unit.source0.size(), a, b, out, unit.source0.count());
    }
  });
}

// Scalars: the lower bits of the immediates or of the columns' words.
void tensor_scalar_raw(EngineUnit& unit, const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  const std::size_t size = unit.source0.size(), n = unit.source0.count();
  for_raw_rows(unit, operation, [&](unsigned lane, std::uint8_t* out) {
    bit_scalar(in.op0, size, unit.source0.raw(lane), numerics::bits_of(unit.scalar0.at(lane)),
               reversed(operation, kExtendReverse0), out, n);
    bit_scalar(in.op1, size, out, numerics::bits_of(unit.scalar1.at(lane)),
               reversed(operation, kExtendReverse1), out, n);
  });
}

}  // namespace

// Between equal formats bit for bit, else through FP32.
void run_tensor_copy(EngineUnit& unit, const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  unit.open_source0(operation);
  if (in.src0_dtype == in.dst_dtype) {
    unit.open_result(operation);
    for (unsigned lane = 0; lane < in.partitions; ++lane) {
      unit.result.store_raw(lane, unit.source0.raw(lane));
    }
    return unit.result.close();
  }
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    std::memcpy(out, unit.source0.row(lane), unit.source0.count() * sizeof(float));
  });
}

void run_tensor_tensor(EngineUnit& unit, const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  unit.open_source0(operation);
  unit.open_source1(operation);
  if (alu_is_bitwise(in.op0) || is_exact_integer(in, unit.queue)) {
    return tensor_tensor_raw(unit, operation);
  }
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    alu_rows(in.op0, unit.source0.row(lane), unit.source1.row(lane), out, unit.source0.count());
  });
}

void run_tensor_scalar(EngineUnit& unit, const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  unit.open_source0(operation);
  unit.open_scalars(operation);
  if (in.src1_dtype != TERN_DTYPE_NONE) unit.scalar0.open(unit.memory, in.src1.addr, in.partitions);
  if (alu_is_bitwise(in.op0)) return tensor_scalar_raw(unit, operation);
  const std::size_t n = unit.source0.count();
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    alu_scalar(in.op0, unit.source0.row(lane), unit.scalar0.at(lane),
               reversed(operation, kExtendReverse0), out, n);
    if (in.op1 != TERN_ALU_OP_BYPASS) {
      alu_scalar(in.op1, out, unit.scalar1.at(lane), reversed(operation, kExtendReverse1), out, n);
    }
  });
}

void run_scalar_tensor_tensor(EngineUnit& unit, const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  const bool reverse0 = reversed(operation, kExtendReverse0);
  const bool reverse1 = reversed(operation, kExtendReverse1);
  unit.open_source0(operation);
  unit.open_source1(operation);
  unit.open_scalars(operation);
  const std::size_t n = unit.source0.count();
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    alu_scalar(in.op0, unit.source0.row(lane), unit.scalar0.at(lane), reverse0, out, n);
    const float* tile = unit.source1.row(lane);
    alu_rows(in.op1, reverse1 ? tile : out, reverse1 ? out : tile, out, n);
  });
}

void run_memset(EngineUnit& unit, const Operation& operation) {
  unit.open_scalars(operation);
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    std::fill_n(out, unit.result.count(), unit.scalar0.at(lane));
  });
}

void run_reciprocal(EngineUnit& unit, const Operation& operation) {
  unit.open_source0(operation);
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    alu_scalar(TERN_ALU_OP_RECIPROCAL, unit.source0.row(lane), 0.0f, false, out,
               unit.source0.count());
  });
}

}  // namespace tern
