// SPDX-License-Identifier: Apache-2.0
// PSUM: banks, overwrite and accumulate, the read-modify-write hazard, the other engines' port.
#include <catch2/catch.hpp>

#include "tb/common/seed.h"
#include "tb/tensor/operands.h"
#include "tb/tensor/tensor_bench.h"

namespace tern::tb {
namespace {

void fill(TensorBench& bench, Random& random) {
  for (unsigned r = 0; r < bench.shape().rows; ++r) {
    for (unsigned i = 0; i < 1024; ++i) {
      bench.sbuf().set(r, 2 * i, random_element(random, TensorType::kBf16, Spread::kNearOne));
    }
  }
}

}  // namespace

TEST_CASE("tiny: the banks take turns, K is accumulated") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random);
  std::vector<TensorCommand> program;
  for (unsigned slab = 0; slab < 4; ++slab) {
    const TensorCommand load = bench.load(0, 32, 16, 32 * slab);
    program.push_back(load);
    for (unsigned bank = 0; bank < 8; ++bank) {
      program.push_back(bench.move(load, 16, 256 + 32 * slab + 2 * bank, bank, 0, slab != 0));
    }
  }
  bench.run(program);
  bench.compare_psum();
}

TEST_CASE("tiny: a column written in one cycle is accumulated on in the next") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random);
  const TensorCommand load = bench.load(0, 32, 16, 0);
  // The last column of one instruction is the first of the next, back to back.
  bench.run({load, bench.move(load, 8, 64, 2, 0), bench.move(load, 8, 128, 2, 7, true),
             bench.move(load, 2, 256, 2, 14, true), bench.move(load, 1, 300, 2, 15, true)});
  bench.compare_psum();
}

TEST_CASE("tiny: the port writes and reads any rectangle") {
  TensorBench bench("tiny");
  Random random(test_seed());
  bench.write_psum(0, 16, 0, 128, [&](unsigned, unsigned) { return random_binary32(random); });
  bench.compare_psum();
  for (int i = 0; i < 60; ++i) {
    const unsigned lane = below(random, 16), column = below(random, 128);
    bench.write_psum(lane, between(random, 1, 16 - lane), column, between(random, 1, 128 - column),
                     [&](unsigned, unsigned) { return random_binary32(random); });
  }
  bench.compare_psum();
}

TEST_CASE("tiny: the port works while the array writes other banks and waits for the same") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random);
  const TensorCommand load = bench.load(0, 32, 16, 0);
  bench.run({load});
  for (int round = 0; round < 200; ++round) {
    const unsigned array_bank = below(random, 8);
    // The array uses columns 0..7 of its bank, the port 8..15 of the same or any of another.
    const TensorCommand move =
        bench.move(load, 8, 2 * below(random, 480), array_bank, 0, round % 2 != 0);
    const unsigned bank = below(random, 2) != 0 ? array_bank : below(random, 8);
    const unsigned first = bank == array_bank ? 8 : below(random, 8),
                   count = between(random, 1, 16 - first);
    const unsigned delay = below(random, 48);
    bench.run_with_access({move}, delay, bank * 16 + first, count, round % 3 == 0,
                          [&](unsigned, unsigned) { return random_binary32(random); });
  }
  bench.compare_psum();
  REQUIRE(bench.counters().psum_conflicts > 20);
}

}  // namespace tern::tb
