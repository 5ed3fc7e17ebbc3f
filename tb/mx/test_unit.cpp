// SPDX-License-Identifier: Apache-2.0
// The converters of all four quadrants behind the interface of the Vector engine: the RTL beside
// the fast model, and the report of the comparison if they differ.
#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "sw/base/user_error.h"
#include "sw/spec/generated/formats.h"
#include "systemc/cosim/mx_lockstep.h"
#include "systemc/cosim/mx_unit_rtl.h"
#include "tb/common/bench_inputs.h"
#include "tb/common/mismatch.h"
#include "tb/common/seed.h"

using namespace tern;      // NOLINT: a test uses the names of what it tests
using namespace tern::tb;  // NOLINT

namespace {

using Words = std::vector<std::uint32_t>;

MxShape any_shape(std::mt19937_64* random) {
  return {32 * (1 + static_cast<unsigned>((*random)() % 4)), 1 + (*random)() % 40};
}

Words any_words(std::size_t count, std::uint32_t mask, std::mt19937_64* random) {
  Words words(count);
  for (std::uint32_t& word : words) word = static_cast<std::uint32_t>((*random)()) & mask;
  return words;
}

// The model with a single fault.
class Wrong : public MxUnit {
 public:
  enum class What { kElement, kScale, kCycles };
  explicit Wrong(What what) : what_(what) {}
  std::uint64_t quantize(const MxQuantizeRequest& request) override {
    const std::uint64_t cycles = model_->quantize(request);
    if (what_ == What::kElement) request.x4[3 * request.shape.columns + 1] ^= 1;
    if (what_ == What::kScale) request.scales[2 * request.shape.columns] ^= 1;
    return cycles + (what_ == What::kCycles ? 1 : 0);
  }
  std::uint64_t dequantize(const MxDequantizeRequest& request) override {
    const std::uint64_t cycles = model_->dequantize(request);
    request.elements[5] ^= 1;
    return cycles;
  }

 private:
  What what_;
  std::unique_ptr<MxUnit> model_ = make_mx_model();
};

struct Quantize {
  Words elements, x4;
  std::vector<std::uint8_t> scales;
  MxQuantizeRequest request;
  Quantize(const MxShape& shape, std::mt19937_64* random)
      : elements(any_words(shape.partitions * shape.columns * 4, 0xFFFF, random)),
        x4(shape.partitions * shape.columns),
        scales(shape.partitions / 8 * shape.columns) {
    request.shape = shape;
    request.x4_type = TERN_DTYPE_E4M3FN_X4;
    request.elements = elements.data();
    request.x4 = x4.data();
    request.scales = scales.data();
    request.name = "core0 queue vector instruction 7";
  }
};

std::string text(const MxShape& shape) {
  return std::to_string(shape.partitions) + " partitions of " + std::to_string(shape.columns) +
         " columns";
}

std::string message(Wrong::What what) {
  std::mt19937_64 random(0);
  Quantize work({32, 3}, &random);
  MxLockstep lockstep(make_mx_model(), std::make_unique<Wrong>(what));
  try {
    lockstep.quantize(work.request);
  } catch (const RunError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("mx unit: random requests have the same bits, scales and cycles") {
  std::mt19937_64 random(test_seed());
  auto rtl = std::make_unique<MxUnitRtl>();
  const MxUnitRtl& unit = *rtl;
  MxLockstep lockstep(make_mx_model(), std::move(rtl));
  std::uint64_t cycles = 0;
  for (int round = 0; round < 60; ++round) {
    Quantize work(any_shape(&random), &random);
    work.request.fp16 = random() % 2 != 0;
    if (random() % 2 != 0) work.request.x4_type = TERN_DTYPE_E5M2_X4;
    if (random() % 2 != 0) work.request.rule = numerics::MxRule::kOcp;
    // Mostly blocks without a NaN: exponents near one another.
    if (round % 4 != 0) {
      for (std::uint32_t& element : work.elements) element = 0x3F00 ^ (element & 0x87FF);
    }
    const BenchInputs inputs([&] {
      return std::string(work.request.fp16 ? "fp16" : "bf16") + " to dtype " +
             std::to_string(work.request.x4_type) + ", " + text(work.request.shape) +
             ", elements " + hex_list(work.elements, 16);
    });
    CHECK(lockstep.quantize(work.request) == work.request.shape.columns + 2);
    cycles += work.request.shape.columns + 2;
  }
  static constexpr unsigned kX4[] = {TERN_DTYPE_E4M3FN_X4, TERN_DTYPE_E5M2_X4, TERN_DTYPE_E2M1_X4};
  for (int round = 0; round < 60; ++round) {
    const MxShape shape = any_shape(&random);
    const std::size_t count = shape.partitions * shape.columns;
    const unsigned x4_type = kX4[random() % 3];
    const Words x4 = any_words(count, x4_type == TERN_DTYPE_E2M1_X4 ? 0xFFFF : 0xFFFFFFFF, &random);
    std::vector<std::uint8_t> scales(count / 8);
    for (std::uint8_t& scale : scales) scale = static_cast<std::uint8_t>(random());
    Words elements(4 * count);
    MxDequantizeRequest request{shape,           x4_type, TERN_DTYPE_BF16, x4.data(), scales.data(),
                                elements.data(), ""};
    if (random() % 2 != 0) request.result_type = TERN_DTYPE_FP32;
    if (x4_type == TERN_DTYPE_E2M1_X4 && random() % 2 != 0) {
      request.result_type = TERN_DTYPE_E4M3FN_X4;
      request.scales = nullptr;
    }
    const BenchInputs inputs([&] {
      return "dtype " + std::to_string(x4_type) + " to " + std::to_string(request.result_type) +
             ", " + text(shape) + ", x4 " + hex_list(x4) + "\nscales " + hex_list(scales);
    });
    CHECK(lockstep.dequantize(request) == shape.columns + 1);
    cycles += shape.columns + 1;
  }
  CHECK(unit.work().cycles == cycles);
  CHECK(unit.work().model_cycles == cycles);
}

TEST_CASE("mx unit: a difference names instruction, position and both values") {
  const std::string start = "mx lockstep: core0 queue vector instruction 7: ";
  CHECK(message(Wrong::What::kElement).find(start + "partition 3 x4 element 1 is 0x") == 0);
  CHECK(message(Wrong::What::kScale).find(start + "block 2 scale 0 is 0x") == 0);
  CHECK(message(Wrong::What::kCycles) == start + "it takes 5 cycles in the model, 6 in the RTL");
  Words x4(32, 0), elements(128);
  std::vector<std::uint8_t> scales(4, 127);
  const MxDequantizeRequest request{
      {32, 1}, TERN_DTYPE_E5M2_X4, TERN_DTYPE_FP32, x4.data(), scales.data(), elements.data(), ""};
  MxLockstep lockstep(make_mx_model(), std::make_unique<Wrong>(Wrong::What::kElement));
  CHECK_THROWS_WITH(lockstep.dequantize(request),
                    Catch::StartsWith("mx lockstep: instruction 0: partition 1 element 1 is 0x"));
}

TEST_CASE("mx unit: requests that no instruction makes are refused") {
  std::mt19937_64 random(0);
  for (const auto& unit : {make_mx_model(), std::unique_ptr<MxUnit>(new MxUnitRtl)}) {
    Quantize work({32, 1}, &random);
    for (const MxShape& shape : {MxShape{0, 1}, MxShape{33, 1}, MxShape{160, 1}, MxShape{32, 0}}) {
      work.request.shape = shape;
      CHECK_THROWS_AS(unit->quantize(work.request), std::invalid_argument);
    }
    work.request.shape = {32, 1};
    work.request.x4_type = TERN_DTYPE_E2M1_X4;
    CHECK_THROWS_AS(unit->quantize(work.request), std::invalid_argument);
    MxDequantizeRequest expand{{32, 1},
                               TERN_DTYPE_E5M2_X4,
                               TERN_DTYPE_E4M3FN_X4,
                               work.x4.data(),
                               nullptr,
                               work.elements.data(),
                               ""};
    CHECK_THROWS_AS(unit->dequantize(expand), std::invalid_argument);
  }
}
