// SPDX-License-Identifier: Apache-2.0
// The attention kernel on the chip against its FP64 reference.
#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "sw/base/user_error.h"
#include "sw/kernels/attention_plan.h"
#include "tb/common/seed.h"
#include "tb/runtime/case_runner.h"

using namespace tern;  // NOLINT: test file

namespace {

using Case = tb::ParameterList;

constexpr double kRms = 0.003;  // relative; BF16 rounds by 2^-9 = 0.002 at most

void check_cases(tb::Platform& platform, const std::vector<Case>& cases) {
  platform.run([&] {
    for (const Case& parameters : cases) {
      std::string text;
      for (const auto& [name, value] : parameters) text += name + " " + value + " ";
      INFO(text);
      const tb::CaseResult result =
          tb::check_kernel(platform, "attention", parameters, tb::test_seed());
      // Long rows have small results: the largest error alone would let much pass.
      CHECK(result.errors[0].rms < kRms);
    }
  });
}

Case random_case(std::mt19937_64& random) {
  const auto draw = [&](unsigned first, unsigned last) {
    return first + static_cast<unsigned>(random() % (last - first + 1));
  };
  const bool causal = draw(0, 1) == 1;
  const unsigned queries = draw(1, draw(0, 2) == 0 ? 1300 : 300);
  const unsigned keys = causal ? queries + draw(0, 1) * draw(0, 400) : draw(1, 1400);
  return {{"seq", std::to_string(queries)},
          {"keys", std::to_string(keys)},
          {"d", std::to_string(draw(1, 128))},
          {"heads", std::to_string(draw(1, 3))},
          {"causal", causal ? "true" : "false"},
          {"chunk", draw(0, 1) == 1 ? "1024" : "2048"},
          {"out", draw(0, 1) == 1 ? "bf16" : "fp32"},
          {"exp_engine", draw(0, 2) == 0 ? "scalar" : "vector"}};
}

}  // namespace

TEST_CASE("attention: lengths that are multiples of nothing, every kind of head size") {
  tb::Platform platform;
  check_cases(platform, {{{"seq", "1"}, {"d", "15"}},
                         {{"seq", "100"}, {"d", "64"}, {"heads", "3"}},
                         {{"seq", "128"}, {"d", "100"}},
                         {{"seq", "130"}, {"d", "128"}, {"out", "fp32"}},
                         {{"seq", "700"}, {"d", "33"}},
                         {{"seq", "17"}, {"keys", "1500"}, {"d", "64"}}});
}

TEST_CASE("attention: causal, the diagonal anywhere in banks and chunks") {
  tb::Platform platform;
  check_cases(platform,
              {{{"seq", "1"}, {"causal", "true"}},
               {{"seq", "128"}, {"causal", "true"}, {"d", "15"}},
               {{"seq", "700"}, {"causal", "true"}, {"heads", "2"}, {"d", "64"}},
               {{"seq", "3"}, {"keys", "1027"}, {"causal", "true"}, {"chunk", "1024"}},
               {{"seq", "300"}, {"keys", "1200"}, {"causal", "true"}, {"chunk", "1024"}}});
}

TEST_CASE("attention: several chunks correct the maximum and the sum") {
  tb::Platform platform;
  check_cases(platform, {{{"seq", "256"}, {"keys", "4200"}, {"d", "128"}},
                         {{"seq", "130"}, {"keys", "3100"}, {"chunk", "1024"}, {"out", "fp32"}},
                         {{"seq", "200"}, {"keys", "7000"}, {"chunk", "3072"}, {"d", "40"}},
                         {{"seq", "2048"}, {"causal", "true"}, {"chunk", "1024"}}});
}

TEST_CASE("attention: exponentials on the Scalar engine") {
  tb::Platform platform;
  check_cases(platform, {{{"seq", "130"}, {"exp_engine", "scalar"}, {"d", "64"}},
                         {{"seq", "300"}, {"keys", "2500"}, {"exp_engine", "scalar"}},
                         {{"seq", "600"}, {"causal", "true"}, {"exp_engine", "scalar"}}});
}

TEST_CASE("attention: trn2 has no exponential instruction and takes the Scalar engine") {
  tb::Platform platform("trn2");
  // First: after a simulation the address sanitizer mistakes exceptions for wild writes.
  const kernels::Kernel& kernel = kernels::find_kernel("attention");
  kernels::Parameters parameters(kernel.parameters);
  parameters.set("exp_engine", "vector", "file.yaml:5");
  CHECK_THROWS_WITH(kernel.make(parameters, platform.config, 0),
                    Catch::Contains("file.yaml:5: parameter 'exp_engine'") &&
                        Catch::Contains("no exponential instruction"));
  check_cases(platform, {{{"seq", "300"}, {"d", "64"}}, {{"seq", "1100"}, {"causal", "true"}}});
}

TEST_CASE("attention: keys that SBUF does not hold are loaded again for every eight query tiles") {
  tb::Platform platform("trn3", {{"core.sbuf_kib_per_partition", "62", "test"}});
  const Case common = {{"d", "32"}, {"chunk", "1024"}};
  const auto with = [&](Case more) {
    more.insert(more.end(), common.begin(), common.end());
    return more;
  };
  kernels::AttentionSpec spec;
  spec.queries = 1100;
  spec.keys = 9000;
  spec.d = 32;
  spec.chunk = 1024;
  CHECK(kernels::AttentionPlan(spec, platform.config).sweep > 1);
  check_cases(platform, {with({{"seq", "1100"}, {"keys", "9000"}}),
                         with({{"seq", "1100"}, {"keys", "9000"}, {"causal", "true"}}),
                         with({{"seq", "128"}, {"heads", "20"}})});
}

TEST_CASE("attention: random shapes") {
  tb::Platform platform;
  std::mt19937_64 random(tb::test_seed());
  std::vector<Case> cases;
  for (int i = 0; i < 12; ++i) cases.push_back(random_case(random));
  check_cases(platform, cases);
}

TEST_CASE("attention: a causal mask needs as many keys as queries") {
  const kernels::Kernel& kernel = kernels::find_kernel("attention");
  const ChipConfig chip = load_chip_config("trn3").chip;
  kernels::Parameters parameters(kernel.parameters);
  parameters.set("seq", "200");
  parameters.set("keys", "100", "file.yaml:4");
  parameters.set("causal", "true");
  CHECK_THROWS_WITH(kernel.make(parameters, chip, 0),
                    Catch::StartsWith("file.yaml:4: parameter 'keys': expected at least as many"));
}
