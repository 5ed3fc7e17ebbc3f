// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <cstring>
#include <vector>

#include "sw/numerics/dtype.h"
#include "sw/spec/extension.h"
#include "sw/spec/generated/formats.h"
#include "systemc/engines/instruction/operand_text.h"
#include "systemc/engines/vector/elementwise_check.h"
#include "systemc/engines/vector/instruction_families.h"
#include "systemc/engines/vector/interval_parts.h"

// Random numbers and the state of the generators. The generators are those of the destination's
// partitions (of the source's, if there is no destination).
namespace tern {

namespace {

using Elementwise = tern_instr_elementwise_t;

constexpr unsigned kDrawsPerCycle = 4;  // of Vector, per partition

// One draw per element of the destination, partition by partition.
class Draws {
 public:
  explicit Draws(EngineUnit& unit) : unit_(unit) {}
  const std::uint32_t* row(unsigned lane) {
    draws_.resize(unit_.result.count());
    unit_.random.draw(unit_.result.pattern().partition + lane, draws_.data(), draws_.size());
    return draws_.data();
  }

 private:
  EngineUnit& unit_;
  std::vector<std::uint32_t> draws_;
};

void check_dropout(const CheckInput& input) {
  const ElementwiseChecker c(input);
  c.begin(kOuters | kPartScalar0);
  c.no_operators();
  c.no_imm1();
  c.results_as_src0();
  c.no_src1();
}

void run_dropout(EngineUnit& unit, const Operation& operation) {
  unit.open_source0(operation);
  unit.open_scalars(operation);
  Draws draws(unit);
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    const std::uint32_t* bits = draws.row(lane);
    const float* values = unit.source0.row(lane);
    for (std::size_t i = 0; i < unit.result.count(); ++i) {
      out[i] = drop(values[i], unit.scalar0.at(lane), bits[i]);
    }
  });
}

void check_rng(const CheckInput& input) {
  const ElementwiseChecker c(input);
  c.begin(kPartDstOuter);
  c.no_operators();
  c.no_immediates();
  c.dst_type(numerics::is_integer(numerics::DType{c.in().dst_dtype}));
  c.dst();
  c.no_src0();
  c.no_src1();
}

void run_rng(EngineUnit& unit, const Operation& operation) {
  Draws draws(unit);
  for_raw_rows(unit, operation, [&](unsigned lane, std::uint8_t* out) {
    const std::size_t size = numerics::dtype_size(unit.result.type());
    const std::uint32_t* bits = draws.row(lane);
    for (std::size_t i = 0; i < unit.result.count(); ++i) {
      std::memcpy(out + i * size, &bits[i], size);  // the lower bytes
    }
  });
}

// Of n words per partition.
std::uint64_t word_cycles(std::uint64_t n, unsigned queue) {
  if (queue == TERN_QUEUE_VECTOR) return ceil_div(n, kDrawsPerCycle);
  return queue == TERN_QUEUE_GPSIMD ? kGpsimdStart + n : n;
}

std::uint64_t draw_cycles(const Operation& operation, unsigned queue, const IntervalRules&) {
  return word_cycles(result_elements(operation), queue);
}

void check_rand2(const CheckInput& input) {
  const ElementwiseChecker c(input);
  const Elementwise& in = c.in();
  c.begin(kPartDstOuter | kPartScalar0 | kPartScalar1);
  c.no_operators();
  c.dst_type(in.dst_dtype == TERN_DTYPE_FP32);
  c.dst();
  c.no_src0();
  c.no_src1();
  const bool column0 = (c.extension().flags & kExtendScalar0) != 0;
  const bool column1 = (c.extension().flags & kExtendScalar1) != 0;
  c.field(column0 || std::isfinite(in.imm0), offsetof(Elementwise, imm0));
  c.field(column1 || std::isfinite(in.imm1), offsetof(Elementwise, imm1));
  c.field(column0 || column1 || (in.imm0 < in.imm1 && std::isfinite(in.imm1 - in.imm0)),
          offsetof(Elementwise, imm1));
}

void run_rand2(EngineUnit& unit, const Operation& operation) {
  unit.open_scalars(operation);
  Draws draws(unit);
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    const std::uint32_t* bits = draws.row(lane);
    const float low = unit.scalar0.at(lane), high = unit.scalar1.at(lane);
    for (std::size_t i = 0; i < unit.result.count(); ++i) {
      out[i] = uniform_between(low, high, bits[i]);
    }
  });
}

void check_set_rng_seed(const CheckInput& input) {
  const ElementwiseChecker c(input);
  const Elementwise& in = c.in();
  c.begin(0);
  c.no_operators();
  c.no_immediates();
  c.no_dst();
  c.field(in.partitions == 1, offsetof(Elementwise, partitions));
  c.src0_type(in.src0_dtype == TERN_DTYPE_UINT32 || in.src0_dtype == TERN_DTYPE_INT32);
  c.require(c.src0().count() == 1, TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Elementwise, src0));
  c.no_src1();
}

void run_set_rng_seed(EngineUnit& unit, const Operation& operation) {
  unit.open_source0(operation);
  std::uint32_t seed;
  std::memcpy(&seed, unit.source0.raw(0), sizeof seed);
  unit.random.seed(seed);
}

std::uint64_t set_rng_seed_cycles(const Operation&, unsigned queue, const IntervalRules&) {
  return queue == TERN_QUEUE_GPSIMD ? kGpsimdStart + 1 : 1;
}

unsigned state_words(const ElementwiseChecker& c) {
  return c.queue() == TERN_QUEUE_VECTOR ? 24 : 6;
}

void check_rand_set_state(const CheckInput& input) {
  const ElementwiseChecker c(input);
  c.begin(kPartSrc0Outer);
  c.no_operators();
  c.no_immediates();
  c.no_dst();
  c.src0_type(c.in().src0_dtype == TERN_DTYPE_UINT32);
  c.require(c.src0().count() == state_words(c), TERN_ERROR_BAD_ACCESS_PATTERN,
            offsetof(Elementwise, src0));
  c.no_src1();
}

void run_rand_set_state(EngineUnit& unit, const Operation& operation) {
  unit.open_source0(operation);
  std::vector<std::uint32_t> words(unit.random.words());
  for (unsigned lane = 0; lane < operation.instruction.elementwise.partitions; ++lane) {
    std::memcpy(words.data(), unit.source0.raw(lane), words.size() * sizeof words[0]);
    unit.random.set(unit.source0.pattern().partition + lane, words.data());
  }
}

std::uint64_t rand_set_state_cycles(const Operation& operation, unsigned queue,
                                    const IntervalRules&) {
  return word_cycles(source_elements(operation), queue);
}

void check_rand_get_state(const CheckInput& input) {
  const ElementwiseChecker c(input);
  c.begin(kPartDstOuter);
  c.no_operators();
  c.no_immediates();
  c.dst_type(c.in().dst_dtype == TERN_DTYPE_UINT32);
  c.results(state_words(c));
  c.no_src0();
  c.no_src1();
}

void run_rand_get_state(EngineUnit& unit, const Operation& operation) {
  std::vector<std::uint32_t> words(unit.random.words());
  for_raw_rows(unit, operation, [&](unsigned lane, std::uint8_t* out) {
    unit.random.get(unit.result.pattern().partition + lane, words.data());
    std::memcpy(out, words.data(), words.size() * sizeof words[0]);
  });
}

constexpr InstructionRow kRows[] = {
    {TERN_OPCODE_DROPOUT, check_dropout, describe_elementwise, run_dropout, source_cycles},
    {TERN_OPCODE_RNG, check_rng, describe_elementwise, run_rng, draw_cycles},
    {TERN_OPCODE_RAND2, check_rand2, describe_elementwise, run_rand2, draw_cycles},
    {TERN_OPCODE_SET_RNG_SEED, check_set_rng_seed, describe_elementwise, run_set_rng_seed,
     set_rng_seed_cycles},
    {TERN_OPCODE_RAND_SET_STATE, check_rand_set_state, describe_elementwise, run_rand_set_state,
     rand_set_state_cycles},
    {TERN_OPCODE_RAND_GET_STATE, check_rand_get_state, describe_elementwise, run_rand_get_state,
     draw_cycles},
};

}  // namespace

InstructionRows random_instructions() {
  return kRows;
}

}  // namespace tern
