// SPDX-License-Identifier: Apache-2.0
#include "systemc/core/special_check.h"

#include <cmath>
#include <cstddef>

#include "sw/numerics/dtype.h"
#include "sw/spec/extension.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/formats.h"
#include "systemc/engines/vector/alu_rows.h"
#include "systemc/engines/vector/special/batch_statistics.h"
#include "systemc/engines/vector/special/gather.h"
#include "systemc/engines/vector/special/largest.h"

namespace tern {

namespace {

using Elementwise = tern_instr_elementwise_t;

constexpr unsigned kOuters = kPartDstOuter | kPartSrc0Outer;
constexpr unsigned kTwoTiles = kOuters | kPartSrc1Outer;

constexpr std::uint64_t kGatherIndices = 4096;  // of one core
constexpr unsigned kGatherElements = 32;        // per index, a power of two
constexpr unsigned kTransposed = 32;            // rows and columns
constexpr double kTopkElementsMin = 8, kTopkElementsMax = 65535, kTopkResultsMax = 32767;

bool is_float(unsigned dtype) {
  return dtype == TERN_DTYPE_FP32 || dtype == TERN_DTYPE_BF16 || dtype == TERN_DTYPE_FP16;
}
bool is_integer(unsigned dtype) {
  return (dtype >= TERN_DTYPE_INT8 && dtype <= TERN_DTYPE_UINT16) || dtype == TERN_DTYPE_INT32 ||
         dtype == TERN_DTYPE_UINT32;
}

}  // namespace

// --- what several of them need

void SpecialChecker::no_operators() const {
  zeros(offsetof(Elementwise, op0), offsetof(Elementwise, dst_dtype));
}
void SpecialChecker::no_imm0() const {
  zeros(offsetof(Elementwise, imm0), offsetof(Elementwise, imm1));
}
void SpecialChecker::no_imm1() const {
  zeros_from(offsetof(Elementwise, imm1));
}
void SpecialChecker::no_dst() const {
  dst_type(in_.elementwise.dst_dtype == TERN_DTYPE_NONE);
  zeros(offsetof(Elementwise, dst), offsetof(Elementwise, src0));
}
void SpecialChecker::dst_type(bool good) const {
  require(good, TERN_ERROR_BAD_DTYPE, offsetof(Elementwise, dst_dtype));
}
void SpecialChecker::src0_type(bool good) const {
  require(good, TERN_ERROR_BAD_DTYPE, offsetof(Elementwise, src0_dtype));
}
void SpecialChecker::src1_type(bool good) const {
  require(good, TERN_ERROR_BAD_DTYPE, offsetof(Elementwise, src1_dtype));
}
void SpecialChecker::searched() const {
  const std::uint64_t count = src0().count();
  require(count >= kSearchElementsMin && count <= kSearchElementsMax, TERN_ERROR_BAD_ACCESS_PATTERN,
          offsetof(Elementwise, src0));
}
void SpecialChecker::eight_sought() const {
  require(src1().count() == kSearched, TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Elementwise, src1));
}
void SpecialChecker::whole_cores() const {
  field(in_.elementwise.partitions % kCorePartitions == 0, offsetof(Elementwise, partitions));
}
void SpecialChecker::together(const AccessPattern& a, const AccessPattern& b,
                              std::size_t byte) const {
  require(a.partition == b.partition, TERN_ERROR_BAD_ACCESS_PATTERN, byte);
}
AccessPattern SpecialChecker::dst_of(unsigned partitions) const {
  Operation operation{in_, extension_};
  operation.instruction.elementwise.partitions = static_cast<std::uint8_t>(partitions);
  return SpecialChecker(operation, queue_, limits_).dst();
}
unsigned SpecialChecker::state_words() const {
  return queue_ == TERN_QUEUE_VECTOR ? 24 : 6;
}
void SpecialChecker::integer(float value, double low, double high, std::size_t byte) const {
  field(value >= low && value <= high && std::trunc(value) == value, byte);
}

// --- statistics and searches

void SpecialChecker::bn_stats() const {
  begin(kOuters);
  no_operators();
  no_immediates();
  dst_type(is_float(in_.elementwise.dst_dtype));
  require(src0().count() <= kBatchStatisticsElements, TERN_ERROR_BAD_ACCESS_PATTERN,
          offsetof(Elementwise, src0));
  results(6);
  no_src1();
}

void SpecialChecker::bn_aggr() const {
  begin(kOuters);
  no_operators();
  no_immediates();
  dst_type(is_float(in_.elementwise.dst_dtype));
  require(src0().count() % 3 == 0, TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Elementwise, src0));
  results(2);
  no_src1();
}

void SpecialChecker::max8() const {
  begin(kOuters);
  no_operators();
  no_immediates();
  searched();
  results(kSearched);
  no_src1();
}

void SpecialChecker::find_index8() const {
  const unsigned type = in_.elementwise.dst_dtype;
  begin(kTwoTiles);
  no_operators();
  no_immediates();
  dst_type(type == TERN_DTYPE_UINT32 || type == TERN_DTYPE_UINT16);
  searched();
  eight_sought();
  results(kSearched);
}

void SpecialChecker::match_replace8() const {
  begin(kTwoTiles);
  no_operators();
  no_imm1();
  searched();
  eight_sought();
  results_as_src0();
}

// --- random numbers

void SpecialChecker::dropout() const {
  begin(kOuters | kPartScalar0);
  no_operators();
  no_imm1();
  results_as_src0();
  no_src1();
}

void SpecialChecker::rng() const {
  begin(kPartDstOuter);
  no_operators();
  no_immediates();
  dst_type(is_integer(in_.elementwise.dst_dtype));
  dst();
  no_src0();
  no_src1();
}

void SpecialChecker::set_rng_seed() const {
  const Elementwise& in = in_.elementwise;
  begin(0);
  no_operators();
  no_immediates();
  no_dst();
  field(in.partitions == 1, offsetof(Elementwise, partitions));
  src0_type(in.src0_dtype == TERN_DTYPE_UINT32 || in.src0_dtype == TERN_DTYPE_INT32);
  require(src0().count() == 1, TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Elementwise, src0));
  no_src1();
}

void SpecialChecker::rand_set_state() const {
  begin(kPartSrc0Outer);
  no_operators();
  no_immediates();
  no_dst();
  src0_type(in_.elementwise.src0_dtype == TERN_DTYPE_UINT32);
  require(src0().count() == state_words(), TERN_ERROR_BAD_ACCESS_PATTERN,
          offsetof(Elementwise, src0));
  no_src1();
}

void SpecialChecker::rand_get_state() const {
  begin(kPartDstOuter);
  no_operators();
  no_immediates();
  dst_type(in_.elementwise.dst_dtype == TERN_DTYPE_UINT32);
  results(state_words());
  no_src0();
  no_src1();
}

void SpecialChecker::rand2() const {
  const Elementwise& in = in_.elementwise;
  begin(kPartDstOuter | kPartScalar0 | kPartScalar1);
  no_operators();
  dst_type(in.dst_dtype == TERN_DTYPE_FP32);
  dst();
  no_src0();
  no_src1();
  const bool column0 = (extension_.flags & kExtendScalar0) != 0;
  const bool column1 = (extension_.flags & kExtendScalar1) != 0;
  field(column0 || std::isfinite(in.imm0), offsetof(Elementwise, imm0));
  field(column1 || std::isfinite(in.imm1), offsetof(Elementwise, imm1));
  field(column0 || column1 || (in.imm0 < in.imm1 && std::isfinite(in.imm1 - in.imm0)),
        offsetof(Elementwise, imm1));
}

// --- movement between partitions

AccessPattern SpecialChecker::other(const tern_ap_t& ap, const tern_outer_t& outer,
                                    std::size_t byte, std::size_t outer_byte, unsigned dtype,
                                    std::size_t dtype_byte, unsigned partitions) const {
  const auto type = numerics::dtype_from_code(dtype);
  require(type && numerics::is_compute_dtype(*type), TERN_ERROR_BAD_DTYPE, dtype_byte);
  const AccessPattern inner(ap), whole(ap, outer);
  const std::size_t size = numerics::dtype_size(*type);
  require(!inner.psum || queue_ != TERN_QUEUE_GPSIMD, TERN_ERROR_FORBIDDEN_MEMORY, byte);
  require(inner.byte % size == 0, TERN_ERROR_BAD_ACCESS_PATTERN, byte);
  pattern(inner, byte, size, partitions);
  pattern(whole, kExtensionByte + outer_byte, size, partitions);
  return whole;
}

void SpecialChecker::stream_shuffle() const {
  using Shuffle = tern_instr_shuffle_t;
  constexpr unsigned kGroup = 32, kKeep = 255;
  const Shuffle& in = in_.shuffle;
  no_extension();
  field(in.partitions >= kGroup && in.partitions <= TERN_CORE_SBUF_COUNT &&
            in.partitions % kGroup == 0,
        offsetof(Shuffle, partitions));
  const auto operand = [&](std::uint32_t address, std::size_t byte) {
    return other(tern_ap_t{address, in.num, 1, 1, 0}, {}, byte, 0, in.dtype,
                 offsetof(Shuffle, dtype), in.partitions);
  };
  const AccessPattern dst = operand(in.dst, offsetof(Shuffle, dst));
  operand(in.src, offsetof(Shuffle, src));
  require(!dst.psum || numerics::dtype_size(static_cast<numerics::DType>(in.dtype)) == 4,
          TERN_ERROR_BAD_DTYPE, offsetof(Shuffle, dtype));
  for (unsigned i = 0; i < kGroup; ++i) {
    field(in.mask[i] < kGroup || in.mask[i] == kKeep, offsetof(Shuffle, mask) + i);
  }
  zeros_from(offsetof(Shuffle, mask) + kGroup);
}

void SpecialChecker::vector_transpose() const {
  const Elementwise& in = in_.elementwise;
  begin(kOuters);
  no_operators();
  no_immediates();
  field(in.partitions <= kTransposed, offsetof(Elementwise, partitions));
  const std::uint64_t columns = src0().count();
  require(columns <= kTransposed, TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Elementwise, src0));
  dst_type(in.dst_dtype == in.src0_dtype);
  require(dst_of(static_cast<unsigned>(columns)).count() == in.partitions,
          TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Elementwise, dst));
  no_src1();
}

void SpecialChecker::tensor_partition_reduce() const {
  const Elementwise& in = in_.elementwise;
  begin(kOuters);
  const bool bits = in.op0 == TERN_ALU_OP_BIT_AND || in.op0 == TERN_ALU_OP_BIT_OR;
  field(bits || in.op0 == TERN_ALU_OP_ADD || in.op0 == TERN_ALU_OP_MAX, offsetof(Elementwise, op0));
  bypass(in.op1, offsetof(Elementwise, op1));
  no_immediates();
  dst_type(!bits || in.dst_dtype == in.src0_dtype);
  require(dst_of(1).count() == src0().count(), TERN_ERROR_BAD_ACCESS_PATTERN,
          offsetof(Elementwise, dst));
  no_src1();
}

// --- affine functions

AccessPattern SpecialChecker::affine_dst() const {
  using Affine = tern_instr_affine_t;
  const Affine& in = in_.affine;
  field(in.partitions >= 1 && in.partitions <= TERN_CORE_SBUF_COUNT, offsetof(Affine, partitions));
  // Of the extension, the outer dimensions only.
  extension_zeros(offsetof(tern_instr_extend_t, src1_outer),
                  offsetof(tern_instr_extend_t, dst_reg));
  const AccessPattern dst = other(in.dst, extension_.dst_outer, offsetof(Affine, dst),
                                  offsetof(tern_instr_extend_t, dst_outer), in.dst_dtype,
                                  offsetof(Affine, dst_dtype), in.partitions);
  field(in.step[2] == 0 || extension_.dst_outer.num2 != 0, offsetof(Affine, step) + 4);
  field(in.step[3] == 0 || extension_.dst_outer.num3 != 0, offsetof(Affine, step) + 6);
  return dst;
}

void SpecialChecker::iota() const {
  using Affine = tern_instr_affine_t;
  const Affine& in = in_.affine;
  affine_dst();
  extension_zeros(offsetof(tern_instr_extend_t, src0_outer),
                  offsetof(tern_instr_extend_t, src1_outer));
  require(in.src_dtype == TERN_DTYPE_NONE, TERN_ERROR_BAD_DTYPE, offsetof(Affine, src_dtype));
  zeros(offsetof(Affine, src), offsetof(Affine, base));
  zeros(offsetof(Affine, fill), offsetof(Affine, dst_dtype));
  field(in.op == TERN_ALU_OP_BYPASS, offsetof(Affine, op));
}

void SpecialChecker::affine_select() const {
  using Affine = tern_instr_affine_t;
  const Affine& in = in_.affine;
  const AccessPattern dst = affine_dst();
  const AccessPattern src = other(in.src, extension_.src0_outer, offsetof(Affine, src),
                                  offsetof(tern_instr_extend_t, src0_outer), in.src_dtype,
                                  offsetof(Affine, src_dtype), in.partitions);
  require(src.count() == dst.count(), TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Affine, src));
  field(in.op >= TERN_ALU_OP_IS_EQ && in.op <= TERN_ALU_OP_IS_LT, offsetof(Affine, op));
}

// --- gathers and positions

void SpecialChecker::local_gather() const {
  const Elementwise& in = in_.elementwise;
  begin(kTwoTiles);
  no_immediates();
  bypass(in.op0, offsetof(Elementwise, op0));
  const unsigned elements = in.op1;
  field(elements >= 1 && elements <= kGatherElements && (elements & (elements - 1)) == 0,
        offsetof(Elementwise, op1));
  whole_cores();
  dst_type(in.dst_dtype == in.src0_dtype);
  src1_type(in.src1_dtype == TERN_DTYPE_UINT16);
  const AccessPattern to = dst(), from = src0(), indices = src1();
  together(to, from, offsetof(Elementwise, src0));
  together(to, indices, offsetof(Elementwise, src1));
  require(to.count() % elements == 0, TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Elementwise, dst));
  const std::uint64_t list = to.count() / elements;
  require(list <= kGatherIndices && list <= kCorePartitions * indices.count(),
          TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Elementwise, dst));
}

void SpecialChecker::n_gather() const {
  const Elementwise& in = in_.elementwise;
  begin(kTwoTiles);
  no_operators();
  no_immediates();
  dst_type(in.dst_dtype == in.src0_dtype);
  src1_type(in.src1_dtype == TERN_DTYPE_UINT32);
  const AccessPattern to = dst(), indices = src1();
  together(to, src0(), offsetof(Elementwise, src0));
  together(to, indices, offsetof(Elementwise, src1));
  require(to.count() == indices.count(), TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Elementwise, dst));
}

void SpecialChecker::nonzero_with_count() const {
  constexpr double kLow = -2147483648.0, kHigh = 2147483647.0;
  const Elementwise& in = in_.elementwise;
  begin(kOuters);
  no_operators();
  integer(in.imm0, kLow, kHigh, offsetof(Elementwise, imm0));
  integer(in.imm1, kLow, kHigh, offsetof(Elementwise, imm1));
  dst_type(in.dst_dtype == TERN_DTYPE_INT32);
  src0_type(in.src0_dtype == TERN_DTYPE_FP32 || in.src0_dtype == TERN_DTYPE_INT32);
  results(src0().count() + 1);
  together(dst(), src0(), offsetof(Elementwise, src0));
  no_src1();
}

void SpecialChecker::sequence_bounds() const {
  const Elementwise& in = in_.elementwise;
  begin(kOuters);
  no_operators();
  no_immediates();
  dst_type(in.dst_dtype == TERN_DTYPE_FP32 || in.dst_dtype == TERN_DTYPE_INT32);
  src0_type(in.src0_dtype == TERN_DTYPE_FP32 || in.src0_dtype == TERN_DTYPE_INT32);
  results(2 * src0().count());
  together(dst(), src0(), offsetof(Elementwise, src0));
  no_src1();
}

void SpecialChecker::topk() const {
  const Elementwise& in = in_.elementwise;
  begin(kTwoTiles);
  no_operators();
  whole_cores();
  dst_type(in.dst_dtype == TERN_DTYPE_BF16);
  src0_type(in.src0_dtype == TERN_DTYPE_BF16);
  src1_type(in.src1_dtype == TERN_DTYPE_UINT32);
  integer(in.imm0, kTopkElementsMin, kTopkElementsMax, offsetof(Elementwise, imm0));
  const double most = in.imm0 < kTopkResultsMax ? in.imm0 : kTopkResultsMax;
  integer(in.imm1, 1, most, offsetof(Elementwise, imm1));
  const AccessPattern values = dst(), source = src0(), indices = src1();
  together(values, source, offsetof(Elementwise, src0));
  together(values, indices, offsetof(Elementwise, src1));
  require(source.count() >= CoreOrder::columns(static_cast<std::size_t>(in.imm0)),
          TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Elementwise, src0));
  const std::size_t columns = CoreOrder::columns(static_cast<std::size_t>(in.imm1));
  require(values.count() >= columns, TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Elementwise, dst));
  require(indices.count() >= columns, TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Elementwise, src1));
}

bool SpecialChecker::check() const {
  const auto run = [this](void (SpecialChecker::*instruction)() const) {
    (this->*instruction)();
    return true;
  };
  switch (in_.header.opcode) {
    case TERN_OPCODE_BN_STATS:
      return run(&SpecialChecker::bn_stats);
    case TERN_OPCODE_BN_AGGR:
      return run(&SpecialChecker::bn_aggr);
    case TERN_OPCODE_MAX8:
      return run(&SpecialChecker::max8);
    case TERN_OPCODE_FIND_INDEX8:
      return run(&SpecialChecker::find_index8);
    case TERN_OPCODE_MATCH_REPLACE8:
      return run(&SpecialChecker::match_replace8);
    case TERN_OPCODE_STREAM_SHUFFLE:
      return run(&SpecialChecker::stream_shuffle);
    case TERN_OPCODE_VECTOR_TRANSPOSE:
      return run(&SpecialChecker::vector_transpose);
    case TERN_OPCODE_DROPOUT:
      return run(&SpecialChecker::dropout);
    case TERN_OPCODE_RNG:
      return run(&SpecialChecker::rng);
    case TERN_OPCODE_SET_RNG_SEED:
      return run(&SpecialChecker::set_rng_seed);
    case TERN_OPCODE_RAND_SET_STATE:
      return run(&SpecialChecker::rand_set_state);
    case TERN_OPCODE_RAND_GET_STATE:
      return run(&SpecialChecker::rand_get_state);
    case TERN_OPCODE_RAND2:
      return run(&SpecialChecker::rand2);
    case TERN_OPCODE_IOTA:
      return run(&SpecialChecker::iota);
    case TERN_OPCODE_AFFINE_SELECT:
      return run(&SpecialChecker::affine_select);
    case TERN_OPCODE_LOCAL_GATHER:
      return run(&SpecialChecker::local_gather);
    case TERN_OPCODE_N_GATHER:
      return run(&SpecialChecker::n_gather);
    case TERN_OPCODE_NONZERO_WITH_COUNT:
      return run(&SpecialChecker::nonzero_with_count);
    case TERN_OPCODE_SEQUENCE_BOUNDS:
      return run(&SpecialChecker::sequence_bounds);
    case TERN_OPCODE_TOPK:
      return run(&SpecialChecker::topk);
    case TERN_OPCODE_TENSOR_PARTITION_REDUCE:
      return run(&SpecialChecker::tensor_partition_reduce);
    default:
      return false;
  }
}

}  // namespace tern
