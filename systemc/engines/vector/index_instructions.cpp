// SPDX-License-Identifier: Apache-2.0
// GpSimd: affine functions of indices, gathers by indices, positions in a row.
#include <cstddef>
#include <cstring>
#include <vector>

#include "sw/numerics/convert.h"
#include "systemc/engines/ports/engine_fault.h"
#include "systemc/engines/vector/special/affine.h"
#include "systemc/engines/vector/special/gather.h"
#include "systemc/engines/vector/special/segments.h"
#include "systemc/engines/vector/special_instructions.h"

namespace tern {

namespace {

using numerics::DType;

struct AffineOperands {
  explicit AffineOperands(const Operation& operation)
      : in(operation.instruction.affine),
        dst(in.dst, operation.extension.dst_outer),
        src(in.src, operation.extension.src0_outer),
        dst_type(static_cast<DType>(in.dst_dtype)),
        src_type(static_cast<DType>(in.src_dtype)) {
    function.base = in.base;
    function.channel_multiplier = in.channel_multiplier;
    for (unsigned d = 0; d < 4; ++d) {
      function.step[d] = in.step[d];
      function.num[d] = dst.num(d);
    }
  }
  const tern_instr_affine_t& in;
  AccessPattern dst, src;
  DType dst_type, src_type;
  AffineFunction function;
};

// detail: kDataFault and the byte of the field of the indices; the partition, counted from the
// operand's first; the place in its (or its core's) list, saturated.
[[noreturn]] void index_outside(unsigned partition, std::size_t position) {
  const std::size_t place = std::min<std::size_t>(position, 0xFFFF);
  throw EngineFault{
      TERN_ERROR_BAD_ACCESS_PATTERN,
      static_cast<std::uint32_t>(kDataFault | offsetof(tern_instr_elementwise_t, src1) |
                                 partition << 8 | place << 16)};
}

}  // namespace

void run_iota(EngineUnit& unit, const Operation& operation) {
  const AffineOperands o(operation);
  unit.result.open(unit.memory, o.dst, o.dst_type, o.in.partitions);
  const bool integer = o.dst_type == DType::kInt32 || o.dst_type == DType::kUint32;
  const numerics::ScopedFpModes modes;
  for (unsigned lane = 0; lane < o.in.partitions; ++lane) {
    const std::vector<std::int32_t> values = o.function.row(lane);
    if (integer) {
      unit.result.store_raw(lane, reinterpret_cast<const std::uint8_t*>(values.data()));
      continue;
    }
    numerics::widen(DType::kInt32, values.data(), unit.result.row(), values.size());
    unit.result.store(lane);
  }
  unit.result.close();
}

void run_affine_select(EngineUnit& unit, const Operation& operation) {
  const AffineOperands o(operation);
  unit.source0.open(unit.memory, o.src, o.src_type, o.in.partitions);
  unit.result.open(unit.memory, o.dst, o.dst_type, o.in.partitions);
  const std::size_t size = numerics::dtype_size(o.dst_type), n = unit.result.count();
  std::vector<std::uint8_t> taken(n * size), fill(size);
  const numerics::ScopedFpModes modes;
  numerics::narrow(o.dst_type, &o.in.fill, fill.data(), 1);
  for (unsigned lane = 0; lane < o.in.partitions; ++lane) {
    if (o.src_type == o.dst_type) {
      std::memcpy(taken.data(), unit.source0.raw(lane), n * size);
    } else {
      numerics::narrow(o.dst_type, unit.source0.row(lane), taken.data(), n);
    }
    const std::vector<std::int32_t> values = o.function.row(lane);
    for (std::size_t i = 0; i < n; ++i) {
      if (!compares_with_zero(o.in.op, values[i])) {
        std::memcpy(&taken[i * size], fill.data(), size);
      }
    }
    unit.result.store_raw(lane, taken.data());
  }
  unit.result.close();
}

// Finds the indices of all cores inside their rows before the first element is written.
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
        if (index + elements > row_elements) index_outside(first + p, i);
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
    if (outside) index_outside(lane, *outside);
  }
  for (unsigned lane = 0; lane < in.partitions; ++lane) {
    unit.result.store_raw(lane, &results[lane * bytes]);
  }
  unit.result.close();
}

// Each core works on its first partition only; the others keep what they hold.
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

}  // namespace tern
