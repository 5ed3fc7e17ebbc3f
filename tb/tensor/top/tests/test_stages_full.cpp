// SPDX-License-Identifier: Apache-2.0
// The chip's arrays with several stages: built on their first use.
#include <catch2/catch.hpp>

#include "tb/common/seed.h"
#include "tb/tensor/top/bench/cycle_table.h"
#include "tb/tensor/top/bench/random_program.h"

namespace tern::tb {

TEST_CASE("full, three and five stages: random programs") {
  for (const char* config : {"full_stages3", "full_stages5"}) {
    INFO(config);
    TensorBench bench(config);
    Random random(test_seed() + 14);
    for (int round = 0; round < 4; ++round)
      run_random_program(bench, random, between(random, 4, 12));
    bench.compare_psum();
  }
}

TEST_CASE("full, three and five stages: cycles of every instruction: model and RTL") {
  compare_cycles("full_stages3");
  compare_cycles("full_stages5");
}

}  // namespace tern::tb
