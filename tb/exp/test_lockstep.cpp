// SPDX-License-Identifier: Apache-2.0
// Fast model and RTL of the exponential unit side by side, and the report of the comparison if they
// differ.
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "sw/base/user_error.h"
#include "sw/numerics/float_bits.h"
#include "systemc/cosim/exp_lockstep.h"
#include "systemc/cosim/exp_rtl.h"
#include "tb/common/bench_inputs.h"
#include "tb/common/bench_wave.h"
#include "tb/common/mismatch.h"
#include "tb/common/seed.h"

using namespace tern;            // NOLINT: a test uses the names of what it tests
using namespace tern::numerics;  // NOLINT
using namespace tern::tb;        // NOLINT

namespace {

std::string hex_floats(const std::vector<float>& values) {
  std::vector<std::uint32_t> words;
  for (const float value : values) words.push_back(bits_of(value));
  return hex_list(words);
}

// A unit with a single fault.
class Wrong : public ExpUnit {
 public:
  enum class What { kElement, kSum, kCycles };
  explicit Wrong(What what, std::unique_ptr<ExpUnit> unit = make_exp_model())
      : what_(what), unit_(std::move(unit)) {}
  std::uint64_t run(const ExpRequest& request) override {
    const std::uint64_t cycles = unit_->run(request);
    if (what_ == What::kElement) request.result[2 * request.result_pitch + 4 * 5] ^= 1;
    if (what_ == What::kSum) request.accumulators[3] = 1.0f;
    return cycles + (what_ == What::kCycles ? 1 : 0);
  }

 private:
  What what_;
  std::unique_ptr<ExpUnit> unit_;
};

void run_wrong(std::unique_ptr<ExpUnit> wrong) {
  std::vector<float> x(8 * 10, -1.0f), y(x.size()), m(8), sums(8);
  ExpRequest request;
  request.partitions = 8;
  request.elements = 10;
  request.source = reinterpret_cast<const std::uint8_t*>(x.data());
  request.source_pitch = request.result_pitch = 40;
  request.m = m.data();
  request.result = reinterpret_cast<std::uint8_t*>(y.data());
  request.sum = ExpSum::kAccumulate;
  request.accumulators = sums.data();
  request.name = "core0 vector instruction 7";
  ExpLockstep lockstep(make_exp_model(), std::move(wrong));
  const BenchInputs inputs([&] { return "x " + hex_floats(x) + ", m " + hex_floats(m); });
  lockstep.run(request);
}

std::string message(Wrong::What what) {
  try {
    run_wrong(std::make_unique<Wrong>(what));
  } catch (const RunError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("exp lockstep: random requests have the same bits, sums and cycles") {
  std::mt19937_64 random(test_seed());
  ExpLockstep lockstep(make_exp_model(), std::make_unique<ExpRtl>(bench_wave()));
  const DType types[] = {DType::kFp32, DType::kBf16, DType::kFp16};
  for (int round = 0; round < 300; ++round) {
    const auto partitions = static_cast<unsigned>(1 + random() % 128);
    const std::size_t n = 1 + random() % (round % 10 == 0 ? 1000 : 50);
    ExpRequest request;
    request.partitions = partitions;
    request.elements = n;
    request.source_type = types[random() % 3];
    request.result_type = types[random() % 3];
    std::vector<std::uint8_t> source(partitions * n * 4 + 8), result(source.size());
    for (auto& byte : source) byte = static_cast<std::uint8_t>(random());
    // Mostly numbers whose exponential is one.
    for (std::size_t i = 0; i + 4 <= source.size() && round % 4 != 0; i += 4) {
      const float x = static_cast<float>(random() % 4000) * 0.05f - 110.0f;
      std::memcpy(&source[i], &x, sizeof x);
    }
    std::vector<float> m(partitions), sums(partitions, 1.5f);
    for (float& value : m) value = static_cast<float>(random() % 100) - 60.0f;
    request.source = source.data();
    request.source_pitch = n * dtype_size(request.source_type);
    request.result = result.data();
    request.result_pitch = n * dtype_size(request.result_type) + 3;
    if (request.result_pitch * partitions > result.size()) {
      result.resize(request.result_pitch * partitions);
      request.result = result.data();
    }
    request.m = m.data();
    request.sum = round % 3 == 0 ? ExpSum::kOff : ExpSum::kAccumulate;
    request.accumulators = sums.data();
    const std::vector<float> before = sums;
    const BenchInputs inputs([&] {
      return std::to_string(partitions) + " partitions of " + std::to_string(n) + ", " +
             std::string(dtype_name(request.source_type)) + " to " +
             std::string(dtype_name(request.result_type)) + ", bytes " + hex_list(source) + "\nm " +
             hex_floats(m) + "\nsums before " + hex_floats(before);
    });
    REQUIRE_NOTHROW(lockstep.run(request));
  }
  std::printf("exp lockstep: %llu elements compared\n",
              static_cast<unsigned long long>(lockstep.elements_compared()));
}

TEST_CASE("exp lockstep: the first difference is named") {
  const std::string head = "exp lockstep: core0 vector instruction 7: ";
  CHECK(message(Wrong::What::kElement) ==
        head + "partition 2 element 5 is 0x3EBC5AB2 in the model, 0x3EBC5AB3 in the RTL");
  CHECK(message(Wrong::What::kSum) ==
        head + "partition 3: the sum is 0x406B715E in the model, 0x3F800000 in the RTL");
  CHECK(message(Wrong::What::kCycles) == head + "it takes 11 cycles in the model, 12 in the RTL");
}

// Not a test: tb/common/check_failing_text.sh runs it.
TEST_CASE("a mismatch on purpose: exp lockstep", "[.]") {
  run_wrong(std::make_unique<Wrong>(Wrong::What::kElement, std::make_unique<ExpRtl>(bench_wave())));
}
