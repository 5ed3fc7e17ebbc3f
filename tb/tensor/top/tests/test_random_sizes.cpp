// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tb/common/seed.h"
#include "tb/tensor/top/bench/random_program.h"

namespace tern::tb {

TEST_CASE("mid: random programs") {
  TensorBench bench("mid");
  Random random(test_seed() + 20);
  for (int round = 0; round < 40; ++round)
    run_random_program(bench, random, between(random, 4, 30));
  bench.compare_psum();
}

TEST_CASE("full: random programs") {
  TensorBench bench("full");
  Random random(test_seed() + 30);
  for (int round = 0; round < 4; ++round) run_random_program(bench, random, between(random, 4, 12));
  bench.compare_psum();
}

TEST_CASE("full: new weights every 64 cycles") {
  TensorBench bench("full");
  Random random(test_seed() + 40);
  for (unsigned r = 0; r < 128; ++r) {
    for (unsigned i = 0; i < 2048; ++i) {
      bench.sbuf().write(r, 2 * i, 2, random_element(random, TensorType::kBf16, Spread::kNearOne));
    }
  }
  std::vector<TensorCommand> program;
  for (unsigned i = 0; i < 10; ++i) {
    const TensorCommand load = bench.load(0, 128, 128, 256 * i);
    program.push_back(load);
    program.push_back(bench.move(load, 64, 2700 + 2 * i, i % 8, 64 * (i % 3), i >= 8));
  }
  const auto statuses = bench.run(program);
  // 32 cycles for a 128 x 128 tile; then one MultiplyMoving every 64 cycles.
  REQUIRE(statuses[1].issue - statuses[0].issue == 33);
  for (unsigned i = 3; i < 20; i += 2) REQUIRE(statuses[i].issue - statuses[i - 2].issue == 64);
  bench.compare_psum();
}

}  // namespace tern::tb
