// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "tb/common/seed.h"
#include "tb/core/bench/core_bench.h"

using namespace tern;
using namespace tern::tb;
using sc_core::SC_NS;
using sc_core::sc_time;

namespace {

constexpr double kCycleNs = 0.5;  // tensor clock of the bench: 2 GHz
constexpr unsigned kRows = 128;

// Small integers are exact in BF16, and so are their sums of products in FP32: no rounding in this
// test.
std::uint16_t bf16(int value) {
  const float f = static_cast<float>(value);
  std::uint32_t bits;
  std::memcpy(&bits, &f, 4);
  REQUIRE((bits & 0xFFFF) == 0);
  return static_cast<std::uint16_t>(bits >> 16);
}

struct Matrix {
  unsigned rows, cols;
  std::vector<int> values;
  int at(unsigned r, unsigned c) const { return values[r * cols + c]; }
};

Matrix random_matrix(unsigned rows, unsigned cols, std::mt19937_64& random) {
  Matrix m{rows, cols, std::vector<int>(rows * cols)};
  for (int& v : m.values) v = static_cast<int>(random() % 33) - 16;
  return m;
}

void place_matrix(CoreBench& bench, const Matrix& m, unsigned partition, std::uint32_t byte) {
  for (unsigned r = 0; r < m.rows; ++r) {
    std::vector<std::uint16_t> row(m.cols);
    for (unsigned c = 0; c < m.cols; ++c) row[c] = bf16(m.at(r, c));
    bench.poke(partition + r, byte, row);
  }
}

std::vector<float> product_row(const Matrix& w, const Matrix& x, unsigned m) {
  std::vector<float> row(x.cols);
  for (unsigned n = 0; n < x.cols; ++n) {
    int sum = 0;
    for (unsigned k = 0; k < w.rows; ++k) sum += w.at(k, m) * x.at(k, n);
    row[n] = static_cast<float>(sum);
  }
  return row;
}

sc_time cycles(std::uint64_t n) {
  return sc_time(static_cast<double>(n) * kCycleNs, SC_NS);
}

}  // namespace

TEST_CASE("tensor queue: a product, its accumulation, and their exact times") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    constexpr unsigned kM = 100, kN = 300;
    const Matrix w = random_matrix(128, kM, random), x = random_matrix(128, kN, random);
    place_matrix(bench, w, 0, 0);
    place_matrix(bench, x, 0, 4096);
    const auto load = load_stationary(ap(place(0, 0), kM), 128, kM);
    const auto multiply =
        multiply_moving(ap(place(0, 4096), kN), ap(place(0, 2048 + 40, kPsum), kN), 128, kM);
    auto again = multiply;
    again.multiply_moving.accumulate = 1;
    wait(sc_time(1000, SC_NS) - sc_core::sc_time_stamp());
    bench.start(TERN_QUEUE_TENSOR,
                {updates(load, TERN_UPD_OP_INC, 0), updates(multiply, TERN_UPD_OP_INC, 1),
                 updates(again, TERN_UPD_OP_INC, 2), halt()});

    // The recurrences of rtl/tensor/README.md by hand, in cycles after the first push (a = 0).
    // load: issues at 1, complete at 1 + ceil(M/4) + R. multiply: pushed at 1, issues at 1 +
    // ceil(M/4) + 1.
    constexpr unsigned kL = kM / 4;
    const std::uint64_t load_done = 1 + kL + kRows;
    const std::uint64_t issue = 1 + kL + 1;
    const std::uint64_t first_done = issue + kN + kRows + 2;
    const std::uint64_t second_done = issue + kN + kN + kRows + 2;
    const sc_time begin(1150, SC_NS);
    CHECK(bench.when(0, 1) == begin + cycles(load_done));
    CHECK(bench.when(1, 1) == begin + cycles(first_done));
    CHECK(bench.when(2, 1) == begin + cycles(second_done));
    REQUIRE(bench.finish() == TERN_ERROR_NONE);

    for (unsigned m = 0; m < kM; ++m) {
      std::vector<float> expected = product_row(w, x, m);
      for (float& v : expected) v *= 2;
      REQUIRE(bench.peek_psum(m, 512 + 10, kN) == expected);
    }
    const TensorActivity& counters = bench.core.tensor_counters();
    CHECK(counters.load_stationary == 1);
    CHECK(counters.multiply_moving == 2);
    CHECK(counters.columns == 2 * kN);
    CHECK(counters.macs == std::uint64_t{2} * kN * 128 * kM);
    CHECK(counters.last_cycle - counters.first_cycle == second_done);
    CHECK(counters.busy_cycles == second_done);
    CHECK(counters.utilisation() == Approx(2.0 * kN / static_cast<double>(second_done)));
  });
}

TEST_CASE("tensor queue: a waiting instruction does not hold up the completion of earlier ones") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    const auto load = load_stationary(ap(place(0, 0), 128), 128, 128);
    const auto multiply =
        multiply_moving(ap(place(0, 512), 512), ap(place(0, 0, kPsum), 512), 128, 128);
    bench.start(TERN_QUEUE_TENSOR,
                {updates(load, TERN_UPD_OP_INC, 0), updates(multiply, TERN_UPD_OP_INC, 1),
                 waits(updates(nop(), TERN_UPD_OP_INC, 2), TERN_WAIT_COND_EQ, 9, 1),
                 waits(updates(multiply, TERN_UPD_OP_INC, 3), TERN_WAIT_COND_EQ, 1, 1), halt()});
    const sc_time done = bench.when(1, 1);
    CHECK(done == sc_time(150, SC_NS) + cycles(1 + 32 + 1 + 512 + 128 + 2));
    CHECK(bench.semaphore(2) == 0);
    wait(sc_time(1, sc_core::SC_US));
    bench.set_semaphore(9, 1);
    const sc_time released = sc_core::sc_time_stamp();
    CHECK(bench.when(2, 1) - released <= cycles(2));
    REQUIRE(bench.finish() == TERN_ERROR_NONE);
    CHECK(bench.semaphore(3) == 1);
  });
}

TEST_CASE("tensor queue: a nop completes after the instructions before it") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    const auto load = load_stationary(ap(place(0, 0), 128), 128, 128);
    bench.start(TERN_QUEUE_TENSOR,
                {updates(load, TERN_UPD_OP_INC, 0), updates(nop(), TERN_UPD_OP_INC, 0),
                 updates(load, TERN_UPD_OP_INC, 0), halt()});
    const sc_time first = sc_time(150, SC_NS) + cycles(1 + 32 + 128);
    CHECK(bench.when(0, 2) == first);  // both in the same cycle
    CHECK(bench.when(0, 3) == first + cycles(32));
    REQUIRE(bench.finish() == TERN_ERROR_NONE);
  });
}

TEST_CASE("tensor queue: back-to-back products keep the array busy") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    const auto load = load_stationary(ap(place(0, 0), 128), 128, 128);
    const auto multiply =
        multiply_moving(ap(place(0, 512), 512), ap(place(0, 0, kPsum), 512), 128, 128);
    Program program;
    constexpr unsigned kPairs = 100;  // more than the engine's command queue and a fetch block hold
    for (unsigned i = 0; i < kPairs; ++i) {
      program.push_back(load);
      program.push_back(multiply);
    }
    program.push_back(halt());
    bench.start(TERN_QUEUE_TENSOR, program);
    REQUIRE(bench.finish() == TERN_ERROR_NONE);
    const TensorActivity& counters = bench.core.tensor_counters();
    // Every load except the first is hidden by the multiply before it.
    CHECK(counters.last_cycle - counters.first_cycle == 1 + 32 + 1 + kPairs * 512 + 128 + 2);
    CHECK(counters.utilisation() > 0.99);
  });
}

TEST_CASE("tensor queue: tiles at every start partition") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    struct Tile {
      unsigned start, k;
    };
    for (const Tile tile : {Tile{0, 128}, Tile{0, 65}, Tile{0, 64}, Tile{64, 64}, Tile{64, 33},
                            Tile{0, 1}, Tile{32, 32}, Tile{64, 17}, Tile{96, 32}, Tile{96, 1}}) {
      const unsigned m = 1 + static_cast<unsigned>(random() % 128),
                     n = 1 + static_cast<unsigned>(random() % 200);
      const Matrix w = random_matrix(tile.k, m, random), x = random_matrix(tile.k, n, random);
      place_matrix(bench, w, tile.start, 0);
      place_matrix(bench, x, tile.start, 4096);
      bench.execute(TERN_QUEUE_TENSOR, {load_stationary(ap(place(tile.start, 0), m), tile.k, m),
                                        multiply_moving(ap(place(tile.start, 4096), n),
                                                        ap(place(0, 0, kPsum), n), tile.k, m)});
      for (unsigned lane = 0; lane < m; ++lane)
        REQUIRE(bench.peek_psum(lane, 0, n) == product_row(w, x, lane));
    }
  });
}

TEST_CASE("tensor queue: two-dimensional and reversed moving patterns") {
  CoreBench bench;
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    const Matrix w = random_matrix(16, 8, random), x = random_matrix(16, 64, random);
    place_matrix(bench, w, 0, 0);
    place_matrix(bench, x, 0, 1024);
    Matrix picked{16, 15, std::vector<int>(16 * 15)};
    for (unsigned r = 0; r < 16; ++r) {
      for (unsigned i1 = 0; i1 < 3; ++i1) {
        for (unsigned i0 = 0; i0 < 5; ++i0)
          picked.values[r * 15 + i1 * 5 + i0] = x.at(r, 40 - 2 * i0 + 7 * i1);
      }
    }
    bench.execute(TERN_QUEUE_TENSOR, {load_stationary(ap(place(0, 0), 8), 16, 8),
                                      multiply_moving(ap(place(0, 1024 + 80), 5, -2, 3, 7),
                                                      ap(place(0, 2048 * 7, kPsum), 15), 16, 8)});
    for (unsigned lane = 0; lane < 8; ++lane)
      REQUIRE(bench.peek_psum(lane, 7 * 512, 15) == product_row(w, picked, lane));
  });
}
