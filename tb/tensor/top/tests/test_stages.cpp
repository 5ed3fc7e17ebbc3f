// SPDX-License-Identifier: Apache-2.0
// Arrays whose rows and blocks are 3 and 5 cycles apart, against the same references.
#include <catch2/catch.hpp>

#include "tb/common/seed.h"
#include "tb/tensor/top/bench/cycle_table.h"
#include "tb/tensor/top/bench/random_program.h"
#include "tb/tensor/top/bench/read_times.h"

namespace tern::tb {
namespace {

void run_random_programs(const char* config, unsigned salt) {
  TensorBench bench(config);
  Random random(test_seed() + salt);
  for (int round = 0; round < 200; ++round)
    run_random_program(bench, random, between(random, 4, 40));
  bench.compare_psum();
}

}  // namespace

TEST_CASE("three stages: random programs") {
  run_random_programs("tiny_stages3", 12);
}

TEST_CASE("five stages: random programs") {
  run_random_programs("tiny_stages5", 13);
}

TEST_CASE("three stages: cycles of every instruction: model and RTL") {
  compare_cycles("tiny_stages3");
}

TEST_CASE("five stages: cycles of every instruction: model and RTL") {
  compare_cycles("tiny_stages5");
}

TEST_CASE("three stages: operands may be overwritten from the cycle on that the model names") {
  compare_read_times("tiny_stages3", 10);
}

TEST_CASE("five stages: operands may be overwritten from the cycle on that the model names") {
  compare_read_times("tiny_stages5", 10);
}

}  // namespace tern::tb
