// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "sw/numerics/convert.h"
#include "sw/numerics/dtype.h"
#include "sw/spec/access_pattern.h"
#include "sw/spec/generated/formats.h"
#include "systemc/engines/instruction/operand_text.h"
#include "systemc/engines/ports/engine_fault.h"
#include "systemc/engines/vector/elementwise_check.h"
#include "systemc/engines/vector/instruction_families.h"
#include "systemc/engines/vector/interval_parts.h"
#include "systemc/engines/vector/special/gather.h"
#include "systemc/engines/vector/special/segments.h"

// GpSimd: gathers by indices, positions in a row.
namespace tern {

namespace {

using numerics::DType;

using Elementwise = tern_instr_elementwise_t;

constexpr std::uint64_t kGatherIndices = 4096;  // of one core
constexpr unsigned kGatherElements = 32;        // per index, a power of two

// detail: kDataFault and the byte of the field of the indices; the partition, counted from the
// operand's first; the position in its (or its core's) list, saturated. value: the index.
[[noreturn]] void index_outside(unsigned partition, std::size_t position, std::uint32_t index) {
  const std::size_t place = std::min<std::size_t>(position, 0xFFFF);
  throw EngineFault{
      TERN_ERROR_BAD_ACCESS_PATTERN,
      static_cast<std::uint32_t>(kDataFault | offsetof(tern_instr_elementwise_t, src1) |
                                 partition << 8 | place << 16),
      index};
}

void check_local_gather(const CheckInput& input) {
  const ElementwiseChecker c(input);
  const Elementwise& in = c.in();
  c.begin(kTwoTiles);
  c.no_immediates();
  c.bypass(in.op0, offsetof(Elementwise, op0));
  const unsigned elements = in.op1;
  c.field(elements >= 1 && elements <= kGatherElements && (elements & (elements - 1)) == 0,
          offsetof(Elementwise, op1));
  c.whole_cores();
  c.dst_type(in.dst_dtype == in.src0_dtype);
  c.src1_type(in.src1_dtype == TERN_DTYPE_UINT16);
  const AccessPattern to = c.dst(), from = c.src0(), indices = c.src1();
  c.together(to, from, offsetof(Elementwise, src0));
  c.together(to, indices, offsetof(Elementwise, src1));
  c.require(to.count() % elements == 0, TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Elementwise, dst));
  const std::uint64_t list = to.count() / elements;
  c.require(list <= kGatherIndices && list <= kCorePartitions * indices.count(),
            TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Elementwise, dst));
}

// Checks that the indices of all cores are inside their rows before the first element is written.
void run_local_gather(EngineUnit& unit, const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  unit.open_source0(operation);
  unit.open_source1(operation);
  unit.open_result(operation);
  const std::size_t elements = in.op1, row_elements = unit.source0.count();
  std::vector<std::vector<std::uint32_t>> lists;  // per core
  for (unsigned first = 0; first < in.partitions; first += kCorePartitions) {
    std::vector<std::uint32_t> list(unit.result.count() / elements);
    for (unsigned p = 0; p < kCorePartitions; ++p) {
      const std::uint8_t* part = unit.source1.raw(first + p);
      for (std::size_t i = p; i < list.size(); i += kCorePartitions) {
        std::uint16_t index;
        std::memcpy(&index, part + CoreOrder::column(i) * sizeof index, sizeof index);
        if (index + elements > row_elements) index_outside(first + p, i, index);
        list[i] = index;
      }
    }
    lists.push_back(std::move(list));
  }
  unit.raw.resize(unit.result.count() * unit.source0.size());
  for (unsigned lane = 0; lane < in.partitions; ++lane) {
    gather_elements(unit.source0.raw(lane), row_elements, unit.source0.size(),
                    lists[lane / kCorePartitions], elements, unit.raw.data());
    unit.result.store_raw(lane, unit.raw.data());
  }
  unit.result.close();
}

// As documented, for e elements per index: 150 + valid * e / C.
// C = ((28 + t * e) / (t * e)) / min(4 / size, e), t = 4.
std::uint64_t local_gather_cycles(const Operation& operation, unsigned, const IntervalRules&) {
  const auto& in = operation.instruction.elementwise;
  constexpr std::uint64_t kT = 4, kOverhead = 28;
  const std::uint64_t size = numerics::dtype_size(static_cast<numerics::DType>(in.src0_dtype));
  const std::uint64_t e = in.op1, together = std::min<std::uint64_t>(4 / size, e);
  return kGpsimdStart +
         ceil_div(result_elements(operation) * together * kT * e, kOverhead + kT * e);
}

void check_n_gather(const CheckInput& input) {
  const ElementwiseChecker c(input);
  const Elementwise& in = c.in();
  c.begin(kTwoTiles);
  c.no_operators();
  c.no_immediates();
  c.dst_type(in.dst_dtype == in.src0_dtype);
  c.src1_type(in.src1_dtype == TERN_DTYPE_UINT32);
  const AccessPattern to = c.dst(), indices = c.src1();
  c.together(to, c.src0(), offsetof(Elementwise, src0));
  c.together(to, indices, offsetof(Elementwise, src1));
  c.require(to.count() == indices.count(), TERN_ERROR_BAD_ACCESS_PATTERN,
            offsetof(Elementwise, dst));
}

void run_n_gather(EngineUnit& unit, const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  unit.open_source0(operation);
  unit.open_source1(operation);
  unit.open_result(operation);
  const std::size_t n = unit.result.count(), bytes = n * unit.source0.size();
  std::vector<std::uint32_t> indices(n);
  std::vector<std::uint8_t> results(bytes * in.partitions);
  for (unsigned lane = 0; lane < in.partitions; ++lane) {
    std::memcpy(indices.data(), unit.source1.raw(lane), n * sizeof indices[0]);
    const auto outside = gather_elements(unit.source0.raw(lane), unit.source0.count(),
                                         unit.source0.size(), indices, 1, &results[lane * bytes]);
    if (outside) index_outside(lane, *outside, indices[*outside]);
  }
  for (unsigned lane = 0; lane < in.partitions; ++lane) {
    unit.result.store_raw(lane, &results[lane * bytes]);
  }
  unit.result.close();
}

std::uint64_t n_gather_cycles(const Operation& operation, unsigned, const IntervalRules&) {
  return kGpsimdStart + result_elements(operation) * serial_partitions(operation);
}

void check_nonzero_with_count(const CheckInput& input) {
  const ElementwiseChecker c(input);
  constexpr double kLow = -2147483648.0, kHigh = 2147483647.0;
  const Elementwise& in = c.in();
  c.begin(kOuters);
  c.no_operators();
  c.integer(in.imm0, kLow, kHigh, offsetof(Elementwise, imm0));
  c.integer(in.imm1, kLow, kHigh, offsetof(Elementwise, imm1));
  c.dst_type(in.dst_dtype == TERN_DTYPE_INT32);
  c.src0_type(in.src0_dtype == TERN_DTYPE_FP32 || in.src0_dtype == TERN_DTYPE_INT32);
  c.results(c.src0().count() + 1);
  c.together(c.dst(), c.src0(), offsetof(Elementwise, src0));
  c.no_src1();
}

// Each core works on its first partition only; the others keep their contents.
void run_nonzero_with_count(EngineUnit& unit, const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  unit.open_source0(operation);
  unit.open_result(operation);
  std::vector<std::int32_t> indices(unit.result.count());
  for (unsigned lane = 0; lane < in.partitions; lane += kCorePartitions) {
    nonzero_with_count(unit.source0.row(lane), unit.source0.count(),
                       static_cast<std::int32_t>(in.imm1), static_cast<std::int32_t>(in.imm0),
                       indices.data());
    unit.result.store_raw(lane, reinterpret_cast<const std::uint8_t*>(indices.data()));
  }
}

std::uint64_t nonzero_with_count_cycles(const Operation& operation, unsigned,
                                        const IntervalRules&) {
  return kGpsimdStart + source_elements(operation);
}

void check_sequence_bounds(const CheckInput& input) {
  const ElementwiseChecker c(input);
  const Elementwise& in = c.in();
  c.begin(kOuters);
  c.no_operators();
  c.no_immediates();
  c.dst_type(in.dst_dtype == TERN_DTYPE_FP32 || in.dst_dtype == TERN_DTYPE_INT32);
  c.src0_type(in.src0_dtype == TERN_DTYPE_FP32 || in.src0_dtype == TERN_DTYPE_INT32);
  c.results(2 * c.src0().count());
  c.together(c.dst(), c.src0(), offsetof(Elementwise, src0));
  c.no_src1();
}

void run_sequence_bounds(EngineUnit& unit, const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  unit.open_source0(operation);
  unit.open_result(operation);
  const std::size_t n = unit.source0.count();
  const bool integer_ids = unit.source0.type() == DType::kInt32;
  std::vector<double> ids(n);
  std::vector<std::int32_t> bounds(2 * n);
  const numerics::ScopedFpModes modes;
  for (unsigned lane = 0; lane < in.partitions; ++lane) {
    if (integer_ids) {  // beyond FP32's 24 bits
      const std::uint8_t* raw = unit.source0.raw(lane);
      for (std::size_t i = 0; i < n; ++i) {
        std::int32_t id;
        std::memcpy(&id, raw + i * sizeof id, sizeof id);
        ids[i] = id;
      }
    } else {
      const float* row = unit.source0.row(lane);
      ids.assign(row, row + n);
    }
    sequence_bounds(ids.data(), n, bounds.data(), bounds.data() + n);
    if (unit.result.type() == DType::kInt32) {
      unit.result.store_raw(lane, reinterpret_cast<const std::uint8_t*>(bounds.data()));
    } else {
      numerics::widen(DType::kInt32, bounds.data(), unit.result.row(), bounds.size());
      unit.result.store(lane);
    }
  }
  unit.result.close();
}

std::uint64_t sequence_bounds_cycles(const Operation& operation, unsigned, const IntervalRules&) {
  return kGpsimdStart + 2 * source_elements(operation) * serial_partitions(operation);
}

constexpr InstructionRow kRows[] = {
    {TERN_OPCODE_LOCAL_GATHER, check_local_gather, describe_elementwise, run_local_gather,
     local_gather_cycles},
    {TERN_OPCODE_N_GATHER, check_n_gather, describe_elementwise, run_n_gather, n_gather_cycles},
    {TERN_OPCODE_NONZERO_WITH_COUNT, check_nonzero_with_count, describe_elementwise,
     run_nonzero_with_count, nonzero_with_count_cycles},
    {TERN_OPCODE_SEQUENCE_BOUNDS, check_sequence_bounds, describe_elementwise, run_sequence_bounds,
     sequence_bounds_cycles},
};

}  // namespace

InstructionRows index_instructions() {
  return kRows;
}

}  // namespace tern
