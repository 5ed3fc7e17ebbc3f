// SPDX-License-Identifier: Apache-2.0
// Ctrl-C does not wait for a reference.
#include <catch2/catch.hpp>

#include "sw/base/stop.h"
#include "sw/reference/formats.h"
#include "sw/reference/kernels/attention.h"
#include "sw/reference/reference.h"
#include "sw/reference/tensor.h"

namespace tern::reference {

TEST_CASE("references end when they are asked to") {
  constexpr std::size_t kSum = 512, kSide = 2;
  const std::vector<float> ones(kSum * kSide, 1.0f);
  const auto product = [&](const char* format) {
    return matmul_in_format(format, ones, ones, kSum, kSide, kSide);
  };
  CHECK(product("mxfp8_e4m3fn")[0] == kSum);
  base::stop_request() = true;
  for (const char* format : {"bf16", "fp32", "fp8_e4m3", "mxfp8_e4m3fn"}) {
    INFO(format);
    CHECK_THROWS_AS(product(format), Interrupted);
  }
  CHECK_THROWS_AS(matmul(ones, ones, kSum, kSide, kSide), Interrupted);
  Attention shape;
  shape.heads = 1;
  shape.queries = shape.keys = kSum;
  shape.d = kSide;
  const Inputs values(ones.begin(), ones.end());
  CHECK_THROWS_AS(attention(values, values, values, shape), Interrupted);
  base::stop_request() = false;
}

}  // namespace tern::reference
