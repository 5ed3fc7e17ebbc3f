// SPDX-License-Identifier: Apache-2.0
// Tiles, access patterns, PSUM destinations and every error code.
#include <catch2/catch.hpp>

#include "tb/common/seed.h"
#include "tb/tensor/operands.h"
#include "tb/tensor/tensor_bench.h"

namespace tern::tb {
namespace {

void fill(TensorBench& bench, Random& random, unsigned bytes = 4096) {
  for (unsigned r = 0; r < bench.shape().rows; ++r) {
    for (unsigned address = 0; address < bytes; address += 2) {
      bench.sbuf().set(r, address, random_element(random, TensorType::kBf16, Spread::kNearOne));
    }
  }
}

TensorStatusCode code_of(TensorBench& bench, const TensorCommand& command) {
  return bench.run({command}).front().code;
}

}  // namespace

TEST_CASE("tiny: every tile shape: rows, row start, columns, moving columns") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random);
  for (unsigned start = 0; start < 8; start += 2) {
    for (unsigned rows = 1; rows + start <= 8; ++rows) {
      for (unsigned cols = 1; cols <= 8; ++cols) {
        // Lanes beyond the tile must keep what they hold.
        bench.write_psum(0, 8, 0, 16, [&](unsigned, unsigned) { return random_binary32(random); });
        const TensorCommand load = bench.load(start, rows, cols, 8 * below(random, 64));
        bench.run({load, bench.move(load, between(random, 1, 16), 2 * below(random, 1024), 0, 0,
                                    cols % 2 != 0)});
      }
    }
  }
  bench.compare_psum();
}

TEST_CASE("tiny: moving patterns: strides, two dimensions, backwards, broadcast") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random);
  const TensorCommand load = bench.load(0, 8, 8, 64);
  bench.run({load, bench.move(load, 16, 200, 0, 0)});
  struct Pattern {
    unsigned num0;
    int step0;
    unsigned num1;
    int step1;
  };
  const Pattern patterns[] = {{16, 1, 1, 0},  {8, 2, 1, 0},  {4, 1, 4, 32}, {4, 3, 2, -5},
                              {16, -1, 1, 0}, {1, 0, 16, 7}, {5, 0, 3, 1},  {3, 17, 5, 2},
                              {2, -9, 7, 4},  {1, 1, 1, 1},  {16, 0, 1, 0}, {4, -1, 4, -16}};
  for (const Pattern& p : patterns) {
    TensorCommand move = bench.move(load, 1, 2000, 2, 0);
    move.num0 = p.num0;
    move.step0 = p.step0;
    move.num1 = p.num1;
    move.step1 = p.step1;
    REQUIRE(bench.run({move}).front().code == TensorStatusCode::kOk);
  }
  bench.compare_psum();
}

TEST_CASE("tiny: the highest and the lowest address of a partition") {
  TensorBench bench("tiny");
  const unsigned end = bench.shape().sbuf_bytes;
  Random random(test_seed());
  for (unsigned r = 0; r < 8; ++r) {
    for (unsigned i = 0; i < 16; ++i) {
      bench.sbuf().set(r, end - 32 + 2 * i,
                       random_element(random, TensorType::kBf16, Spread::kNearOne));
      bench.sbuf().set(r, 2 * i, random_element(random, TensorType::kBf16, Spread::kNearOne));
    }
  }
  TensorCommand load = bench.load(0, 8, 8, end - 16);
  TensorCommand move = bench.move(load, 16, end - 32, 7, 0);
  TensorCommand backwards = bench.move(load, 16, end - 2, 6, 0);
  backwards.step0 = -1;
  TensorCommand to_zero = bench.move(load, 16, 30, 5, 0);
  to_zero.step0 = -1;
  TensorCommand across = bench.move(load, 1, end - 2, 4, 0);
  across.num0 = 5;
  across.step0 = -32767;
  for (const auto& status : bench.run({load, move, backwards, to_zero, across})) {
    REQUIRE(status.code == TensorStatusCode::kOk);
  }
}

TEST_CASE("tiny: every error code, and what a rejected command leaves alone") {
  TensorBench bench("tiny");
  Random random(test_seed());
  fill(bench, random);
  const unsigned end = bench.shape().sbuf_bytes;
  const TensorCommand load = bench.load(2, 4, 6, 0);
  const TensorCommand move = bench.move(load, 8, 256, 1, 2);

  SECTION("no stationary yet") {
    REQUIRE(code_of(bench, move) == TensorStatusCode::kNoStationary);
  }
  SECTION("bad operation") {
    auto c = load;
    c.op = static_cast<TensorOp>(GENERATE(2, 3, 15, 200));
    REQUIRE(code_of(bench, c) == TensorStatusCode::kBadOperation);
    c = load;
    c.type = static_cast<TensorType>(GENERATE(0, 3, 5, 8, 10, 15, 22));
    REQUIRE(code_of(bench, c) == TensorStatusCode::kBadOperation);
  }
  SECTION("bad tile") {
    const auto [start, rows, cols] = GENERATE(table<unsigned, unsigned, unsigned>({{0, 0, 1},
                                                                                   {0, 9, 1},
                                                                                   {2, 7, 1},
                                                                                   {8, 1, 1},
                                                                                   {1, 1, 1},
                                                                                   {3, 2, 1},
                                                                                   {0, 1, 0},
                                                                                   {0, 1, 9},
                                                                                   {0, 256, 1},
                                                                                   {0, 1, 300},
                                                                                   {1000, 1, 1},
                                                                                   {254, 4, 1}}));
    auto c = load;
    c.row_start = start;
    c.rows = rows;
    c.cols = cols;
    REQUIRE(code_of(bench, c) == TensorStatusCode::kBadTile);
    c.op = TensorOp::kMultiplyMoving;
    REQUIRE(code_of(bench, c) == TensorStatusCode::kBadTile);
  }
  SECTION("bad moving") {
    const auto [num0, num1] = GENERATE(table<unsigned, unsigned>({{0, 1},
                                                                  {1, 0},
                                                                  {17, 1},
                                                                  {1, 17},
                                                                  {4, 5},
                                                                  {65536, 65536},
                                                                  {256, 256},
                                                                  {65535, 65535},
                                                                  {70000, 0}}));
    auto c = move;
    c.num0 = num0;
    c.num1 = num1;
    c.step0 = 0;
    REQUIRE(code_of(bench, c) == TensorStatusCode::kBadMoving);
  }
  SECTION("bad psum") {
    const auto [bank, column] = GENERATE(table<unsigned, unsigned>(
        {{8, 0}, {200, 0}, {127, 0}, {0, 9}, {7, 16}, {0, 65535}, {0, 100000}}));
    auto c = move;
    c.psum_bank = bank;
    c.psum_column = column;
    REQUIRE(code_of(bench, c) == TensorStatusCode::kBadPsum);
  }
  SECTION("bad alignment") {
    auto c = load;
    c.sbuf_address = GENERATE(1, 2, 4, 6, 7, 12);
    REQUIRE(code_of(bench, c) == TensorStatusCode::kBadAlignment);
    c = move;
    c.sbuf_address = 257;
    REQUIRE(code_of(bench, c) == TensorStatusCode::kBadAlignment);
  }
  SECTION("stationary of another shape") {
    bench.run({load});
    auto c = move;
    const int which = GENERATE(0, 1, 2);
    if (which == 0) c.row_start = 4;
    if (which == 1) c.rows = 3;
    if (which == 2) c.cols = 5;
    REQUIRE(code_of(bench, c) == TensorStatusCode::kNoStationary);
    // The loaded weights still wait for their MultiplyMoving.
    REQUIRE(code_of(bench, move) == TensorStatusCode::kOk);
  }
  SECTION("bad address") {
    auto c = load;
    for (const unsigned address : {end, end - 8, end + 16, 0x80000000u, 0xFFFFFFF8u}) {
      c.sbuf_address = address;
      INFO("address " << address);
      REQUIRE(code_of(bench, c) == TensorStatusCode::kBadAddress);
    }
    bench.run({load});
    c = move;
    c.psum_column = 0;
    struct Bad {
      unsigned address, num0;
      int step0;
      unsigned num1;
      int step1;
    };
    const Bad cases[] = {
        {end, 1, 1, 1, 0},         {end - 14, 8, 1, 1, 0},    {0, 2, -1, 1, 0},
        {end - 2, 1, 0, 2, 1},     {0, 1, 0, 2, -1},          {16, 5, 32767, 3, 0},
        {0x80000000u, 1, 0, 1, 0}, {0xFFFFFFFEu, 1, 0, 1, 0}, {0xFFFFFFFEu, 2, 1, 1, 0},
        {10, 2, -8, 2, 4},         {end - 10, 2, 8, 2, -2},   {100, 3, 32767, 5, 32767},
        {20, 2, -8, 2, -4},        {end - 20, 2, 8, 2, 4}};
    for (const Bad& bad : cases) {
      c.sbuf_address = bad.address;
      c.num0 = bad.num0;
      c.step0 = bad.step0;
      c.num1 = bad.num1;
      c.step1 = bad.step1;
      INFO(bad.address << " " << bad.num0 << " " << bad.step0 << " " << bad.num1 << " "
                       << bad.step1);
      REQUIRE(code_of(bench, c) == TensorStatusCode::kBadAddress);
    }
  }
  // Whatever was refused, the next program works and PSUM holds nothing else.
  bench.run({load, move});
  bench.compare_psum();
}

TEST_CASE("tiny: of several violations the smallest code is reported") {
  TensorBench bench("tiny");
  TensorCommand c = bench.load(0, 8, 8, 0);
  c = bench.move(c, 8, 0, 0, 0);
  c.sbuf_address = 0x80000000u;
  REQUIRE(code_of(bench, c) == TensorStatusCode::kNoStationary);
  c.sbuf_address |= 1;
  REQUIRE(code_of(bench, c) == TensorStatusCode::kBadAlignment);
  c.psum_bank = 8;
  REQUIRE(code_of(bench, c) == TensorStatusCode::kBadPsum);
  c.num1 = 0;
  REQUIRE(code_of(bench, c) == TensorStatusCode::kBadMoving);
  c.rows = 0;
  REQUIRE(code_of(bench, c) == TensorStatusCode::kBadTile);
  c.type = static_cast<TensorType>(3);
  REQUIRE(code_of(bench, c) == TensorStatusCode::kBadOperation);
}

TEST_CASE("a smaller SBUF partition moves the limit of addresses") {
  TestSbuf sbuf(8, 256 * 1024);
  TensorRtlOptions options;
  options.config = "tiny";
  options.sbuf = sbuf.view();
  options.sbuf_bytes = 224 * 1024;
  auto rtl = make_tensor_rtl(options);
  REQUIRE(rtl->shape().sbuf_bytes == 224 * 1024);
  const auto code = [&rtl](unsigned address) {
    TensorCommand c;
    c.rows = 8;
    c.cols = 8;
    c.sbuf_address = address;
    rtl->push(c);
    while (rtl->next_event() != TensorDatapath::kIdle) rtl->advance_to(rtl->next_event());
    TensorStatus status;
    REQUIRE(rtl->pop_status(&status));
    return status.code;
  };
  REQUIRE(code(224 * 1024 - 16) == TensorStatusCode::kOk);
  REQUIRE(code(224 * 1024 - 8) == TensorStatusCode::kBadAddress);
}

}  // namespace tern::tb
