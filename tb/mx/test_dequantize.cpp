// SPDX-License-Identifier: Apache-2.0
// mx_dequantize against docs/numerics.md, section 5, in double (tb/numerics/mx_oracle.h).
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>

#include "sw/spec/generated/formats.h"
#include "tb/common/bench_wave.h"
#include "tb/common/seed.h"
#include "tb/mx/mx_mismatch.h"
#include "tb/mx/mx_stream.h"
#include "tb/numerics/mx_oracle.h"

using namespace tern;      // NOLINT: a test uses the names of what it tests
using namespace tern::tb;  // NOLINT

namespace {

struct Source {
  unsigned dtype;
  const MxFormat& format;
  unsigned bits;
};
const Source kSources[] = {{TERN_DTYPE_E4M3FN_X4, kMxE4m3Fn, 8},
                           {TERN_DTYPE_E5M2_X4, kMxE5m2, 8},
                           {TERN_DTYPE_E2M1_X4, kMxE2m1, 4}};

unsigned code_at(const MxDequantizeInput& input, const Source& source, unsigned lane) {
  const unsigned code = input.x4[lane / 4] >> (lane % 4 * source.bits);
  return code & ((1u << source.bits) - 1);
}

void set_code(MxDequantizeInput* input, const Source& source, unsigned lane, unsigned code) {
  input->x4[lane / 4] |= code << (lane % 4 * source.bits);
}

std::uint32_t expected_word(const Source& source, unsigned code, unsigned scale, unsigned dst) {
  const double element = source.format.decode(code);
  if (dst == TERN_DTYPE_E4M3FN_X4) {
    for (unsigned byte = 0; byte < 256; ++byte) {
      const double value = kMxE4m3Fn.decode(byte);
      if (value == element && std::signbit(value) == std::signbit(element)) return byte;
    }
  }
  const double value =
      scale == 255 ? std::nan("") : std::ldexp(element, static_cast<int>(scale) - 127);
  if (dst == TERN_DTYPE_BF16) return bf16_of_double(value);
  if (std::isnan(value)) return 0x7FC00000;
  const float single = static_cast<float>(value);  // exact, or infinity
  std::uint32_t bits;
  std::memcpy(&bits, &single, sizeof bits);
  return bits;
}

MxDequantizeOutput expected_output(const MxDequantizeInput& input) {
  MxDequantizeOutput output;
  for (const Source& source : kSources) {
    if (source.dtype != input.src) continue;
    for (unsigned lane = 0; lane < kMxRtlLanes; ++lane) {
      output.elements[lane] = expected_word(source, code_at(input, source, lane),
                                            input.scales[lane / kMxBlockLanes], input.dst);
    }
  }
  return output;
}

template <typename Pause = bool (*)(unsigned)>
void check(const std::vector<MxDequantizeInput>& inputs, Pause pause = never) {
  MxDequantizeRtl rtl(bench_wave());
  const auto outputs = stream<MxDequantizeOutput>(rtl, inputs, kDequantizeLatency, pause);
  MismatchLog log;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    log.add(differences(inputs[i], expected_output(inputs[i]), outputs[i]));
  }
  CHECK_NO_MISMATCH(log);
}

}  // namespace

TEST_CASE("dequantise: every element with every scale to FP32 and BF16") {
  for (const Source& source : kSources) {
    for (const unsigned dst : {TERN_DTYPE_FP32, TERN_DTYPE_BF16}) {
      CAPTURE(source.dtype, dst);
      std::vector<MxDequantizeInput> inputs;
      for (unsigned scale = 0; scale < 256; scale += kMxRtlBlocks) {
        for (unsigned first = 0; first < source.format.codes(); first += 32) {
          MxDequantizeInput input;
          input.src = source.dtype;
          input.dst = dst;
          for (unsigned b = 0; b < kMxRtlBlocks; ++b) {
            input.scales[b] = static_cast<std::uint8_t>(scale + b);
          }
          for (unsigned lane = 0; lane < kMxRtlLanes; ++lane) {
            // Other codes in other lanes of the next block.
            const unsigned code = first + (lane + 5 * (lane / 32)) % 32;
            set_code(&input, source, lane, code % source.format.codes());
          }
          inputs.push_back(input);
        }
      }
      check(inputs);
    }
  }
}

TEST_CASE("dequantise: FP4 expands to FP8, every word, scales without effect") {
  std::vector<MxDequantizeInput> inputs;
  for (unsigned word = 0; word < 0x10000; word += kMxRtlPartitions) {
    MxDequantizeInput input;
    input.src = TERN_DTYPE_E2M1_X4;
    input.dst = TERN_DTYPE_E4M3FN_X4;
    for (unsigned p = 0; p < kMxRtlPartitions; ++p) input.x4[p] = word + p;
    input.scales = {0, 255, 127, static_cast<std::uint8_t>(word / 32)};
    inputs.push_back(input);
  }
  check(inputs);
  // The result ignores the scale even if that is NaN.
  CHECK(expected_word(kSources[2], 7, 255, TERN_DTYPE_E4M3FN_X4) == 0x4C);
}

TEST_CASE("dequantise: random columns, formats and pauses") {
  std::mt19937_64 random(test_seed());
  std::vector<MxDequantizeInput> inputs;
  for (int i = 0; i < 4000; ++i) {
    MxDequantizeInput input;
    input.src = kSources[random() % 3].dtype;
    const bool fp4 = input.src == TERN_DTYPE_E2M1_X4;
    const unsigned dsts[] = {TERN_DTYPE_FP32, TERN_DTYPE_BF16, TERN_DTYPE_E4M3FN_X4};
    input.dst = dsts[random() % (fp4 ? 3 : 2)];
    for (auto& x4 : input.x4) x4 = static_cast<std::uint32_t>(random());
    for (auto& scale : input.scales) scale = static_cast<std::uint8_t>(random());
    inputs.push_back(input);
  }
  const std::uint64_t pattern = random();
  check(inputs, [pattern](unsigned cycle) { return (pattern >> (cycle % 59) & 1) != 0; });
}

// Not tests: tb/common/check_failing_wave.sh and check_failing_text.sh run them.
TEST_CASE("a failed assertion of the RTL on purpose, in cycle 20", "[.]") {
  MxDequantizeRtl rtl(bench_wave());
  for (unsigned i = 0; i < 20; ++i) rtl.cycle(nullptr);
  MxDequantizeInput input;
  input.src = TERN_DTYPE_FP32;
  input.dst = TERN_DTYPE_FP32;
  rtl.cycle(&input);
}

TEST_CASE("a mismatch on purpose: mx", "[.]") {
  MxDequantizeInput input;
  input.src = TERN_DTYPE_E5M2_X4;
  input.dst = TERN_DTYPE_FP32;
  input.scales.fill(127);
  MxDequantizeRtl rtl(bench_wave());
  auto outputs = stream<MxDequantizeOutput>(rtl, std::vector<MxDequantizeInput>(30, input),
                                            kDequantizeLatency, never);
  auto& output = outputs[20 - kDequantizeLatency];
  MxDequantizeOutput expected = output;
  expected.elements[17] ^= 1;
  CHECK_NO_MISMATCH(differences(input, expected, output));
}
