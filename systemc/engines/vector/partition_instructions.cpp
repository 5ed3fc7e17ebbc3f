// SPDX-License-Identifier: Apache-2.0
// Elements that change their partition. Everything is read before anything is written.
#include <cstring>
#include <vector>

#include "sw/numerics/alu.h"
#include "systemc/engines/vector/alu_rows.h"
#include "systemc/engines/vector/bit_rows.h"
#include "systemc/engines/vector/special_instructions.h"

namespace tern {

namespace {

// All elements of an operand as they stand, partition by partition.
std::vector<std::uint8_t> all_rows(OperandReader& source, unsigned partitions) {
  const std::size_t bytes = source.count() * source.size();
  std::vector<std::uint8_t> rows(bytes * partitions);
  for (unsigned lane = 0; lane < partitions; ++lane) {
    std::memcpy(rows.data() + lane * bytes, source.raw(lane), bytes);
  }
  return rows;
}

}  // namespace

void run_stream_shuffle(EngineUnit& unit, const Operation& operation) {
  constexpr unsigned kGroup = 32, kKeep = 255;
  const tern_instr_shuffle_t& in = operation.instruction.shuffle;
  const auto type = static_cast<numerics::DType>(in.dtype);
  const AccessPattern dst(tern_ap_t{in.dst, in.num, 1, 1, 0});
  unit.source0.open(unit.memory, AccessPattern(tern_ap_t{in.src, in.num, 1, 1, 0}), type,
                    in.partitions);
  unit.previous.open(unit.memory, dst, type, in.partitions);
  const std::vector<std::uint8_t> rows = all_rows(unit.source0, in.partitions);
  const std::size_t bytes = unit.source0.count() * unit.source0.size();
  unit.result.open(unit.memory, dst, type, in.partitions);
  for (unsigned lane = 0; lane < in.partitions; ++lane) {
    const unsigned from = in.mask[lane % kGroup];
    unit.result.store_raw(lane, from == kKeep
                                    ? unit.previous.raw(lane)
                                    : rows.data() + (lane / kGroup * kGroup + from) * bytes);
  }
  unit.result.close();
}

void run_vector_transpose(EngineUnit& unit, const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  unit.open_source0(operation);
  const std::vector<std::uint8_t> rows = all_rows(unit.source0, in.partitions);
  const std::size_t size = unit.source0.size(), columns = unit.source0.count();
  unit.result.open(unit.memory, AccessPattern(in.dst, operation.extension.dst_outer),
                   unit.source0.type(), static_cast<unsigned>(columns));
  std::vector<std::uint8_t> row(in.partitions * size);
  for (unsigned column = 0; column < columns; ++column) {
    for (unsigned lane = 0; lane < in.partitions; ++lane) {
      std::memcpy(&row[lane * size], &rows[(lane * columns + column) * size], size);
    }
    unit.result.store_raw(column, row.data());
  }
  unit.result.close();
}

void run_tensor_partition_reduce(EngineUnit& unit, const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  unit.open_source0(operation);
  const std::size_t n = unit.source0.count();
  unit.result.open(unit.memory, AccessPattern(in.dst, operation.extension.dst_outer),
                   static_cast<numerics::DType>(in.dst_dtype), 1);
  if (alu_is_bitwise(in.op0)) {
    const std::uint8_t* first = unit.source0.raw(0);
    std::vector<std::uint8_t> row(first, first + n * unit.source0.size());
    for (unsigned lane = 1; lane < in.partitions; ++lane) {
      bit_rows(in.op0, unit.source0.size(), row.data(), unit.source0.raw(lane), row.data(), n);
    }
    unit.result.store_raw(0, row.data());
  } else {
    const numerics::ScopedFpModes modes;
    float* row = unit.result.row();
    const float* first = unit.source0.row(0);
    for (std::size_t i = 0; i < n; ++i) row[i] = numerics::canonical(first[i]);
    for (unsigned lane = 1; lane < in.partitions; ++lane) {
      alu_rows(in.op0, row, unit.source0.row(lane), row, n);
    }
    unit.result.store(0);
  }
  unit.result.close();
}

}  // namespace tern
