// SPDX-License-Identifier: Apache-2.0
// mx_quantize against docs/numerics.md, section 5, in double (tb/numerics/mx_oracle.h).
#include <catch2/catch.hpp>
#include <random>

#include "tb/common/bench_wave.h"
#include "tb/common/seed.h"
#include "tb/mx/mx_mismatch.h"
#include "tb/mx/mx_stream.h"
#include "tb/numerics/mx_oracle.h"

using namespace tern;      // NOLINT: a test uses the names of what it tests
using namespace tern::tb;  // NOLINT

namespace {

constexpr MxFormat kBf16{8, 7, 127, 127, true, false};
constexpr MxFormat kFp16{5, 10, 15, 15, true, false};
constexpr unsigned kBlock = 32;

MxQuantizeInput column(unsigned mode) {
  MxQuantizeInput input;
  input.fp16 = (mode & 1) != 0;
  input.e5m2 = (mode & 2) != 0;
  input.ocp = (mode & 4) != 0;
  return input;
}

MxQuantizeOutput expected_output(const MxQuantizeInput& input) {
  const MxFormat& source = input.fp16 ? kFp16 : kBf16;
  MxQuantizeOutput output;
  for (unsigned block = 0; block < kMxRtlBlocks; ++block) {
    std::vector<double> values;
    for (unsigned i = 0; i < kBlock; ++i) {
      values.push_back(source.decode(input.elements[block * kBlock + i]));
    }
    const MxBlock expected = mx_reference(input.e5m2 ? kMxE5m2 : kMxE4m3Fn, input.ocp, values);
    output.scales[block] = expected.scale;
    for (unsigned i = 0; i < kBlock; ++i) {
      output.codes[block * kBlock + i] = expected.codes[i];
    }
  }
  return output;
}

template <typename Pause = bool (*)(unsigned)>
void check(const std::vector<MxQuantizeInput>& inputs, Pause pause = never) {
  MxQuantizeRtl rtl(bench_wave());
  const auto outputs = stream<MxQuantizeOutput>(rtl, inputs, kQuantizeLatency, pause);
  MismatchLog log;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    log.add(differences(inputs[i], expected_output(inputs[i]), outputs[i]));
  }
  CHECK_NO_MISMATCH(log);
}

}  // namespace

TEST_CASE("quantise: every BF16 and FP16 value is once the largest of its block") {
  for (unsigned mode = 0; mode < 8; ++mode) {
    CAPTURE(mode);
    std::vector<MxQuantizeInput> inputs;
    for (unsigned bits = 0; bits < 0x10000; bits += kMxRtlBlocks) {
      MxQuantizeInput input = column(mode);
      for (unsigned block = 0; block < kMxRtlBlocks; ++block) {
        // Another position in every block, so that every path of the compare tree is used.
        const unsigned place = (bits / kMxRtlBlocks + 11 * block) % kBlock;
        input.elements[block * kBlock + place] = static_cast<std::uint16_t>(bits + block);
      }
      inputs.push_back(input);
    }
    check(inputs);
  }
}

TEST_CASE("quantise: every element below a fixed largest one") {
  for (unsigned mode = 0; mode < 8; ++mode) {
    CAPTURE(mode);
    std::vector<MxQuantizeInput> inputs;
    const bool fp16 = (mode & 1) != 0;
    // 31 elements of all magnitudes under 1.5 * 2^k; sign alternates.
    const unsigned step = fp16 ? 1 : 5;
    for (const unsigned top :
         {0x3C00u, fp16 ? 0x7A00u : 0x7F00u, fp16 ? 0x0200u : 0x0040u, fp16 ? 0x0001u : 0x0080u}) {
      for (unsigned first = 0; first < top; first += kMxRtlBlocks * (kBlock - 1) * step) {
        MxQuantizeInput input = column(mode);
        for (unsigned lane = 0; lane < kMxRtlLanes; ++lane) {
          const unsigned bits = std::min(first + lane * step, top);
          input.elements[lane] =
              static_cast<std::uint16_t>(lane % kBlock == 0 ? top : bits | (lane % 2) << 15);
        }
        inputs.push_back(input);
      }
    }
    check(inputs);
  }
}

TEST_CASE("quantise: zero, infinite and NaN blocks next to others") {
  std::vector<MxQuantizeInput> inputs;
  for (unsigned mode = 0; mode < 8; ++mode) {
    const unsigned infinity = (mode & 1) != 0 ? 0x7C00 : 0x7F80;
    for (unsigned place = 0; place < kBlock; ++place) {
      for (const unsigned special : {infinity, infinity | 0x8000, infinity + 1, 0xFFFFu}) {
        MxQuantizeInput input = column(mode);
        for (unsigned lane = 0; lane < kMxRtlLanes; ++lane) {
          // Block 0: zeros of both signs. Block 1: special. Blocks 2, 3: small and large numbers.
          const unsigned block = lane / kBlock;
          const unsigned value = block == 0 ? 0 : 0x100 * block * block + lane;
          input.elements[lane] = static_cast<std::uint16_t>(value | (lane % 3 == 0 ? 0x8000 : 0));
        }
        input.elements[kBlock + place] = static_cast<std::uint16_t>(special);
        inputs.push_back(input);
      }
    }
  }
  check(inputs);
}

TEST_CASE("quantise: random blocks, modes and pauses") {
  std::mt19937_64 random(test_seed());
  std::vector<MxQuantizeInput> inputs;
  for (int i = 0; i < 6000; ++i) {
    MxQuantizeInput input = column(static_cast<unsigned>(random() % 8));
    const unsigned shift = input.fp16 ? 10 : 7;
    const unsigned fields = input.fp16 ? 31 : 255;
    for (unsigned block = 0; block < kMxRtlBlocks; ++block) {
      const unsigned top = static_cast<unsigned>(random() % fields);
      const unsigned spread = 1 + static_cast<unsigned>(random() % 24);
      for (unsigned j = 0; j < kBlock; ++j) {
        const std::uint64_t bits = random();
        const unsigned below = static_cast<unsigned>(bits >> 32) % spread;
        const unsigned field = top > below ? top - below : 0;
        const unsigned fraction = static_cast<unsigned>(bits) & ((1u << shift) - 1);
        input.elements[block * kBlock + j] =
            static_cast<std::uint16_t>(field << shift | fraction | (bits >> 48 & 0x8000));
      }
    }
    inputs.push_back(input);
  }
  const std::uint64_t pattern = random();
  check(inputs, [pattern](unsigned cycle) { return (pattern >> (cycle % 61) & 1) != 0; });
}
