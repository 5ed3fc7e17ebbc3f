// SPDX-License-Identifier: Apache-2.0
// The exponential instruction on a core whose unit is RTL, or RTL and model in lockstep.
#include <catch2/catch.hpp>
#include <random>

#include "sw/base/user_error.h"
#include "sw/spec/extension.h"
#include "systemc/cosim/exp_factory.h"
#include "systemc/cosim/exp_lockstep.h"
#include "tb/common/seed.h"
#include "tb/core/bench/core_bench.h"

using namespace tern;
using namespace tern::tb;

namespace {

constexpr unsigned kPartitions = 100, kElements = 150;
constexpr std::uint32_t kSource = 0, kResult = 0x1000, kSums = 0x2000;

// exp(x - 2) into BF16 with sums; the results as stored in SBUF.
std::vector<std::uint32_t> run(const CoreOptions& options, Backend backend) {
  CoreOptions core = options;
  core.exp = backend;
  CoreBench bench(test_core_config(), core);
  std::vector<std::uint32_t> words;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    for (unsigned p = 0; p < kPartitions; ++p) {
      std::vector<float> x(kElements);
      for (float& value : x) value = 30.0f - 0.001f * static_cast<float>(random() % 100000);
      bench.poke(p, kSource, x);
    }
    tern_instruction_t sums = extend();
    sums.extend.reduce = place(0, kSums);
    sums.extend.flags = kExtendReduce;
    sums.extend.reduce_cmd = TERN_REDUCE_CMD_RESET_REDUCE;
    sums.extend.reduce_op = TERN_ALU_OP_ADD;
    bench.execute(
        TERN_QUEUE_VECTOR,
        {sums, elementwise(TERN_OPCODE_EXPONENTIAL, kPartitions,
                           {ap(place(0, kResult), kElements), TERN_DTYPE_BF16},
                           {ap(place(0, kSource), kElements), TERN_DTYPE_FP32}, {}, 0, 0, 2.0f)});
    for (unsigned p = 0; p < kPartitions; ++p) {
      const auto row = bench.peek<std::uint32_t>(p, kResult, kElements / 2);
      words.insert(words.end(), row.begin(), row.end());
      words.push_back(bench.peek<std::uint32_t>(p, kSums, 1)[0]);
    }
  });
  return words;
}

// A unit that is off by one in the last bit of one element.
class OffByOne : public ExpUnit {
 public:
  std::uint64_t run(const ExpRequest& request) override {
    const std::uint64_t cycles = model_->run(request);
    request.result[7 * request.result_pitch + 2 * 11] ^= 1;
    return cycles;
  }

 private:
  std::unique_ptr<ExpUnit> model_ = make_exp_model();
};

}  // namespace

TEST_CASE("core: the exponential unit in RTL, in lockstep with the model") {
  auto statistics = std::make_shared<ExpStatistics>();
  CoreOptions options;
  options.make_exp = make_exp_factory(statistics);
  CHECK_NOTHROW(run(options, Backend::kBoth));
  CHECK(statistics->units.size() == 1);
}

TEST_CASE("core: the exponential unit in lockstep as a task of three threads") {
  auto statistics = std::make_shared<ExpStatistics>();
  CoreOptions options;
  options.make_exp = make_exp_factory(statistics, std::make_shared<base::ThreadTeam>(3));
  CHECK_NOTHROW(run(options, Backend::kBoth));
  CHECK(statistics->units.size() == 1);
}

TEST_CASE("core: a difference of the exponential unit names core, instruction and element") {
  CoreOptions options;
  options.describe = [](unsigned queue, unsigned index) {
    return "line " + std::to_string(100 * queue + index);
  };
  options.make_exp = [](Backend, const std::string&) {
    return std::make_unique<ExpLockstep>(make_exp_model(), std::make_unique<OffByOne>());
  };
  std::string message;
  try {
    run(options, Backend::kBoth);
  } catch (const sc_core::sc_report& report) {  // the kernel's, for what a process throws
    message = report.get_msg();
  }
  CHECK(message.find("exp lockstep: bench.core queue vector instruction 1 (line 101): partition 7 "
                     "element 11 is 0x") != std::string::npos);
}

TEST_CASE("core: without Verilated parts linked, the exponential unit's RTL is refused") {
  CHECK_THROWS_AS(run(CoreOptions{}, Backend::kRtl), RunError);
}
