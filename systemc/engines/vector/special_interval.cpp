// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/vector/special_interval.h"

#include <algorithm>

#include "sw/numerics/dtype.h"
#include "sw/spec/access_pattern.h"
#include "systemc/engines/vector/special/gather.h"

namespace tern {

namespace {

constexpr std::uint64_t kGpsimdStart = 150;     // of an instruction of GpSimd
constexpr unsigned kDrawsPerCycle = 4;          // of Vector, per partition
constexpr std::uint64_t kAggregateCycles = 13;  // bn_aggr, per group

std::uint64_t ceil_div(std::uint64_t value, std::uint64_t divisor) {
  return (value + divisor - 1) / divisor;
}

// As documented: 150 + valid * e / C, C = ((28 + t * e) / (t * e)) / min(4 / size, e), t = 4, with
// e elements per index.
std::uint64_t gather_cycles(const tern_instr_elementwise_t& in, std::uint64_t results) {
  constexpr std::uint64_t kT = 4, kOverhead = 28;
  const std::uint64_t size = numerics::dtype_size(static_cast<numerics::DType>(in.src0_dtype));
  const std::uint64_t e = in.op1, together = std::min<std::uint64_t>(4 / size, e);
  return kGpsimdStart + ceil_div(results * together * kT * e, kOverhead + kT * e);
}

// Partitions that one core works on, one after another.
std::uint64_t turns(unsigned partitions) {
  return std::min(partitions, kCorePartitions);
}

}  // namespace

std::optional<std::uint64_t> special_cycles(const Operation& operation, unsigned queue) {
  const auto& in = operation.instruction.elementwise;
  const auto& extension = operation.extension;
  const auto dst = [&] { return AccessPattern(in.dst, extension.dst_outer).count(); };
  const auto src0 = [&] { return AccessPattern(in.src0, extension.src0_outer).count(); };
  const bool vector = queue == TERN_QUEUE_VECTOR;
  switch (operation.opcode()) {
    case TERN_OPCODE_BN_STATS:
    case TERN_OPCODE_MAX8:
    case TERN_OPCODE_FIND_INDEX8:
    case TERN_OPCODE_MATCH_REPLACE8:
    case TERN_OPCODE_VECTOR_TRANSPOSE:
    case TERN_OPCODE_DROPOUT:
      return src0();
    case TERN_OPCODE_BN_AGGR:
      return kAggregateCycles * (src0() / 3);
    case TERN_OPCODE_STREAM_SHUFFLE:
      return operation.instruction.shuffle.num;
    case TERN_OPCODE_RNG:
    case TERN_OPCODE_RAND2:
    case TERN_OPCODE_RAND_GET_STATE:
      return vector ? ceil_div(dst(), kDrawsPerCycle) : kGpsimdStart + dst();
    case TERN_OPCODE_RAND_SET_STATE:
      return vector ? ceil_div(src0(), kDrawsPerCycle) : kGpsimdStart + src0();
    case TERN_OPCODE_SET_RNG_SEED:
      return 1;
    case TERN_OPCODE_IOTA:
    case TERN_OPCODE_AFFINE_SELECT:
      return kGpsimdStart +
             AccessPattern(operation.instruction.affine.dst, extension.dst_outer).count();
    case TERN_OPCODE_LOCAL_GATHER:
      return gather_cycles(in, dst());
    case TERN_OPCODE_TOPK:
      return 4 * static_cast<std::uint64_t>(in.imm0) + static_cast<std::uint64_t>(in.imm1);
    case TERN_OPCODE_N_GATHER:
      return kGpsimdStart + dst() * turns(in.partitions);
    case TERN_OPCODE_NONZERO_WITH_COUNT:
      return kGpsimdStart + src0();
    case TERN_OPCODE_SEQUENCE_BOUNDS:
      return kGpsimdStart + 2 * src0() * turns(in.partitions);
    case TERN_OPCODE_TENSOR_PARTITION_REDUCE:
      return kGpsimdStart + src0() * turns(in.partitions);
    default:
      return std::nullopt;
  }
}

}  // namespace tern
