// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tb/tensor/top/bench/read_times.h"

namespace tern::tb {

TEST_CASE("tiny: operands may be overwritten from the cycle on that the model names") {
  compare_read_times("tiny", 25);
}

}  // namespace tern::tb
