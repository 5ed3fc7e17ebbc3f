// SPDX-License-Identifier: Apache-2.0
// Stochastic rounding and the state of its generators.
#include <catch2/catch.hpp>
#include <cmath>

#include "tb/common/seed.h"
#include "tb/tensor/psum/random_stream.h"

using namespace tern::tb;

namespace {

constexpr unsigned kState = kBanks;

Stream stochastic(std::uint32_t value, unsigned count) {
  Stream stream;
  stream.destination.half = stream.destination.stochastic = true;
  stream.destination.count = count;
  Row row;
  row.fill(value);
  stream.columns.assign(count, {row, row, row, row});
  return stream;
}

void run(PsumBench& bench, const Stream& stream) {
  bench.start(stream);
  bench.drain();
}

std::array<Row, 6> state(PsumBench& bench) {
  std::array<Row, 6> words;
  for (unsigned i = 0; i < 6; ++i) words[i] = bench.read(kState, i);
  return words;
}

}  // namespace

TEST_CASE("psum random: the generator gives the published sequence") {
  // Marsaglia, Xorshift RNGs (2003), with the seeds of its xorwow().
  constexpr std::array<std::uint32_t, 6> kSeeds = {123456789, 362436069, 521288629,
                                                   88675123,  5783321,   6615241};
  constexpr std::array<std::uint32_t, 5> kDraws = {246875399, 3690007200, 1264581005, 3906711041,
                                                   1866187943};
  PsumBench bench;
  for (unsigned i = 0; i < 6; ++i) {
    Row row;
    row.fill(kSeeds[i]);
    bench.write(kState, i, row);
  }
  for (std::uint32_t draw : kDraws) {
    run(bench, stochastic(0x3F800000, 1));
    const std::array<Row, 6> words = state(bench);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      REQUIRE(words[4][lane] + words[5][lane] == draw);
    }
  }
}

TEST_CASE("psum random: the state after reset") {
  PsumBench bench;
  const std::array<Row, 6> words = state(bench);  // compared with the reference
  CHECK(words[0][0] == 0x514E28B7);               // mix(1)
  CHECK(words[5][7] != words[4][7]);
}

TEST_CASE("psum random: exact values, infinities and NaN never move") {
  PsumBench bench;
  for (std::uint32_t upper :
       {0x0000U, 0x8000U, 0x0001U, 0x3F80U, 0x3F81U, 0x7F7FU, 0xFF7FU, 0x7F80U, 0xFF80U, 0x7FC0U}) {
    run(bench, stochastic(upper << 16, 2 * kBankColumns));
    for (unsigned column = 0; column < kBankColumns; ++column) {
      for (std::uint32_t word : bench.read(0, column)) REQUIRE(word == (upper << 16 | upper));
    }
  }
  run(bench, stochastic(0x7F800001, 1));
  CHECK((bench.read(0, 0)[0] & 0xFFFF) == 0x7FC0);
}

TEST_CASE("psum random: values above the largest BF16 may become infinite") {
  PsumBench bench;
  run(bench, stochastic(0x7F7F8000, 64));
  unsigned infinite = 0;
  for (unsigned column = 0; column < kBankColumns; ++column) {
    for (std::uint32_t word : bench.read(1, column)) infinite += (word & 0xFFFF) == 0x7F80 ? 1 : 0;
  }
  CHECK(infinite > 32);
  CHECK(infinite < 96);
}

TEST_CASE("psum random: the chance to go up is the part cut") {
  PsumBench bench;
  for (unsigned cut : {0x0001U, 0x1000U, 0x4000U, 0x8000U, 0xC000U, 0xFFFFU}) {
    constexpr unsigned kRuns = 16, kElements = 2 * kBankColumns * kBanks;
    constexpr double kDraws = 1.0 * kRuns * kElements * kLanes;
    double up = 0;
    for (unsigned i = 0; i < kRuns; ++i) {
      run(bench, stochastic(0x3F800000 | cut, kElements));
      for (unsigned column = 0; column < kBanks * kBankColumns; ++column) {
        for (std::uint32_t word : bench.read(column / kBankColumns, column % kBankColumns)) {
          up += (word & 1) + (word >> 16 & 1);
        }
      }
    }
    const double p = cut / 65536.0;
    INFO("part cut " << cut << ", up " << up << " of " << kDraws);
    CHECK(std::fabs(up - p * kDraws) < 5 * std::sqrt(kDraws * p * (1 - p)) + 1);
  }
}

TEST_CASE("psum random: a restored state repeats the bits") {
  PsumBench bench;
  RandomStreams random(test_seed());
  Stream stream = stochastic(0, 1);
  random.fill(stream, 60);
  const std::array<Row, 6> saved = state(bench);
  std::vector<Row> first;
  run(bench, stream);
  for (unsigned column = 0; column < 30; ++column)
    first.push_back(bench.read(column / 16, column % 16));
  const std::array<Row, 6> after = state(bench);
  CHECK(after != saved);
  run(bench, stream);
  bool same = true;
  for (unsigned column = 0; column < 30; ++column) {
    same = same && first[column] == bench.read(column / 16, column % 16);
  }
  CHECK_FALSE(same);
  for (unsigned i = 0; i < 6; ++i) bench.write(kState, i, saved[i]);
  run(bench, stream);
  for (unsigned column = 0; column < 30; ++column) {
    CHECK(first[column] == bench.read(column / 16, column % 16));
  }
  CHECK(state(bench) == after);
}

TEST_CASE("psum random: only the lanes written draw, in quad mode four times a column") {
  PsumBench bench;
  Stream stream = stochastic(0x3F801234, 5);
  stream.destination.first = 2;
  stream.destination.lanes = 3;
  stream.groups = groups_of(stream.destination);
  const std::array<Row, 6> before = state(bench);
  run(bench, stream);
  const std::array<Row, 6> after = state(bench);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const unsigned draws = lane >= 2 && lane < 5 ? 5 : 0;
    CHECK(after[5][lane] - before[5][lane] == draws * 362437);
  }
  stream = stochastic(0x3F801234, 7);
  stream.destination.quad = true;
  run(bench, stream);
  const std::array<Row, 6> last = state(bench);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    CHECK(last[5][lane] - after[5][lane] == 4 * 7 * 362437);
  }
}
