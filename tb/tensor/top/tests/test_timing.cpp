// SPDX-License-Identifier: Apache-2.0
// Exact cycles: issue rules, background loads, retirement, back-pressure of the command port. The
// bench compares every program with the recurrences of the README; this file adds hand-computed
// numbers.
#include <catch2/catch.hpp>

#include "tb/tensor/top/bench/operands.h"
#include "tb/tensor/top/bench/tensor_bench.h"

namespace tern::tb {

TEST_CASE("tiny: cycles of single commands") {
  TensorBench bench("tiny");  // R = 32, minimum interval 4
  const TensorCommand load = bench.load(0, 32, 16, 0);
  const auto first = bench.run({load, bench.move(load, 5, 0, 0, 0)});
  // Accepted in cycles 0 and 1. L = 4: s = 1, c = 1 + 4 + 32; t = s + L + 1 = 6, c = 6 + 5 + 32
  // + 2.
  REQUIRE(first[0].issue == 1);
  REQUIRE(first[0].retire == 37);
  REQUIRE(first[1].issue == 6);
  REQUIRE(first[1].retire == 45);
}

TEST_CASE("tiny: cycles of single commands of array X") {
  TensorBench bench("tiny");  // four blocks
  TensorCommand load = bench.load(0, 32, 16, 0, TensorType::kE4m3fnX4);
  load.mode = TensorMode::kMx;
  const auto mx = bench.run({load, bench.move(load, 5, 0, 0, 0, false, load.type)});
  // s = 1, c = 1 + 4 + 4; t = 6, c = 6 + 5 + 4 + 3.
  REQUIRE(mx[0].issue == 1);
  REQUIRE(mx[0].retire == 9);
  REQUIRE(mx[1].issue == 6);
  REQUIRE(mx[1].retire == 18);
}

TEST_CASE("tiny: cycles of single tiles: results leave after the last row group") {
  TensorBench bench("tiny");
  for (unsigned row = 0; row < 4; ++row) {
    TensorCommand load = bench.load(8 * row, 8, 16, 0);
    load.tile_rows = TensorTileSize::kQuarter;
    const auto statuses = bench.run({load, bench.move(load, 5, 0, 0, 0)});
    REQUIRE(statuses[1].first_write == statuses[1].issue + 8 * (row + 1) + 2);
    REQUIRE(statuses[0].retire == statuses[0].issue + 4 + 32);
  }
}

TEST_CASE("tiny: array X waits until the waves of array A have left the ports they share") {
  TensorBench bench("tiny");
  const TensorCommand a = bench.load(0, 32, 16, 0);
  TensorCommand x = bench.load(0, 32, 16, 0, TensorType::kE4m3fnX4);
  x.mode = TensorMode::kQuad;
  const TensorCommand a_move = bench.move(a, 20, 0, 0, 0),
                      x_move = bench.move(x, 9, 0, 0, 0, true, x.type);
  const auto s = bench.run({a, x, a_move, x_move, a_move, x, a});
  REQUIRE(s[1].issue == s[0].issue + 4 + 28);  // L + R - B
  REQUIRE(s[2].issue == s[1].issue + 1);
  REQUIRE(s[3].issue == s[2].issue + 20 + 28);  // N + R - B
  REQUIRE(s[4].issue == s[3].issue + 9);        // not the reverse
  REQUIRE(s[5].issue == s[4].issue + 1);
  REQUIRE(s[6].issue == s[5].issue + 4);
}

TEST_CASE("tiny: a multiply waits for the end of writes to its banks") {
  TensorBench bench("tiny");
  const TensorCommand a = bench.load(0, 32, 16, 0);
  TensorCommand x = bench.load(0, 32, 16, 0, TensorType::kE4m3fnX4);
  x.mode = TensorMode::kMx;
  const TensorCommand transpose = bench.transpose(0, 32, 16, 0, 4, 0, TensorType::kFp16);
  bench.run({a, x, bench.move(a, 1, 0, 0, 0), bench.move(x, 1, 0, 0, 0, false, x.type)});
  // Latency 39 for a transpose, 34 for array A, 7 for array X.
  const auto same = bench.run({transpose, bench.move(a, 4, 0, 4, 3)});
  REQUIRE(same[1].first_write == same[0].first_write + 32);
  const auto other = bench.run({transpose, bench.move(a, 4, 0, 5, 3)});
  REQUIRE(other[1].issue == other[0].issue + 1);
  TensorCommand quad = x;
  quad.mode = TensorMode::kQuad;
  bench.run({quad, bench.move(quad, 1, 0, 0, 0, false, quad.type)});
  const auto slots = bench.run({transpose, bench.move(quad, 4, 0, 0, 0, false, quad.type)});
  REQUIRE(slots[1].first_write == slots[0].first_write + 32);  // slot 2 is in bank 4
}

TEST_CASE("tiny: multiplies follow each other after max(interval, N) cycles") {
  TensorBench bench("tiny");
  const TensorCommand load = bench.load(0, 32, 4, 0);
  std::vector<TensorCommand> program = {load};
  for (unsigned n : {1u, 3u, 4u, 5u, 16u, 1u}) program.push_back(bench.move(load, n, 0, n % 8, 0));
  const auto statuses = bench.run(program);
  const unsigned gaps[] = {4, 4, 4, 5, 16};
  for (unsigned i = 0; i < 5; ++i)
    REQUIRE(statuses[i + 2].issue - statuses[i + 1].issue == gaps[i]);
}

TEST_CASE("tiny: from rest multiplies come to their full rate in a ramp") {
  TensorBench bench("tiny", default_engine, 80);  // 32 x 16; half of a window: 40 columns
  const TensorCommand load = bench.load(0, 32, 16, 0);
  std::vector<TensorCommand> program = {load};
  for (unsigned i = 0; i < 8; ++i) program.push_back(bench.move(load, 16, 0, i, 0));
  const auto statuses = bench.run(program);
  // At 0 in the first quarter, 28 in the second, 51 in the third, 71 in the fourth, 88 in the next
  // window: 64 columns in the first one are enough.
  const unsigned gaps[] = {28, 23, 20, 17, 16, 16, 16};
  for (unsigned i = 0; i < 7; ++i)
    REQUIRE(statuses[i + 2].issue - statuses[i + 1].issue == gaps[i]);
  // Tiles of a quarter of the columns: the array is never used for half.
  TensorCommand narrow = bench.load(0, 32, 4, 0);
  program = {narrow};
  for (unsigned i = 0; i < 12; ++i) program.push_back(bench.move(narrow, 16, 0, i % 8, 0));
  bench.engine().skip_to(bench.engine().cycle() + 160);
  const auto slow = bench.run(program);
  std::uint64_t again = 0;
  for (unsigned i = 1; i < 12; ++i) again += slow[i + 1].issue - slow[i].issue == 28 ? 1 : 0;
  REQUIRE(again == 3);  // the first of each of three windows
  bench.compare_psum();
}

TEST_CASE("tiny: loads are hidden by the running multiply") {
  TensorBench bench("tiny");
  Random random(1);
  for (unsigned r = 0; r < 32; ++r) {
    for (unsigned i = 0; i < 512; ++i) {
      bench.sbuf().set(r, 2 * i, random_element(random, TensorType::kBf16, Spread::kNearOne));
    }
  }
  std::vector<TensorCommand> program;
  for (unsigned i = 0; i < 12; ++i) {
    const TensorCommand load = bench.load(0, 32, 16, 32 * i);
    program.push_back(load);
    program.push_back(bench.move(load, 6, 600, i % 8, i % 10));
  }
  const auto statuses = bench.run(program);
  // The first load is waited for; afterwards every six cycles a new tile with new weights.
  for (unsigned i = 3; i < 24; i += 2) REQUIRE(statuses[i].issue - statuses[i - 2].issue == 6);
  bench.compare_psum();
}

TEST_CASE("tiny: short multiplies wait for their weights") {
  TensorBench bench("tiny");
  std::vector<TensorCommand> program;
  for (unsigned i = 0; i < 6; ++i) {
    const TensorCommand load = bench.load(0, 32, 16, 32 * i);
    program.push_back(load);
    program.push_back(bench.move(load, 1, 600, i % 8, i));
  }
  const auto statuses = bench.run(program);
  // Load the cycle after the multiply that took the last one, four cycles of groups, one more.
  for (unsigned i = 3; i < 12; i += 2) {
    REQUIRE(statuses[i - 1].issue == statuses[i - 2].issue + 1);
    REQUIRE(statuses[i].issue == statuses[i - 1].issue + 5);
  }
}

TEST_CASE("tiny: a load without a multiply is overwritten by the next") {
  TensorBench bench("tiny");
  Random random(2);
  for (unsigned r = 0; r < 32; ++r) {
    for (unsigned i = 0; i < 64; ++i) {
      bench.sbuf().set(r, 2 * i, random_element(random, TensorType::kBf16, Spread::kNearOne));
    }
  }
  const TensorCommand a = bench.load(0, 32, 16, 0), b = bench.load(0, 32, 16, 32),
                      c = bench.load(8, 3, 5, 64);
  const auto statuses =
      bench.run({a, b, c, bench.move(c, 4, 64, 0, 0), bench.move(c, 4, 66, 0, 4)});
  REQUIRE(statuses[1].issue == statuses[0].issue + 4);
  REQUIRE(statuses[2].issue == statuses[1].issue + 4);
  REQUIRE(statuses[3].issue == statuses[2].issue + 3);
}

TEST_CASE("tiny: a rejected command waits only for the commands before it") {
  TensorBench bench("tiny");
  const TensorCommand load = bench.load(0, 32, 16, 0);
  TensorCommand bad = bench.move(load, 1, 1, 0, 0);
  const auto statuses = bench.run({load, bench.move(load, 16, 0, 0, 0), bad, bad, load});
  REQUIRE(statuses[2].issue == statuses[1].issue + 1);
  REQUIRE(statuses[3].issue == statuses[1].issue + 2);
  REQUIRE(statuses[4].issue == statuses[1].issue + 3);
  // Statuses come in program order, one a cycle.
  REQUIRE(statuses[2].retire == statuses[1].retire + 1);
  REQUIRE(statuses[3].retire == statuses[1].retire + 2);
  REQUIRE(statuses[4].retire == statuses[1].retire + 3);
}

TEST_CASE("tiny: sixteen commands in flight, no more") {
  TensorBench bench("tiny");
  const TensorCommand load = bench.load(0, 32, 16, 0);
  std::vector<TensorCommand> program = {load};
  for (unsigned i = 0; i < 40; ++i) program.push_back(bench.move(load, 16, 0, i % 8, 0, i >= 8));
  bench.run(program);  // compares ready() in every cycle
  bench.compare_psum();
}

TEST_CASE("tiny: idle gaps of every length between commands") {
  TensorBench bench("tiny");
  for (unsigned gap = 0; gap < 60; ++gap) {
    const TensorCommand load = bench.load(0, 32, 13, 8 * gap);
    const TensorCommand move = bench.move(load, 3, 512, gap % 8, 0, true);
    bench.run({load, move, move, load, move},
              [gap](std::size_t i) { return i % 2 != 0 ? gap : gap / 2; });
  }
  bench.compare_psum();
}

}  // namespace tern::tb
