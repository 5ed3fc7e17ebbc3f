// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <vector>

#include "sw/numerics/alu.h"
#include "sw/numerics/dtype.h"
#include "sw/spec/access_pattern.h"
#include "sw/spec/generated/address_map.h"
#include "systemc/engines/instruction/operand_text.h"
#include "systemc/engines/vector/alu_rows.h"
#include "systemc/engines/vector/bit_rows.h"
#include "systemc/engines/vector/elementwise_check.h"
#include "systemc/engines/vector/instruction_families.h"
#include "systemc/engines/vector/interval_parts.h"

// Elements move to other partitions. Everything is read before anything is written.
namespace tern {

namespace {

using Elementwise = tern_instr_elementwise_t;

constexpr unsigned kTransposed = 32;  // rows and columns

// The bits of all elements of an operand, partition by partition.
std::vector<std::uint8_t> all_rows(OperandReader& source, unsigned partitions) {
  const std::size_t bytes = source.count() * source.size();
  std::vector<std::uint8_t> rows(bytes * partitions);
  for (unsigned lane = 0; lane < partitions; ++lane) {
    std::memcpy(rows.data() + lane * bytes, source.raw(lane), bytes);
  }
  return rows;
}

void check_stream_shuffle(const CheckInput& input) {
  const ElementwiseChecker c(input);
  using Shuffle = tern_instr_shuffle_t;
  constexpr unsigned kGroup = 32, kKeep = 255;
  const Shuffle& in = c.instruction().shuffle;
  c.no_extension();
  c.field(in.partitions >= kGroup && in.partitions <= TERN_CORE_SBUF_COUNT &&
              in.partitions % kGroup == 0,
          offsetof(Shuffle, partitions));
  const auto operand = [&](std::uint32_t address, std::size_t byte) {
    return c.other_operand(tern_ap_t{address, in.num, 1, 1, 0}, {}, byte, 0, in.dtype,
                           offsetof(Shuffle, dtype), in.partitions);
  };
  const AccessPattern dst = operand(in.dst, offsetof(Shuffle, dst));
  operand(in.src, offsetof(Shuffle, src));
  c.require(!dst.psum || numerics::dtype_size(static_cast<numerics::DType>(in.dtype)) == 4,
            TERN_ERROR_BAD_DTYPE, offsetof(Shuffle, dtype));
  for (unsigned i = 0; i < kGroup; ++i) {
    c.field(in.mask[i] < kGroup || in.mask[i] == kKeep, offsetof(Shuffle, mask) + i);
  }
  c.zeros_from(offsetof(Shuffle, mask) + kGroup);
}

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

std::uint64_t stream_shuffle_cycles(const Operation& operation, unsigned, const IntervalRules&) {
  return operation.instruction.shuffle.num;
}

std::string describe_shuffle(const Operation& operation, unsigned index) {
  const auto& in = operation.instruction.shuffle;
  return fmt::format(R"({{"index":{},"P":{},"N":{},"dst":"{}","src":"{}"}})", index, in.partitions,
                     in.num, place(in.dst), place(in.src));
}

void check_vector_transpose(const CheckInput& input) {
  const ElementwiseChecker c(input);
  const Elementwise& in = c.in();
  c.begin(kOuters);
  c.no_operators();
  c.no_immediates();
  c.field(in.partitions <= kTransposed, offsetof(Elementwise, partitions));
  const std::uint64_t columns = c.src0().count();
  c.require(columns <= kTransposed, TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Elementwise, src0));
  c.dst_type(in.dst_dtype == in.src0_dtype);
  c.require(c.dst_of(static_cast<unsigned>(columns)).count() == in.partitions,
            TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Elementwise, dst));
  c.no_src1();
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

void check_tensor_partition_reduce(const CheckInput& input) {
  const ElementwiseChecker c(input);
  const Elementwise& in = c.in();
  c.begin(kOuters);
  const bool bits = in.op0 == TERN_ALU_OP_BIT_AND || in.op0 == TERN_ALU_OP_BIT_OR;
  c.field(bits || in.op0 == TERN_ALU_OP_ADD || in.op0 == TERN_ALU_OP_MAX,
          offsetof(Elementwise, op0));
  c.bypass(in.op1, offsetof(Elementwise, op1));
  c.no_immediates();
  c.dst_type(!bits || in.dst_dtype == in.src0_dtype);
  c.require(c.dst_of(1).count() == c.src0().count(), TERN_ERROR_BAD_ACCESS_PATTERN,
            offsetof(Elementwise, dst));
  c.no_src1();
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

std::uint64_t tensor_partition_reduce_cycles(const Operation& operation, unsigned,
                                             const IntervalRules&) {
  return kGpsimdStart + source_elements(operation) * serial_partitions(operation);
}

constexpr InstructionRow kRows[] = {
    {TERN_OPCODE_STREAM_SHUFFLE, check_stream_shuffle, describe_shuffle, run_stream_shuffle,
     stream_shuffle_cycles},
    {TERN_OPCODE_VECTOR_TRANSPOSE, check_vector_transpose, describe_elementwise,
     run_vector_transpose, source_cycles},
    {TERN_OPCODE_TENSOR_PARTITION_REDUCE, check_tensor_partition_reduce, describe_elementwise,
     run_tensor_partition_reduce, tensor_partition_reduce_cycles},
};

}  // namespace

InstructionRows partition_instructions() {
  return kRows;
}

}  // namespace tern
