// SPDX-License-Identifier: Apache-2.0
// The RTL against the library that the Vector engine of the core computes with
// (sw/numerics/mx.h): the same bits for any input.
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdio>
#include <random>

#include "sw/numerics/bf16.h"
#include "sw/numerics/fp16.h"
#include "sw/numerics/mx.h"
#include "sw/spec/generated/formats.h"
#include "tb/common/bench_wave.h"
#include "tb/common/seed.h"
#include "tb/mx/mx_mismatch.h"
#include "tb/mx/mx_stream.h"

using namespace tern;            // NOLINT: a test uses the names of what it tests
using namespace tern::numerics;  // NOLINT
using namespace tern::tb;        // NOLINT

namespace {

constexpr int kColumns = 20000;

MxQuantizeOutput model(const MxQuantizeInput& input) {
  MxQuantizeOutput output;
  std::array<float, kMxRtlLanes> values;
  for (unsigned i = 0; i < kMxRtlLanes; ++i) {
    values[i] = input.fp16 ? fp16_to_float(input.elements[i]) : bf16_to_float(input.elements[i]);
  }
  for (unsigned block = 0; block < kMxRtlBlocks; ++block) {
    const unsigned first = block * kMxBlockElements;
    output.scales[block] =
        mx_quantize(input.e5m2 ? kE5m2 : kE4m3Fn, input.ocp ? MxRule::kOcp : MxRule::kAws,
                    &values[first], kMxBlockElements, &output.codes[first]);
  }
  return output;
}

MxDequantizeOutput model(const MxDequantizeInput& input) {
  MxDequantizeOutput output;
  for (unsigned i = 0; i < kMxRtlLanes; ++i) {
    const std::uint32_t x4 = input.x4[i / 4];
    const std::uint8_t scale = input.scales[i / kMxBlockElements];
    const auto byte = static_cast<std::uint8_t>(x4 >> (8 * (i % 4)));
    float element = input.src == TERN_DTYPE_E5M2_X4 ? e5m2_to_float(byte) : e4m3fn_to_float(byte);
    if (input.src == TERN_DTYPE_E2M1_X4) {
      element = e2m1_to_float(static_cast<std::uint8_t>(x4 >> (4 * (i % 4))));
    }
    if (input.dst == TERN_DTYPE_E4M3FN_X4) {
      const std::uint32_t bytes = mx_expand(static_cast<std::uint16_t>(x4));
      output.elements[i] = bytes >> (8 * (i % 4)) & 0xFF;
    } else if (input.dst == TERN_DTYPE_BF16) {
      output.elements[i] = mx_dequantize_bf16(element, scale);
    } else {
      output.elements[i] = bits_of(mx_dequantize(element, scale));
    }
  }
  return output;
}

}  // namespace

TEST_CASE("lockstep: quantise, random bits and related exponents") {
  std::mt19937_64 random(test_seed());
  std::vector<MxQuantizeInput> inputs(kColumns);
  for (auto& input : inputs) {
    const std::uint64_t mode = random();
    input.fp16 = (mode & 1) != 0;
    input.e5m2 = (mode & 2) != 0;
    input.ocp = (mode & 4) != 0;
    const auto base = static_cast<std::uint16_t>(random() & 0x7FFF);
    for (auto& element : input.elements) {
      const std::uint64_t bits = random();
      // Any bits at all in an eighth of the columns: most of those blocks hold a NaN.
      element = static_cast<std::uint16_t>((mode & 0x38) == 0 ? bits : base ^ (bits & 0x87FF));
    }
  }
  MxQuantizeRtl rtl(bench_wave());
  const auto begin = std::chrono::steady_clock::now();
  const auto outputs = stream<MxQuantizeOutput>(rtl, inputs, kQuantizeLatency, never);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  std::printf("mx_quantize: %.0f thousand columns of 128 elements per second\n",
              kColumns / taken.count() / 1000);
  MismatchLog log;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    log.add(differences(inputs[i], model(inputs[i]), outputs[i]));
  }
  CHECK_NO_MISMATCH(log);
}

TEST_CASE("lockstep: dequantise and expand, random bits") {
  std::mt19937_64 random(test_seed());
  std::vector<MxDequantizeInput> inputs(kColumns);
  for (auto& input : inputs) {
    const unsigned src[] = {TERN_DTYPE_E4M3FN_X4, TERN_DTYPE_E5M2_X4, TERN_DTYPE_E2M1_X4};
    const unsigned dst[] = {TERN_DTYPE_FP32, TERN_DTYPE_BF16, TERN_DTYPE_E4M3FN_X4};
    const unsigned choice = static_cast<unsigned>(random() % 3);
    input.src = src[choice];
    input.dst = dst[random() % (choice == 2 ? 3 : 2)];
    for (auto& x4 : input.x4) x4 = static_cast<std::uint32_t>(random());
    for (auto& scale : input.scales) scale = static_cast<std::uint8_t>(random());
  }
  MxDequantizeRtl rtl(bench_wave());
  const auto outputs = stream<MxDequantizeOutput>(rtl, inputs, kDequantizeLatency, never);
  MismatchLog log;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    log.add(differences(inputs[i], model(inputs[i]), outputs[i]));
  }
  CHECK_NO_MISMATCH(log);
}
