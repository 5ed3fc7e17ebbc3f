// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

#include "sw/spec/extension.h"
#include "systemc/core/instruction_check.h"
#include "systemc/core/instruction_info.h"
#include "systemc/engines/ports/engine_fault.h"
#include "systemc/engines/vector/elementwise.h"
#include "systemc/engines/vector/instruction_interval.h"
#include "tb/common/seed.h"
#include "tb/core/bench/program.h"
#include "tb/core/oracle/element_oracle.h"

using namespace tern;
using namespace tern::tb;

// Random instructions, most of them with an error. Those that pass the checks must stay inside
// their operands: every byte that changes is one of the destination's.
namespace {

constexpr unsigned kPartitions = 128, kSbufBytes = 2048, kGuard = 64, kPsumWords = 4096;

// SBUF with guard bytes between the partitions, PSUM with bounds.
class Memory : public PsumPort {
 public:
  Memory() : sbuf_(kPartitions * kPitch), psum_(kPartitions * kPsumWords) {}

  SbufAccess access() { return {sbuf_.data(), kPitch}; }

  void fill(std::mt19937_64& random) {
    for (auto& byte : sbuf_) byte = static_cast<std::uint8_t>(random());
    for (auto& word : psum_) word = static_cast<std::uint32_t>(random());
  }
  void remember() {
    sbuf_before_ = sbuf_;
    psum_before_ = psum_;
  }

  void transfer(const PsumTransfer& t) override {
    if (t.partitions == 0 || t.columns == 0 || t.partition + t.partitions > kPartitions ||
        t.column + t.columns > kPsumWords || t.stride < t.columns) {
      throw std::out_of_range("PSUM transfer");
    }
    for (unsigned p = 0; p < t.partitions; ++p) {
      std::uint32_t* row = &psum_[(t.partition + p) * kPsumWords + t.column];
      float* data = t.data + p * t.stride;
      if (t.write) {
        std::memcpy(row, data, 4 * t.columns);
      } else {
        std::memcpy(data, row, 4 * t.columns);
      }
    }
  }

  // Marks what may have changed.
  void allow(const AccessPattern& ap, unsigned dtype, unsigned partitions) {
    for (unsigned p = ap.partition; p < ap.partition + partitions; ++p) {
      for (std::uint64_t i = 0; i < ap.count(); ++i) {
        const auto size = static_cast<std::int64_t>(size_of(dtype));
        const auto byte = static_cast<std::size_t>(ap.byte + ap.offset(i) * size);
        if (ap.psum) {
          psum_before_[p * kPsumWords + byte / 4] = psum_[p * kPsumWords + byte / 4];
        } else {
          std::copy_n(&sbuf_[p * kPitch + byte], size, &sbuf_before_[p * kPitch + byte]);
        }
      }
    }
  }
  bool changed() const { return sbuf_ != sbuf_before_ || psum_ != psum_before_; }

 private:
  static constexpr std::size_t kPitch = kSbufBytes + kGuard;
  std::vector<std::uint8_t> sbuf_, sbuf_before_;
  std::vector<std::uint32_t> psum_, psum_before_;
};

class Generator {
 public:
  explicit Generator(std::mt19937_64& random) : random_(random) {}

  Operation operation(unsigned opcode, unsigned queue) {
    Operation o;
    auto& in = o.instruction.elementwise;
    auto& extension = o.extension;
    in.header.opcode = static_cast<std::uint8_t>(opcode);
    in.partitions = static_cast<std::uint8_t>(one_of({1, 16, 32, 33, 64, 65, 128}));
    queue_ = queue;
    // The same element counts for all operands, laid out differently.
    const std::vector<unsigned> counts = {one_of({1, 2, 5, 8}), one_of({1, 3, 4}),
                                          one_of({1, 1, 2}), one_of({1, 1, 1, 3})};
    pattern(counts, &in.dst, &extension.dst_outer);
    pattern(counts, &in.src0, &extension.src0_outer);
    in.dst_dtype = dtype();
    in.src0_dtype = chance(2) ? in.dst_dtype : dtype();
    if (chance(2)) {
      pattern(counts, &in.src1, &extension.src1_outer);
      in.src1_dtype = chance(3) ? dtype() : in.src0_dtype;
    }
    if (opcode == TERN_OPCODE_TENSOR_REDUCE) {
      in.imm0 = static_cast<float>(one_of({1, 2, 3, 4}));
      in.dst = ap(in.dst.addr, (in.imm0 < 2 ? counts[1] : 1) * (in.imm0 < 3 ? counts[2] : 1) *
                                   (in.imm0 < 4 ? counts[3] : 1));
      extension.dst_outer = {};
    }
    in.op0 = static_cast<std::uint8_t>(random_() % 40);
    in.op1 = static_cast<std::uint8_t>(chance(2) ? 0 : random_() % 40);
    if (chance(4)) {
      extension.flags = static_cast<std::uint8_t>(random_() % 64);
      if ((extension.flags & kExtendScalar0) != 0) extension.scalar0 = address();
      if ((extension.flags & kExtendScalar1) != 0) extension.scalar1 = address();
      if ((extension.flags & kExtendReduce) != 0) extension.reduce = address();
      extension.reduce_cmd = static_cast<std::uint8_t>(random_() % 5);
      extension.reduce_op = static_cast<std::uint8_t>(
          one_of({TERN_ALU_OP_BYPASS, TERN_ALU_OP_ADD, TERN_ALU_OP_MAX, TERN_ALU_OP_ABS_MIN}));
    }
    // A byte of nonsense.
    if (chance(8)) o.instruction.bytes[12 + random_() % 52] = static_cast<std::uint8_t>(random_());
    return o;
  }

 private:
  bool chance(unsigned n) { return random_() % n == 0; }
  template <typename T>
  unsigned one_of(std::initializer_list<T> values) {
    return static_cast<unsigned>(*(values.begin() + random_() % values.size()));
  }
  std::uint8_t dtype() {
    return static_cast<std::uint8_t>(chance(30) ? random_() % 30 : kTypes[random_() % 12]);
  }
  std::uint32_t address() {
    const bool psum = queue_ != TERN_QUEUE_GPSIMD && chance(3);
    const unsigned start =
        chance(12) ? static_cast<unsigned>(random_() % 128) : one_of({0, 32, 64});
    const unsigned limit = psum ? 4 * kPsumWords : kSbufBytes;
    unsigned byte = static_cast<unsigned>(random_() % (limit + 8));
    if (!chance(12)) byte &= ~3u;
    return place(chance(2) ? 0 : start, byte, psum ? kPsum : 0);
  }
  void pattern(const std::vector<unsigned>& counts, tern_ap_t* inner, tern_outer_t* outer) {
    std::int16_t steps[4];
    int next = 1;
    for (unsigned d = 0; d < 4; ++d) {
      steps[d] =
          static_cast<std::int16_t>(chance(4) ? static_cast<int>(random_() % 60) - 20 : next);
      next *= static_cast<int>(counts[d]);
    }
    *inner = ap(address(), counts[0], steps[0], counts[1], steps[1]);
    if (counts[2] * counts[3] == 1) return;
    *outer = {static_cast<std::uint16_t>(counts[2]), steps[2],
              static_cast<std::uint16_t>(counts[3]), steps[3]};
  }

  std::mt19937_64& random_;
  unsigned queue_ = 0;
};

constexpr unsigned kOpcodes[] = {TERN_OPCODE_ACTIVATION,
                                 TERN_OPCODE_TENSOR_COPY,
                                 TERN_OPCODE_TENSOR_TENSOR,
                                 TERN_OPCODE_TENSOR_SCALAR,
                                 TERN_OPCODE_TENSOR_REDUCE,
                                 TERN_OPCODE_MEMSET,
                                 TERN_OPCODE_RECIPROCAL,
                                 TERN_OPCODE_ACTIVATE2,
                                 TERN_OPCODE_EXPONENTIAL,
                                 TERN_OPCODE_SCALAR_TENSOR_TENSOR,
                                 TERN_OPCODE_TENSOR_TENSOR_SCAN,
                                 TERN_OPCODE_TENSOR_SCALAR_CUMULATIVE,
                                 TERN_OPCODE_TENSOR_COPY_PREDICATED,
                                 TERN_OPCODE_SELECT_REDUCE,
                                 TERN_OPCODE_RANGE_SELECT};

// Fields that random values would hardly ever hit.
void favour(Operation& o, std::mt19937_64& random) {
  auto& in = o.instruction.elementwise;
  const unsigned opcode = o.opcode();
  const bool two_tiles =
      opcode == TERN_OPCODE_TENSOR_TENSOR || opcode == TERN_OPCODE_SCALAR_TENSOR_TENSOR ||
      opcode == TERN_OPCODE_TENSOR_TENSOR_SCAN || opcode == TERN_OPCODE_TENSOR_COPY_PREDICATED ||
      opcode == TERN_OPCODE_SELECT_REDUCE;
  if (!two_tiles && random() % 8 != 0) {
    in.src1 = {};
    in.src1_dtype = 0;
    o.extension.src1_outer = {};
  }
  if (opcode == TERN_OPCODE_MEMSET) {
    in.src0 = {};
    in.src0_dtype = 0;
    o.extension.src0_outer = {};
  }
  const bool plain = opcode == TERN_OPCODE_TENSOR_COPY || opcode == TERN_OPCODE_MEMSET ||
                     opcode == TERN_OPCODE_RECIPROCAL || opcode == TERN_OPCODE_EXPONENTIAL ||
                     opcode == TERN_OPCODE_TENSOR_COPY_PREDICATED ||
                     opcode == TERN_OPCODE_SELECT_REDUCE;
  if (plain) in.op0 = in.op1 = 0;
  if (opcode == TERN_OPCODE_RANGE_SELECT || opcode == TERN_OPCODE_ACTIVATE2 ||
      opcode == TERN_OPCODE_TENSOR_TENSOR_SCAN || opcode == TERN_OPCODE_TENSOR_SCALAR_CUMULATIVE) {
    const unsigned first = opcode == TERN_OPCODE_RANGE_SELECT ? TERN_ALU_OP_IS_EQ : TERN_ALU_OP_ADD;
    in.op0 = static_cast<std::uint8_t>(first + random() % 3);
    in.op1 = static_cast<std::uint8_t>(first + random() % 2);
  }
}

}  // namespace

TEST_CASE("random instructions: what the checks let pass writes its destination only") {
  std::mt19937_64 random(test_seed());
  Generator generator(random);
  CoreLimits limits;
  limits.sbuf_bytes = kSbufBytes;
  Memory memory;
  memory.fill(random);
  std::map<unsigned, unsigned> passed;
  std::vector<std::unique_ptr<Elementwise>> engines(TERN_QUEUE_COUNT);
  for (unsigned queue : {TERN_QUEUE_VECTOR, TERN_QUEUE_SCALAR, TERN_QUEUE_GPSIMD}) {
    engines[queue] = std::make_unique<Elementwise>(
        queue, memory.access(), queue == TERN_QUEUE_GPSIMD ? nullptr : &memory,
        queue == TERN_QUEUE_VECTOR ? Elementwise::Units{make_exp_model(), make_mx_model()}
                                   : Elementwise::Units{});
  }
  for (unsigned round = 0; round < 60000; ++round) {
    const unsigned opcode = kOpcodes[round % std::size(kOpcodes)];
    const unsigned queue = TERN_QUEUE_VECTOR + static_cast<unsigned>(random() % 3);
    Operation operation = generator.operation(opcode, queue);
    favour(operation, random);
    if (check_instruction(operation, queue, limits)) continue;
    ++passed[opcode];
    if (passed[opcode] > 150) continue;  // they take time
    const auto& in = operation.instruction.elementwise;
    const auto& extension = operation.extension;
    memory.remember();
    engines[queue]->run(operation);
    memory.allow(AccessPattern(in.dst, extension.dst_outer), in.dst_dtype, in.partitions);
    if ((extension.flags & kExtendReduce) != 0) {
      memory.allow(AccessPattern(ap(extension.reduce, 1)), TERN_DTYPE_FP32, in.partitions);
    }
    INFO(instruction_name(opcode) << " on queue " << queue << ", round " << round);
    REQUIRE_FALSE(memory.changed());
    const unsigned interval = instruction_interval(operation, queue, IntervalRules());
    REQUIRE(interval >= 64);
    REQUIRE(interval <= 64 +
                            16 * AccessPattern(in.dst, extension.dst_outer).count() *
                                (opcode == TERN_OPCODE_TENSOR_REDUCE ? 100 : 1) +
                            64);
  }
  for (unsigned opcode : kOpcodes) {
    INFO(instruction_name(opcode));
    CHECK(passed[opcode] >= 20);
  }
}
