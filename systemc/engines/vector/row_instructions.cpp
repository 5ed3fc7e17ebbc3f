// SPDX-License-Identifier: Apache-2.0
// Instructions on one partition's row: statistics and searches.
#include <algorithm>
#include <cstring>

#include "sw/numerics/bf16.h"
#include "systemc/engines/vector/special/batch_statistics.h"
#include "systemc/engines/vector/special/gather.h"
#include "systemc/engines/vector/special/largest.h"
#include "systemc/engines/vector/special_instructions.h"

namespace tern {

void run_bn_stats(EngineUnit& unit, const Operation& operation) {
  unit.open_source0(operation);
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    batch_statistics(unit.source0.row(lane), unit.source0.count(), out);
  });
}

void run_bn_aggr(EngineUnit& unit, const Operation& operation) {
  unit.open_source0(operation);
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    batch_aggregate(unit.source0.row(lane), unit.source0.count() / 3, out);
  });
}

void run_max8(EngineUnit& unit, const Operation& operation) {
  unit.open_source0(operation);
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    largest8(unit.source0.row(lane), unit.source0.count(), out);
  });
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

void run_match_replace8(EngineUnit& unit, const Operation& operation) {
  unit.open_source0(operation);
  unit.open_source1(operation);
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    std::copy_n(unit.source0.row(lane), unit.source0.count(), out);
    match_replace8(out, unit.source0.count(), unit.source1.row(lane),
                   operation.instruction.elementwise.imm0);
  });
}

// The row is that of a core: its 16 partitions hold it together, and the results too.
void run_topk(EngineUnit& unit, const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  const auto n = static_cast<std::size_t>(in.imm0), k = static_cast<std::size_t>(in.imm1);
  unit.open_source0(operation);
  unit.open_result(operation);
  // Slots behind the k-th keep what they hold.
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

}  // namespace tern
