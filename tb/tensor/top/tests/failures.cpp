// SPDX-License-Identifier: Apache-2.0
// A failure for tb/common/check_failing_text.sh: no list has it.
#include <catch2/catch.hpp>

#include "tb/tensor/top/bench/tensor_bench.h"

namespace tern::tb {

TEST_CASE("a mismatch on purpose: tensor engine", "[.]") {
  TensorBench bench("tiny");
  for (unsigned r = 0; r < bench.shape().rows; ++r) {
    for (unsigned i = 0; i < 64; ++i) bench.sbuf().set(r, 2 * i, 0x3F80);
  }
  const TensorCommand load = bench.load(0, 32, 16, 0);
  bench.run({load, bench.move(load, 8, 32, 2, 0)});
  // The RTL accumulates on something else.
  bench.reference().set_psum(3, 2 * bench.shape().bank_columns + 5, 0x3F800000);
  bench.run({load, bench.move(load, 8, 32, 2, 0, true)});
}

}  // namespace tern::tb
