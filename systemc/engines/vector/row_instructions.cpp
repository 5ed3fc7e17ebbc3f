// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "sw/numerics/bf16.h"
#include "sw/numerics/dtype.h"
#include "sw/spec/access_pattern.h"
#include "sw/spec/generated/formats.h"
#include "systemc/engines/instruction/operand_text.h"
#include "systemc/engines/vector/elementwise_check.h"
#include "systemc/engines/vector/instruction_families.h"
#include "systemc/engines/vector/interval_parts.h"
#include "systemc/engines/vector/special/batch_statistics.h"
#include "systemc/engines/vector/special/gather.h"
#include "systemc/engines/vector/special/largest.h"

// Instructions on one partition's row: statistics and searches.
namespace tern {

namespace {

using Elementwise = tern_instr_elementwise_t;

constexpr std::uint64_t kAggregateCycles = 13;  // bn_aggr, per group
constexpr double kTopkElementsMin = 8, kTopkElementsMax = 65535, kTopkResultsMax = 32767;

void check_bn_stats(const CheckInput& input) {
  const ElementwiseChecker c(input);
  c.begin(kOuters);
  c.no_operators();
  c.no_immediates();
  c.dst_type(numerics::is_float(numerics::DType{c.in().dst_dtype}));
  c.require(c.src0().count() <= kBatchStatisticsElements, TERN_ERROR_BAD_ACCESS_PATTERN,
            offsetof(Elementwise, src0));
  c.results(6);
  c.no_src1();
}

void run_bn_stats(EngineUnit& unit, const Operation& operation) {
  unit.open_source0(operation);
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    batch_statistics(unit.source0.row(lane), unit.source0.count(), out);
  });
}

void check_bn_aggr(const CheckInput& input) {
  const ElementwiseChecker c(input);
  c.begin(kOuters);
  c.no_operators();
  c.no_immediates();
  c.dst_type(numerics::is_float(numerics::DType{c.in().dst_dtype}));
  c.require(c.src0().count() % 3 == 0, TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Elementwise, src0));
  c.results(2);
  c.no_src1();
}

void run_bn_aggr(EngineUnit& unit, const Operation& operation) {
  unit.open_source0(operation);
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    batch_aggregate(unit.source0.row(lane), unit.source0.count() / 3, out);
  });
}

std::uint64_t bn_aggr_cycles(const Operation& operation, unsigned, const IntervalRules&) {
  return kAggregateCycles * (source_elements(operation) / 3);
}

void searched(const ElementwiseChecker& c) {
  const std::uint64_t count = c.src0().count();
  c.require(count >= kSearchElementsMin && count <= kSearchElementsMax,
            TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Elementwise, src0));
}

void eight_sought(const ElementwiseChecker& c) {
  c.require(c.src1().count() == kSearched, TERN_ERROR_BAD_ACCESS_PATTERN,
            offsetof(Elementwise, src1));
}

void check_max8(const CheckInput& input) {
  const ElementwiseChecker c(input);
  c.begin(kOuters);
  c.no_operators();
  c.no_immediates();
  searched(c);
  c.results(kSearched);
  c.no_src1();
}

void run_max8(EngineUnit& unit, const Operation& operation) {
  unit.open_source0(operation);
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    largest8(unit.source0.row(lane), unit.source0.count(), out);
  });
}

void check_find_index8(const CheckInput& input) {
  const ElementwiseChecker c(input);
  const unsigned type = c.in().dst_dtype;
  c.begin(kTwoTiles);
  c.no_operators();
  c.no_immediates();
  c.dst_type(type == TERN_DTYPE_UINT32 || type == TERN_DTYPE_UINT16);
  searched(c);
  eight_sought(c);
  c.results(kSearched);
}

void run_find_index8(EngineUnit& unit, const Operation& operation) {
  unit.open_source0(operation);
  unit.open_source1(operation);
  const std::size_t size = numerics::dtype_size(
      static_cast<numerics::DType>(operation.instruction.elementwise.dst_dtype));
  for_raw_rows(unit, operation, [&](unsigned lane, std::uint8_t* out) {
    std::uint32_t indices[kSearched];
    find_index8(unit.source0.row(lane), unit.source0.count(), unit.source1.row(lane), indices);
    for (std::uint32_t index : indices) {
      std::memcpy(out, &index, size);  // uint16: the lower half, all ones if absent
      out += size;
    }
  });
}

void check_match_replace8(const CheckInput& input) {
  const ElementwiseChecker c(input);
  c.begin(kTwoTiles);
  c.no_operators();
  c.no_imm1();
  searched(c);
  eight_sought(c);
  c.results_as_src0();
}

void run_match_replace8(EngineUnit& unit, const Operation& operation) {
  unit.open_source0(operation);
  unit.open_source1(operation);
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    std::copy_n(unit.source0.row(lane), unit.source0.count(), out);
    match_replace8(out, unit.source0.count(), unit.source1.row(lane),
                   operation.instruction.elementwise.imm0);
  });
}

void check_topk(const CheckInput& input) {
  const ElementwiseChecker c(input);
  const Elementwise& in = c.in();
  c.begin(kTwoTiles);
  c.no_operators();
  c.whole_cores();
  c.dst_type(in.dst_dtype == TERN_DTYPE_BF16);
  c.src0_type(in.src0_dtype == TERN_DTYPE_BF16);
  c.src1_type(in.src1_dtype == TERN_DTYPE_UINT32);
  c.integer(in.imm0, kTopkElementsMin, kTopkElementsMax, offsetof(Elementwise, imm0));
  const double most = in.imm0 < kTopkResultsMax ? in.imm0 : kTopkResultsMax;
  c.integer(in.imm1, 1, most, offsetof(Elementwise, imm1));
  const AccessPattern values = c.dst(), source = c.src0(), indices = c.src1();
  c.together(values, source, offsetof(Elementwise, src0));
  c.together(values, indices, offsetof(Elementwise, src1));
  c.require(source.count() >= CoreOrder::columns(static_cast<std::size_t>(in.imm0)),
            TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Elementwise, src0));
  const std::size_t columns = CoreOrder::columns(static_cast<std::size_t>(in.imm1));
  c.require(values.count() >= columns, TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Elementwise, dst));
  c.require(indices.count() >= columns, TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Elementwise, src1));
}

// The row belongs to a core: its 16 partitions hold the row and the results jointly.
void run_topk(EngineUnit& unit, const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  const auto n = static_cast<std::size_t>(in.imm0), k = static_cast<std::size_t>(in.imm1);
  unit.open_source0(operation);
  unit.open_result(operation);
  // Slots after the k-th keep their contents.
  unit.open_previous(operation);
  unit.open_source1(operation);
  ResultWriter indices;
  indices.open(unit.memory, unit.source1.pattern(), unit.source1.type(), in.partitions);
  std::vector<float> row(n);
  std::vector<std::uint8_t> values_out, indices_out;
  for (unsigned first = 0; first < in.partitions; first += kCorePartitions) {
    for (unsigned p = 0; p < kCorePartitions; ++p) {
      const float* part = unit.source0.row(first + p);
      for (std::size_t i = p; i < n; i += kCorePartitions) row[i] = part[CoreOrder::column(i)];
    }
    const std::vector<std::uint32_t> found = largest_ascending(row.data(), n, k);
    for (unsigned p = 0; p < kCorePartitions; ++p) {
      const std::uint8_t* old_values = unit.previous.raw(first + p);
      values_out.assign(old_values, old_values + 2 * unit.previous.count());
      const std::uint8_t* old_indices = unit.source1.raw(first + p);
      indices_out.assign(old_indices, old_indices + 4 * unit.source1.count());
      for (std::size_t j = p; j < k; j += kCorePartitions) {
        const std::uint16_t value = numerics::bf16_from_float(row[found[j]]);
        std::memcpy(&values_out[2 * CoreOrder::column(j)], &value, sizeof value);
        std::memcpy(&indices_out[4 * CoreOrder::column(j)], &found[j], sizeof found[j]);
      }
      unit.result.store_raw(first + p, values_out.data());
      indices.store_raw(first + p, indices_out.data());
    }
  }
}

std::uint64_t topk_cycles(const Operation& operation, unsigned, const IntervalRules&) {
  const auto& in = operation.instruction.elementwise;
  return 4 * static_cast<std::uint64_t>(in.imm0) + static_cast<std::uint64_t>(in.imm1);
}

constexpr InstructionRow kRows[] = {
    {TERN_OPCODE_BN_STATS, check_bn_stats, describe_elementwise, run_bn_stats, source_cycles},
    {TERN_OPCODE_BN_AGGR, check_bn_aggr, describe_elementwise, run_bn_aggr, bn_aggr_cycles},
    {TERN_OPCODE_MAX8, check_max8, describe_elementwise, run_max8, source_cycles},
    {TERN_OPCODE_FIND_INDEX8, check_find_index8, describe_elementwise, run_find_index8,
     source_cycles},
    {TERN_OPCODE_MATCH_REPLACE8, check_match_replace8, describe_elementwise, run_match_replace8,
     source_cycles},
    {TERN_OPCODE_TOPK, check_topk, describe_elementwise, run_topk, topk_cycles},
};

}  // namespace

InstructionRows row_instructions() {
  return kRows;
}

}  // namespace tern
