// SPDX-License-Identifier: Apache-2.0
// A failure for tb/common/check_failing_text.sh: no list has it.
#include <catch2/catch.hpp>
#include <vector>

#include "systemc/cosim/exp_rtl.h"
#include "tb/common/bench_wave.h"
#include "tb/common/check_mismatch.h"
#include "tb/exp/exp_mismatch.h"

using namespace tern;            // NOLINT: a test uses the names of what it tests
using namespace tern::numerics;  // NOLINT
using namespace tern::tb;        // NOLINT

TEST_CASE("a mismatch on purpose, in cycle 20: exp", "[.]") {
  constexpr std::size_t kElements = 64, kLane = 17, kElement = 4 * (20 - kExpLatency);
  std::vector<float> x(kExpPartitions * kElements), y(x.size()), m(kExpPartitions, 0.0f);
  ExpRequest request;
  request.partitions = kExpPartitions;
  request.elements = kElements;
  request.source = reinterpret_cast<const std::uint8_t*>(x.data());
  request.source_pitch = request.result_pitch = kElements * sizeof(float);
  request.m = m.data();
  request.result = reinterpret_cast<std::uint8_t*>(y.data());
  ExpRtl rtl(bench_wave());
  rtl.run(request);
  MismatchLog log;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const float expected = i == kLane * kElements + kElement ? 2.0f : 1.0f;
    log.compare(bits_of(expected), bits_of(y[i]), 32, [&] {
      return exp_element(0, i / kElements, i % kElements, DType::kFp32, bits_of(x[i]), 0.0f,
                         DType::kFp32);
    });
  }
  CHECK_NO_MISMATCH(log);
}
