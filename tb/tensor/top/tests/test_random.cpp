// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tb/common/seed.h"
#include "tb/tensor/top/bench/random_program.h"

namespace tern::tb {

TEST_CASE("tiny: random programs") {
  TensorBench bench("tiny");
  Random random(test_seed() + 10);
  for (int round = 0; round < 600; ++round)
    run_random_program(bench, random, between(random, 4, 40));
  bench.compare_psum();
}

TEST_CASE("tiny: random programs with a ramp after rest") {
  Random random(test_seed() + 11);
  for (const unsigned window : {64u, 600u}) {
    TensorBench bench("tiny", default_engine, window);
    for (int round = 0; round < 100; ++round) {
      run_random_program(bench, random, between(random, 4, 40));
      // Often a clock that stops, at any moment of a window.
      bench.engine().skip_to(bench.engine().cycle() + between(random, 0, 3 * window));
    }
    bench.compare_psum();
  }
}

}  // namespace tern::tb
