// SPDX-License-Identifier: Apache-2.0
// The statements of rtl/tensor/README.md about the chip's own size, in cycles.
#include <catch2/catch.hpp>
#include <cstdio>

#include "tb/common/seed.h"
#include "tb/tensor/top/bench/operands.h"
#include "tb/tensor/top/bench/tensor_bench.h"

namespace tern::tb {
namespace {

using Type = TensorType;

constexpr unsigned kMoveAt = 2048;

void fill(TensorBench& bench, Type type) {
  Random random(test_seed());
  const unsigned bytes = bytes_of(type);
  for (unsigned r = 0; r < bench.shape().rows; ++r) {
    for (unsigned i = 0; i < 4096; i += bytes)
      bench.sbuf().write(r, i, bytes, random_element(random, type, Spread::kNearOne));
    for (unsigned i = 8192; i < 9216; ++i) bench.sbuf().write(r, i, 1, between(random, 120, 134));
  }
}

// Cycles from the first issue to the end of the last command's columns at the array.
unsigned cycles(const std::vector<ExpectedStatus>& statuses, std::size_t first, unsigned columns) {
  return static_cast<unsigned>(statuses.back().issue + columns - statuses[first].issue);
}

}  // namespace

TEST_CASE("full: an MX pass of K = 512, N = 512 takes as long as a BF16 pass of K = 128") {
  TensorBench bench("full");
  fill(bench, Type::kE4m3fnX4);
  for (const bool mx : {false, true}) {
    TensorCommand load = bench.load(0, 128, 128, 0, mx ? Type::kE4m3fnX4 : Type::kBf16);
    load.mode = mx ? TensorMode::kMx : TensorMode::kDense;
    load.aux_address = 8192;
    TensorCommand move = bench.move(load, 512, kMoveAt, 0, 0, false, load.type);
    TensorCommand next = move;
    next.psum_bank = 1;
    next.accumulate = true;
    const auto statuses = bench.run({load, move, load, next});
    std::printf("%s: two passes of N = 512 with new weights each: %u cycles\n",
                mx ? "MX, K = 512" : "BF16, K = 128", cycles(statuses, 1, 512));
    REQUIRE(cycles(statuses, 1, 512) == 1024);
  }
}

TEST_CASE("full: an FP32 product takes four times as long as a BF16 one") {
  TensorBench bench("full");
  fill(bench, Type::kFp32);
  std::vector<TensorCommand> program;
  for (const bool high_weights : {false, true}) {
    program.push_back(bench.load(0, 128, 128, 0, Type::kFp32));
    program.back().high_half = high_weights;
    const TensorCommand load = program.back();
    for (const bool high : {false, true}) {
      program.push_back(bench.move(load, 512, kMoveAt, 0, 0, high_weights || high, Type::kFp32));
      program.back().high_half = high;
    }
  }
  const auto statuses = bench.run(program);
  REQUIRE(cycles(statuses, 1, 512) == 4 * 512);
}

TEST_CASE("full: four row tiles of N = 512 take 515 cycles together") {
  TensorBench bench("full");
  fill(bench, Type::kBf16);
  std::vector<TensorCommand> loads, moves;
  for (unsigned row = 0; row < 4; ++row) {
    loads.push_back(bench.load(32 * row, 32, 128, 256 * row));
    loads.back().tile_rows = TensorTileSize::kQuarter;
    moves.push_back(bench.move(loads.back(), 512, kMoveAt, row, 0));
  }
  bench.run(loads);
  const unsigned together = cycles(bench.run(moves), 0, 512);
  std::printf("four row tiles, N = 512 each: %u cycles\n", together);
  REQUIRE(together == 515);
}

TEST_CASE("full: four row tiles of MX, N = 512, take 515 cycles together") {
  TensorBench bench("full");
  fill(bench, Type::kE4m3fnX4);
  for (const Type type : {Type::kE4m3fnX4, Type::kE2m1X4}) {
    std::vector<TensorCommand> loads, moves;
    for (unsigned row = 0; row < 4; ++row) {
      loads.push_back(bench.load(32 * row, 32, 128, 512 * row, Type::kE4m3fnX4));
      loads.back().mode = TensorMode::kMx;
      loads.back().tile_rows = TensorTileSize::kQuarter;
      loads.back().aux_address = 128 * row;
      moves.push_back(bench.move(loads.back(), 512, kMoveAt, row, 0, false, type));
    }
    bench.run(loads);
    const unsigned together = cycles(bench.run(moves), 0, 512);
    std::printf("four row tiles of MX, N = 512 each: %u cycles\n", together);
    REQUIRE(together == 515);
  }
}

TEST_CASE("full: transposes parallel to multiplies of N = 512 cost no cycle") {
  TensorBench bench("full");
  fill(bench, Type::kBf16);
  unsigned counts[2];
  for (const bool transposes : {false, true}) {
    std::vector<TensorCommand> program = {bench.load(0, 128, 128, 0)};
    const TensorCommand load = program.back();
    std::size_t first = 1;
    for (unsigned i = 0; i < 3; ++i) {
      if (transposes) {
        if (i == 0) ++first;
        program.insert(program.end() - (i == 0 ? 1 : 0),
                       bench.transpose(0, 128, 128, 256, 4 + i, 0, Type::kBf16));
        if (i != 0) program.push_back(load);
      } else if (i != 0) {
        program.push_back(load);
      }
      program.push_back(bench.move(load, 512, kMoveAt, i, 0));
    }
    const auto statuses = bench.run(program);
    counts[transposes ? 1 : 0] = cycles(statuses, first, 512);
  }
  std::printf("three multiplies of N = 512 with new weights: %u cycles, with transposes: %u\n",
              counts[0], counts[1]);
  REQUIRE(counts[0] == 3 * 512);
  REQUIRE(counts[1] == counts[0]);
}

}  // namespace tern::tb
