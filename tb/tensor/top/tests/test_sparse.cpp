// SPDX-License-Identifier: Apache-2.0
// Structured sparsity: positions, planes, what contributes nothing.
#include <catch2/catch.hpp>
#include <cmath>

#include "tb/common/seed.h"
#include "tb/tensor/top/bench/operands.h"
#include "tb/tensor/top/bench/tensor_bench.h"

namespace tern::tb {
namespace {

constexpr unsigned kRows = 32, kCols = 16;
constexpr unsigned kLoadAt = 0, kTagsAt = 256, kMoveAt = 1024, kPlane = 512;

struct SparseProbe {
  SparseProbe(TensorBench& b, unsigned s, unsigned rows = kRows) : bench(b) {
    load = bench.load(0, rows, kCols, kLoadAt);
    load.mode = TensorMode::kSparse;
    load.sparsity = static_cast<TensorSparsity>(s);
    load.aux_address = kTagsAt;
    move = bench.move(load, 16, kMoveAt, 0, 0);
    move.plane = kPlane;
  }
  void tag(unsigned r, unsigned lane, unsigned position) {
    const unsigned at = kTagsAt + 2 * (lane / 4), shift = 4 * (lane % 4);
    const unsigned old = bench.sbuf().read(r, at, 2);
    bench.sbuf().write(r, at, 2, (old & ~(15u << shift)) | position << shift);
  }
  void weight(unsigned r, unsigned lane, std::uint32_t bits) {
    bench.sbuf().write(r, kLoadAt + 2 * lane, 2, bits);
  }
  // Moving element k of a column.
  void moving(unsigned k, unsigned column, std::uint32_t bits) {
    const unsigned planes = pattern_of(load.sparsity).planes();
    bench.sbuf().write(k / planes, kMoveAt + kPlane * (k % planes) + 2 * column, 2, bits);
  }
  void random_tags(Random& random, bool ordered) {
    const Pattern pattern = pattern_of(load.sparsity);
    for (unsigned lane = 0; lane < kCols; ++lane) {
      unsigned position = 0;
      for (unsigned r = 0; r < load.rows; ++r) {
        if (r % pattern.kept == 0) position = 0;
        const unsigned left = pattern.kept - r % pattern.kept;
        position =
            ordered ? between(random, position, pattern.of - left) : below(random, pattern.of);
        tag(r, lane, position++);
      }
    }
  }
  TensorBench& bench;
  TensorCommand load, move;
};

}  // namespace

TEST_CASE("tiny: sparse: every position of every pattern, every row") {
  TensorBench bench("tiny");
  for (unsigned s = 0; s < 7; ++s) {
    SparseProbe probe(bench, s);
    const Pattern pattern = pattern_of(probe.load.sparsity);
    // Moving element k is k + 1 in column 0; the weight of one row is 1, so the sum shows which one
    // was chosen.
    for (unsigned r = 0; r < kRows; ++r) {
      for (unsigned lane = 0; lane < kCols; ++lane) probe.weight(r, lane, 0);
    }
    for (unsigned k = 0; k < kRows * pattern.planes(); ++k)
      probe.moving(k, 0, bits_of(static_cast<float>(k + 1)) >> 16);
    probe.move.num0 = 1;
    for (unsigned r = 0; r < kRows; ++r) {
      for (unsigned lane = 0; lane < kCols; ++lane) {
        probe.weight(r, lane, 0x3F80);
        if (r > 0) probe.weight(r - 1, lane, 0);
        for (unsigned row = 0; row < kRows; ++row) probe.tag(row, lane, (lane + row) % pattern.of);
      }
      bench.run({probe.load, probe.move});
      for (unsigned lane = 0; lane < kCols; ++lane) {
        const unsigned k = pattern.of * (r / pattern.kept) + (lane + r) % pattern.of;
        REQUIRE(float_of(bench.reference().psum(lane, 0)) == static_cast<float>(k + 1));
      }
    }
  }
}

TEST_CASE("tiny: sparse: what is not kept contributes nothing, not even against NaN") {
  TensorBench bench("tiny");
  Random random(test_seed());
  for (unsigned s = 0; s < 7; ++s) {
    SparseProbe probe(bench, s);
    const Pattern pattern = pattern_of(probe.load.sparsity);
    for (unsigned r = 0; r < kRows; ++r) {
      for (unsigned lane = 0; lane < kCols; ++lane) {
        probe.weight(r, lane, random_element(random, TensorType::kBf16, Spread::kNearOne));
        probe.tag(r, lane, r % pattern.kept);
      }
    }
    // Kept: the first of each group; the others are NaN and infinite.
    for (unsigned k = 0; k < kRows * pattern.planes(); ++k) {
      for (unsigned n = 0; n < 16; ++n) {
        const bool kept = k % pattern.of < pattern.kept;
        probe.moving(k, n,
                     kept         ? random_element(random, TensorType::kBf16, Spread::kNearOne)
                     : k % 2 != 0 ? 0x7FC0
                                  : 0xFF80);
      }
    }
    bench.run({probe.load, probe.move});
    for (unsigned lane = 0; lane < kCols; ++lane)
      REQUIRE(std::isfinite(float_of(bench.reference().psum(lane, 3))));
    // A kept zero is multiplied like any other value.
    probe.weight(kRows - pattern.kept, 2, 0x0000);
    probe.tag(kRows - pattern.kept, 2, pattern.of - 1);
    bench.run({probe.load, probe.move});
    REQUIRE(std::isnan(float_of(bench.reference().psum(2, 3))));
  }
}

TEST_CASE("tiny: sparse: positions outside the pattern are reported and contribute nothing") {
  TensorBench bench("tiny");
  Random random(test_seed());
  for (unsigned s = 1; s < 7; ++s) {
    SparseProbe probe(bench, s);
    const Pattern pattern = pattern_of(probe.load.sparsity);
    for (unsigned r = 0; r < kRows; ++r) {
      for (unsigned i = 0; i < 4096; i += 2) {
        bench.sbuf().set(r, i, random_element(random, TensorType::kBf16, Spread::kNearOne));
      }
    }
    for (const unsigned row : {0u, 1u, 17u, 31u}) {
      for (const unsigned lane : {0u, 3u, 6u, 15u}) {
        for (const unsigned position : {pattern.of, 15u}) {
          probe.random_tags(random, true);
          REQUIRE(bench.run_one(probe.load).code == TensorStatusCode::kOk);
          probe.tag(row, lane, position);
          const auto statuses = bench.run({probe.load, probe.move});
          REQUIRE(statuses[0].code == TensorStatusCode::kBadTag);
          REQUIRE(statuses[1].code == TensorStatusCode::kOk);
        }
      }
    }
    // Columns and rows outside the tile may hold anything.
    probe.random_tags(random, true);
    probe.load.cols = probe.load.num0 = probe.move.cols = 14;
    probe.load.rows = probe.move.rows = 28;
    for (unsigned r = 0; r < kRows; ++r) {
      probe.tag(r, 14, 15);
      probe.tag(r, 15, 15);
      if (r >= 28) probe.tag(r, 0, 15);
    }
    REQUIRE(bench.run_one(probe.load).code == TensorStatusCode::kOk);
    bench.run_one(probe.move);
  }
}

TEST_CASE("tiny: sparse: random tiles, formats, orders and planes") {
  TensorBench bench("tiny");
  Random random(test_seed());
  for (int round = 0; round < 250; ++round) {
    const unsigned s = below(random, 7);
    const unsigned grain = pattern_of(static_cast<TensorSparsity>(s)).kept;
    SparseProbe probe(bench, s);
    for (TensorCommand* c : {&probe.load, &probe.move})
      c->type = below(random, 2) != 0 ? TensorType::kBf16 : TensorType::kFp16;
    const auto spread = static_cast<Spread>(round % 4 == 3 ? 2 : round % 2);
    for (unsigned r = 0; r < kRows; ++r) {
      for (unsigned i = 0; i < kTagsAt; i += 2)
        bench.sbuf().set(r, i, random_element(random, probe.load.type, spread));
      for (unsigned i = kMoveAt; i < kMoveAt + 4 * kPlane; i += 2)
        bench.sbuf().set(r, i, random_element(random, probe.move.type, spread));
    }
    probe.load.row_start = probe.move.row_start = 8 * below(random, 4);
    const unsigned room = (kRows - probe.load.row_start) / grain;
    probe.load.rows = probe.move.rows = grain * between(random, 1, room);
    probe.load.cols = probe.move.cols = between(random, 1, kCols);
    probe.load.num0 = probe.load.cols;
    for (unsigned r = 0; r < kRows; ++r) {
      for (unsigned lane = 0; lane < kCols; ++lane)
        probe.tag(r, lane, below(random, pattern_of(probe.load.sparsity).of));
    }
    probe.move.num0 = between(random, 1, 16);
    probe.move.accumulate = below(random, 2) != 0;
    TensorCommand backwards = probe.move;
    backwards.plane = -static_cast<int>(kPlane / 2);
    backwards.sbuf_address = kMoveAt + 3 * kPlane / 2;
    bench.run({probe.load, probe.move, backwards, probe.move});
  }
  bench.compare_psum();
}

}  // namespace tern::tb
