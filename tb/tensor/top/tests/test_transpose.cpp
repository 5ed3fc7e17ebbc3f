// SPDX-License-Identifier: Apache-2.0
// Transposes: copies bit for bit, parallel to running multiplies.
#include <catch2/catch.hpp>
#include <cstdio>

#include "tb/common/seed.h"
#include "tb/tensor/top/bench/operands.h"
#include "tb/tensor/top/bench/tensor_bench.h"

namespace tern::tb {
namespace {

using Type = TensorType;

const std::vector<Type> kTypes = {Type::kBf16, Type::kFp16, Type::kFp32,  Type::kTf32,
                                  Type::kE4m3, Type::kE5m2, Type::kE4m3fn};

void fill(TensorBench& bench, Random& random, bool any_bits) {
  for (unsigned r = 0; r < bench.shape().rows; ++r) {
    for (unsigned i = 0; i < 2048; i += 2) {
      bench.sbuf().write(
          r, i, 2,
          any_bits ? below(random, 65536) : random_element(random, Type::kBf16, Spread::kNearOne));
    }
  }
}

}  // namespace

TEST_CASE("tiny: transpose: every format, tile and position, bits unchanged") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random, true);
  bench.write_psum(0, 16, 0, 128, [&](unsigned, unsigned) { return random_binary32(random); });
  for (const Type type : kTypes) {
    const unsigned columns = bytes_of(type) == 4 ? 16 : 32;
    for (unsigned row_start = 0; row_start < 32; row_start += 8) {
      for (unsigned cols = 1; cols <= 16; ++cols) {
        const unsigned rows = between(random, 1, 32 - row_start);
        const unsigned first = below(random, 8 * columns - rows + 1);
        bench.run_one(bench.transpose(row_start, rows, cols, 8 * below(random, 240),
                                      first / columns, first % columns, type));
      }
    }
    bench.compare_psum();
  }
}

TEST_CASE("tiny: transpose: any pattern at any address") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random, true);
  for (const Type type : kTypes) {
    for (unsigned round = 0; round < 40; ++round) {
      const unsigned num0 = between(random, 1, 16), num1 = between(random, 1, 16 / num0);
      TensorCommand c = bench.transpose(8 * below(random, 4), between(random, 1, 8), num0 * num1,
                                        1024 + bytes_of(type) * below(random, 16), below(random, 7),
                                        below(random, 8), type);
      c.num0 = num0;
      c.num1 = num1;
      c.step0 = static_cast<int>(below(random, 9)) - 4;
      c.step1 = static_cast<int>(below(random, 41)) - 20;
      REQUIRE(bench.run_one(c).code == TensorStatusCode::kOk);
    }
    bench.compare_psum();
  }
}

TEST_CASE("tiny: transpose: twice gives the matrix back") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random, true);
  // NaN payloads survive: 0x7FA1, 0xFF81 and friends.
  for (unsigned r = 0; r < 16; ++r) {
    for (unsigned m = 0; m < 16; ++m)
      bench.sbuf().write(r, 4 * m, 4, 0x7F800001 + (r << 16) + (m << 31) + m);
  }
  bench.run_one(bench.transpose(0, 16, 16, 0, 1, 0, Type::kFp32));
  for (unsigned r = 0; r < 16; ++r) {
    for (unsigned m = 0; m < 16; ++m) {
      REQUIRE(bench.reference().psum(m, 16 + r) == bench.sbuf().read(r, 4 * m, 4));
      bench.sbuf().write(m, 512 + 4 * r, 4, bench.reference().psum(m, 16 + r));
    }
  }
  bench.run_one(bench.transpose(0, 16, 16, 512, 3, 0, Type::kTf32));
  for (unsigned r = 0; r < 16; ++r) {
    for (unsigned m = 0; m < 16; ++m)
      REQUIRE(bench.reference().psum(m, 48 + r) == bench.sbuf().read(m, 4 * r, 4));
  }
  bench.compare_psum();
}

TEST_CASE("tiny: transpose: weights that wait in the shadow are lost, active ones stay") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random, false);
  const TensorCommand load = bench.load(0, 32, 16, 0), other = bench.load(0, 32, 16, 64);
  TensorCommand mx = bench.load(0, 32, 16, 128, Type::kE4m3fnX4);
  mx.mode = TensorMode::kMx;
  mx.aux_address = 1024;
  const TensorCommand move = bench.move(load, 3, 1024, 4, 0);
  const TensorCommand mx_move = bench.move(mx, 3, 1024, 5, 0, false, Type::kE5m2X4);
  const TensorCommand transpose = bench.transpose(8, 13, 16, 256, 0, 0, Type::kFp16);
  const auto codes = [&](const std::vector<TensorCommand>& program) {
    std::vector<int> list;
    for (const auto& status : bench.run(program)) list.push_back(static_cast<int>(status.code));
    return list;
  };
  CHECK(codes({load, transpose, move}) == std::vector<int>{0, 0, 6});
  CHECK(codes({load, move, transpose, move}) == std::vector<int>{0, 0, 0, 0});
  CHECK(codes({load, move, other, transpose, move}) == std::vector<int>{0, 0, 0, 0, 6});
  CHECK(codes({transpose, load, move, move}) == std::vector<int>{0, 0, 0, 0});
  CHECK(codes({mx, transpose, mx_move}) == std::vector<int>{0, 0, 0});
  // Only the tiles that were not taken.
  TensorCommand left = bench.load(0, 32, 8, 0), right = left;
  left.tile_cols = right.tile_cols = TensorTileSize::kHalf;
  right.col_start = 8;
  const TensorCommand left_move = bench.move(left, 2, 1024, 4, 0),
                      right_move = bench.move(right, 2, 1024, 4, 0);
  CHECK(codes({left, right, left_move, transpose, right_move, left_move}) ==
        std::vector<int>{0, 0, 0, 0, 6, 0});
  bench.compare_psum();
}

TEST_CASE("tiny: transposes parallel to a stream of multiplies cost no cycle") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random, false);
  const auto stream = [&](bool transposes) {
    std::vector<TensorCommand> program;
    for (unsigned i = 0; i < 8; ++i) {
      const TensorCommand load = bench.load(0, 32, 16, 64 * (i % 4));
      program.push_back(load);
      program.push_back(bench.move(load, 48, 1024, 0, 0, i != 0));
      if (transposes) program.push_back(bench.transpose(0, 32, 16, 256, 4 + i % 4, 0, Type::kBf16));
    }
    const auto statuses = bench.run(program);
    // Cycles from the first multiply to the last one's last write.
    const std::size_t last = program.size() - (transposes ? 2 : 1);
    return statuses[last].first_write + 48 - statuses[1].issue;
  };
  const std::uint64_t without = stream(false), with = stream(true);
  std::printf(
      "eight multiplies of N = 48 with new weights each: %u cycles, with eight transposes "
      "beside them: %u cycles\n",
      static_cast<unsigned>(without), static_cast<unsigned>(with));
  REQUIRE(with == without);
  REQUIRE(without == 8 * 48 + 32 + 2);
  bench.compare_psum();
}

TEST_CASE("tiny: transposes follow each other as fast as the shadow weights drain") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random, true);
  const TensorCommand load = bench.load(0, 32, 16, 0);
  const auto statuses = bench.run({bench.transpose(0, 32, 16, 0, 0, 0, Type::kBf16),
                                   bench.transpose(8, 5, 6, 64, 2, 0, Type::kE5m2),
                                   bench.transpose(0, 32, 16, 128, 4, 0, Type::kFp32), load,
                                   bench.move(load, 4, 1024, 7, 0)});
  // L + 1 + K cycles each: 4 + 1 + 32, 2 + 1 + 5, 4 + 1 + 32.
  CHECK(statuses[1].issue == statuses[0].issue + 37);
  CHECK(statuses[2].issue == statuses[1].issue + 8);
  CHECK(statuses[3].issue == statuses[2].issue + 37);
  // First write L + R + 3 cycles after the issue, K columns.
  CHECK(statuses[0].first_write == statuses[0].issue + 4 + 32 + 3);
  CHECK(statuses[0].retire == statuses[0].first_write + 32);
  bench.compare_psum();
}

TEST_CASE("tiny: transposes between multiplies of all tiles and modes") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random, false);
  std::vector<TensorCommand> program;
  for (unsigned i = 0; i < 40; ++i) {
    TensorCommand load = bench.load(8 * (i % 4), 8, 16, 64);
    load.tile_rows = TensorTileSize::kQuarter;
    program.push_back(load);
    program.push_back(bench.move(load, between(random, 1, 16), 1024, i % 4, 0, i > 4));
    program.push_back(bench.transpose(0, between(random, 1, 32), between(random, 1, 16), 256,
                                      4 + below(random, 2), 0, pick(random, kTypes)));
    program.push_back(program[program.size() - 2]);
  }
  bench.run(program);
  bench.compare_psum();
}

}  // namespace tern::tb
