// SPDX-License-Identifier: Apache-2.0
// What is written: sums, roundings, NaN, infinities, raw bits.
#include <catch2/catch.hpp>

#include "tb/common/seed.h"
#include "tb/tensor/psum/random_stream.h"

using namespace tern::tb;

namespace {

const std::vector<std::uint32_t> kCorners = {
    0x00000000, 0x00000001, 0x00007FFF, 0x00008000, 0x00008001, 0x007FFFFF, 0x00800000, 0x00800001,
    0x3F7FFFFF, 0x3F800000, 0x3F807FFF, 0x3F808000, 0x3F808001, 0x3F818000, 0x3F81FFFF, 0x4B000000,
    0x7F7F0000, 0x7F7F7FFF, 0x7F7F8000, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000, 0x7FFFFFFF};

// Both signs.
std::vector<std::uint32_t> corners() {
  std::vector<std::uint32_t> all = kCorners;
  for (std::uint32_t word : kCorners) all.push_back(word | 0x80000000);
  return all;
}

Stream words(const Destination& destination, const std::vector<std::uint32_t>& values,
             unsigned port = 3) {
  Stream stream;
  stream.destination = destination;
  stream.port = port;
  stream.destination.count = static_cast<unsigned>(values.size());
  for (std::uint32_t value : values) {
    Row row;
    row.fill(value);
    stream.columns.push_back({row, row, row, row});
  }
  return stream;
}

void run(PsumBench& bench, const Stream& stream) {
  bench.start(stream);
  bench.drain();
}

// The 16-bit element of lane 0.
unsigned half_at(PsumBench& bench, unsigned element) {
  return bench.read(element / 2 / kBankColumns, element / 2 % kBankColumns)[0] >>
             (element % 2 * 16) &
         0xFFFF;
}

}  // namespace

TEST_CASE("psum values: FP32 overwrites keep every bit but those of a NaN") {
  PsumBench bench;
  run(bench, words({}, corners()));
  CHECK(bench.read(0, 1)[0] == 1);
  CHECK(bench.read(1, 5)[0] == kFp32Nan);  // 0x7F800001
  CHECK(bench.read(1, 8)[0] == 0x80000000);
  bench.check_all_memory();
}

TEST_CASE("psum values: FP32 sums of all pairs of corners") {
  PsumBench bench;
  Destination accumulate;
  accumulate.accumulate = true;
  for (std::uint32_t first : corners()) {
    run(bench, words({}, std::vector<std::uint32_t>(corners().size(), first)));
    run(bench, words(accumulate, corners()));
  }
  CHECK(reference_add(0x7F7FFFFF, 0x7F7FFFFF) == 0x7F800000);
  CHECK(reference_add(0x7F800000, 0xFF800000) == kFp32Nan);
  CHECK(reference_add(0x3F800000, 0xBF800000) == 0);
  CHECK(reference_add(0x80000000, 0x80000000) == 0x80000000);
}

TEST_CASE("psum values: BF16 rounds to nearest even at every decision point") {
  PsumBench bench;
  Destination half;
  half.half = true;
  std::vector<std::uint32_t> values;
  for (unsigned upper :
       {0x0000U, 0x0001U, 0x007FU, 0x0080U, 0x3F80U, 0x3F81U, 0x3FFFU, 0x7F7EU, 0x7F7FU, 0x7F80U}) {
    for (unsigned lower : {0x0000U, 0x0001U, 0x7FFFU, 0x8000U, 0x8001U, 0xFFFFU}) {
      values.push_back(upper << 16 | lower);
      values.push_back(0x80000000 | upper << 16 | lower);
    }
  }
  run(bench, words(half, values));
  bench.check_all_memory();
  CHECK(reference_bf16(0x3F808000) == 0x3F80);
  CHECK(reference_bf16(0x3F818000) == 0x3F82);
  CHECK(reference_bf16(0x7F7F7FFF) == 0x7F7F);
  CHECK(reference_bf16(0xFF7F8000) == 0xFF80);
  CHECK(reference_bf16(0x7F800001) == 0x7FC0);
  CHECK(reference_bf16(0x00008000) == 0);
  CHECK(reference_bf16(0x80018000) == 0x8002);
}

TEST_CASE("psum values: a BF16 sum is rounded twice") {
  // 1 + 2^-8 + 2^-30: FP32 drops the last part, so BF16 has a tie and rounds to even. One rounding
  // would go up.
  PsumBench bench;
  Destination half;
  half.half = true;
  run(bench, words(half, {0x3F800000}));
  half.accumulate = true;
  run(bench, words(half, {0x3B800002}));
  CHECK(half_at(bench, 0) == 0x3F80);
}

TEST_CASE("psum values: BF16 sums of corners and random numbers") {
  PsumBench bench;
  RandomStreams random(test_seed());
  Destination overwrite, accumulate;
  overwrite.half = accumulate.half = accumulate.accumulate = true;
  for (unsigned i = 0; i < 200; ++i) {
    std::vector<std::uint32_t> first, second;
    for (unsigned n = 0; n < 48; ++n) {
      const std::vector<std::uint32_t> all = corners();
      first.push_back(i % 2 == 0 ? random.value() : all[random.below(48)]);
      second.push_back(i % 3 == 0 ? random.value() : all[random.below(48)]);
    }
    overwrite.column = accumulate.column = i % 5;
    run(bench, words(overwrite, first, i % 4));
    run(bench, words(accumulate, second, i % 4));
  }
  bench.check_all_memory();
}

TEST_CASE("psum values: transposes keep every bit") {
  PsumBench bench;
  Destination raw;
  raw.raw = true;
  run(bench, words(raw, corners(), kRawPort));
  CHECK(bench.read(1, 5)[3] == 0x7F800001);
  raw.half = true;
  raw.bank = 4;
  raw.column = 3;
  run(bench, words(raw, {0x7F81, 0xFFC1, 0x00AB, 0x8000}, kRawPort));
  CHECK(bench.read(4, 1)[0] >> 16 == 0x7F81);
  CHECK(bench.read(4, 2)[7] == 0x00ABFFC1);
  bench.check_all_memory();
}

TEST_CASE("psum values: other lanes and the other half stay") {
  PsumBench bench;
  Destination d;
  run(bench, words(d, {0x11112222, 0x33334444}));
  d.half = true;
  d.first = 2;
  d.lanes = 3;
  d.column = 1;
  Stream stream = words(d, {0x3F800000, 0x40000000});
  stream.groups = groups_of(d);
  CHECK(stream.groups == 0x6);
  run(bench, stream);
  const Row even = bench.read(0, 0), odd = bench.read(0, 1);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const bool inside = lane >= 2 && lane < 5;
    CHECK(even[lane] == (inside ? 0x3F802222U : 0x11112222U));
    CHECK(odd[lane] == (inside ? 0x33334000U : 0x33334444U));
  }
}
