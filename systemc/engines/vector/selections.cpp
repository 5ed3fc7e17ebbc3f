// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <limits>

#include "sw/numerics/alu.h"
#include "sw/numerics/convert.h"
#include "sw/spec/extension.h"
#include "systemc/engines/vector/alu_rows.h"
#include "systemc/engines/vector/instruction_families.h"

// One of two values per element.
namespace tern {

namespace {

// A predicate is true unless it is zero (NaN is true), or the other way round.
bool selects(float predicate, bool reverse) {
  return (predicate != 0.0f) != reverse;
}

}  // namespace

// Elements that are not selected keep their bits; selected ones are converted, between equal
// formats copied.
void run_tensor_copy_predicated(EngineUnit& unit, const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  const bool reverse = (operation.extension.flags & kExtendReverse0) != 0;
  const bool copies = in.src0_dtype == in.dst_dtype;
  unit.open_source0(operation);
  unit.open_source1(operation);
  unit.open_previous(operation);
  const std::size_t size = unit.previous.size(), n = unit.previous.count();
  std::vector<std::uint8_t> converted(n * size);
  for_raw_rows(unit, operation, [&](unsigned lane, std::uint8_t* out) {
    const float* predicate = unit.source1.row(lane);
    if (copies) {
      std::memcpy(converted.data(), unit.source0.raw(lane), n * size);
    } else {
      const numerics::ScopedFpModes modes;
      numerics::narrow(unit.previous.type(), unit.source0.row(lane), converted.data(), n);
    }
    const std::uint8_t* kept = unit.previous.raw(lane);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint8_t* from = selects(predicate[i], reverse) ? converted.data() : kept;
      std::memcpy(out + i * size, from + i * size, size);
    }
  });
}

void run_select_reduce(EngineUnit& unit, const Operation& operation) {
  const bool reverse = (operation.extension.flags & kExtendReverse0) != 0;
  unit.open_source0(operation);
  unit.open_source1(operation);
  unit.open_scalars(operation);
  const std::size_t n = unit.source0.count();
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    const float* value = unit.source0.row(lane);
    const float* predicate = unit.source1.row(lane);
    const float otherwise = unit.scalar0.at(lane);
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = numerics::canonical(selects(predicate[i], reverse) ? value[i] : otherwise);
    }
  });
}

// The index of an element, imm2 + i rounded to FP32, is compared with two bounds.
void run_range_select(EngineUnit& unit, const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  unit.open_source0(operation);
  unit.open_scalars(operation);
  const std::size_t n = unit.source0.count();
  std::vector<float> index(n), inside(n), other(n);
  {
    const numerics::ScopedFpModes modes;
    for (std::size_t i = 0; i < n; ++i) {
      index[i] = numerics::add(operation.extension.imm2, static_cast<float>(i));
    }
  }
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    alu_scalar(in.op0, index.data(), unit.scalar0.at(lane), false, inside.data(), n);
    alu_scalar(in.op1, index.data(), unit.scalar1.at(lane), false, other.data(), n);
    const float* value = unit.source0.row(lane);
    for (std::size_t i = 0; i < n; ++i) {
      const bool in_range = inside[i] != 0.0f && other[i] != 0.0f;
      out[i] = in_range ? numerics::canonical(value[i]) : -std::numeric_limits<float>::max();
    }
  });
}

}  // namespace tern
