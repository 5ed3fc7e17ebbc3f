// SPDX-License-Identifier: Apache-2.0
// Rows with 1, 3 and 5 stages, in lanes and at once (rtl/arith/README.md). A row computed at once,
// of one stage, is what test_tensor_array and test_tensor_mx compare with their oracles: all others
// must give its bits in their cycles, and keep them where no result arrives.
#include <VStagesProbe.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <deque>
#include <random>
#include <string>

#include "systemc/cosim/port_bits.h"
#include "systemc/cosim/rtl_block.h"
#include "tb/common/bench_wave.h"
#include "tb/common/check_mismatch.h"
#include "tb/common/seed.h"

namespace tern::tb {

namespace {

using cosim::get_bits;
using cosim::set_bits;

using Random = std::mt19937_64;

unsigned below(Random& random, unsigned n) {
  return static_cast<unsigned>(random() % n);
}

constexpr unsigned kForms = 6, kReference = 3, kLanes = 4;
constexpr std::array<unsigned, kForms> kStages = {1, 3, 5, 1, 3, 5};

// A binary32 word with every class of exponent: zeros, subnormals, infinities and NaN are frequent,
// and so are exponents that meet in an addition.
std::uint32_t word(Random& random) {
  const auto bits = static_cast<std::uint32_t>(random());
  switch (below(random, 8)) {
    case 0:
      return bits & 0x80000000;
    case 1:
      return bits & 0x807FFFFF;
    case 2:
      return (bits & 0x807FFFFF) | 0x7F800000;
    case 3:
      return bits;
    default:
      return (bits & 0x87FFFFFF) | 0x38000000;
  }
}

// A weight in the common form of fp_pkg.
std::uint32_t weight(Random& random) {
  const std::uint32_t free = below(random, 32) << 22;
  const std::uint32_t sign = below(random, 2) << 31;
  switch (below(random, 10)) {
    case 0:
      return sign | 1u << 28 | 1u << 27 | free;
    case 1:
      return sign | 1u << 29 | 1u << 27 | free | 640u << 12 | 0x800;
    case 2:
      return sign | 1u << 30 | 1u << 27 | free | 640u << 12 | 0x800;
    default:
      return sign | 1u << 27 | free | (236 + below(random, 40)) << 12 | 0x800 | below(random, 2048);
  }
}

// Words of an exact sum: some are small, so that sums cancel.
std::uint32_t sum_word(Random& random) {
  const std::int32_t value = static_cast<std::int32_t>(random()) >> (6 + below(random, 26));
  return static_cast<std::uint32_t>(value);
}

class Probe {
 public:
  explicit Probe(Random* random) : random_(*random) { dut_.rst_ni = 1; }

  // One cycle with random operands; whether operands are taken is random, too.
  void step() {
    drive_multiply_adds();
    drive_chains();
    dut_.clk_i = 0;
    dut_.eval();
    block_.clock.edge();
    dut_.clk_i = 0;
    dut_.eval();
    ++cycle_;
    remember();
    compare();
  }

  MismatchLog log;

 private:
  void drive_multiply_adds() {
    const bool single = below(random_, 2) != 0;
    const unsigned mask = below(random_, 4) == 0 ? 0 : single ? 15 : below(random_, 16);
    fma_taken_ = mask;
    dut_.en_i = mask;
    dut_.active_i = single ? (below(random_, 8) == 0 ? 0 : mask) : mask & below(random_, 16);
    dut_.single_i = single && mask != 0;
    dut_.sparse_i = below(random_, 3) == 0;
    dut_.pick_i = single ? 0 : below(random_, 256);
    unsigned form = 0;
    for (unsigned i = 0; i < 4; ++i) form |= below(random_, 5) << (3 * i);
    dut_.form_i = form;
    for (unsigned i = 0; i < 4; ++i) {
      set_bits(dut_.a_i, 32 * i, 32, word(random_));
      set_bits(dut_.w_i, 32 * i, 32, weight(random_));
      set_bits(dut_.c_i, 32 * i, 32, word(random_));
    }
    for (unsigned i = 0; i < 16; ++i) set_bits(dut_.window_i, 32 * i, 32, word(random_));
  }

  void drive_chains() {
    dut_.mx_en_i = below(random_, 4) != 0;
    mx_taken_ = dut_.mx_en_i != 0 ? 15 : 0;
    dut_.mx_active_i = below(random_, 8) != 0;
    dut_.scale_i = below(random_, 8) == 0 ? 255 : 100 + below(random_, 60);
    dut_.special_i = below(random_, 4) == 0 ? below(random_, 16) : 0;
    dut_.flags_i = below(random_, 4096);
    for (unsigned i = 0; i < 16; ++i) {
      set_bits(dut_.sum0_i, 32 * i, 32, sum_word(random_));
      set_bits(dut_.sum1_i, 32 * i, 32, sum_word(random_));
      set_bits(dut_.sum2_i, 32 * i, 32, sum_word(random_));
      set_bits(dut_.sum3_i, 32 * i, 32, below(random_, 4) == 0 ? 0 : sum_word(random_));
    }
    for (unsigned i = 0; i < 4; ++i) {
      set_bits(dut_.scales_i, 32 * i, 32, below(random_, 16) == 0 ? 255 : below(random_, 255));
    }
  }

  // What the reference has after this cycle, and in which lanes it is a result: others keep theirs.
  struct Row {
    std::array<std::uint32_t, kLanes> words;
    unsigned taken;
  };
  template <typename Port>
  static Row row(const Port& port, unsigned form, unsigned taken) {
    Row r{{}, taken};
    for (unsigned i = 0; i < kLanes; ++i) {
      r.words[i] = static_cast<std::uint32_t>(get_bits(port, 128 * form + 32 * i, 32));
    }
    return r;
  }
  void remember() {
    fma_.push_front(row(dut_.fma_o, kReference, fma_taken_));
    mx_.push_front(row(dut_.mx_o, kReference, mx_taken_));
    fma_seen_.push_front((fma_seen_.empty() ? 0 : fma_seen_.front()) | fma_taken_);
    mx_seen_.push_front((mx_seen_.empty() ? 0 : mx_seen_.front()) | mx_taken_);
  }

  void compare() {
    for (unsigned form = 0; form < kForms; ++form) {
      compare("fma_o", form, row(dut_.fma_o, form, 0), fma_, fma_seen_);
      compare("mx_o", form, row(dut_.mx_o, form, 0), mx_, mx_seen_);
    }
  }
  void compare(const std::string& port, unsigned form, const Row& got, const std::deque<Row>& past,
               const std::deque<unsigned>& seen) {
    const unsigned wait = kStages[form] - 1;
    if (past.size() <= wait) return;
    for (unsigned i = 0; i < kLanes; ++i) {
      if ((seen[wait] >> i & 1) == 0) continue;  // no result yet
      log.compare(past[wait].words[i], got.words[i], 32, [&] {
        return Where{port + ", form " + std::to_string(form) + ", lane " + std::to_string(i),
                     "random", cycle_};
      });
    }
  }

  Random& random_;
  cosim::RtlBlock<VStagesProbe> block_{bench_wave(), "stages_probe"};
  VStagesProbe& dut_ = block_.model;
  std::uint64_t cycle_ = 0;
  unsigned fma_taken_ = 0, mx_taken_ = 0;
  std::deque<Row> fma_, mx_;  // the newest first
  std::deque<unsigned> fma_seen_, mx_seen_;
};

}  // namespace

TEST_CASE("rows with 1, 3 and 5 stages give the same bits, each in its cycle") {
  Random random(test_seed() + 181);
  Probe probe(&random);
  for (unsigned i = 0; i < 20000; ++i) probe.step();
  CHECK_NO_MISMATCH(probe.log);
}

}  // namespace tern::tb
