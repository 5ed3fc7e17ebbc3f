// SPDX-License-Identifier: Apache-2.0
// Descriptor pairs as a list holds them, and as the chip gets them piece by piece.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "sw/config/load_chip_config.h"
#include "sw/kernels/matmul.h"
#include "sw/runtime/program_image.h"
#include "tb/common/seed.h"

using namespace tern;  // NOLINT: test file

namespace {

bool same(const DmaAddress& a, const DmaAddress& b) {
  return a.space == b.space && a.tensor == b.tensor && a.offset == b.offset;
}

bool same(const DescriptorPair& a, const DescriptorPair& b) {
  return same(a.source, b.source) && same(a.destination, b.destination) && a.bytes == b.bytes &&
         a.destination_bytes == b.destination_bytes && a.source_word == b.source_word &&
         a.destination_word == b.destination_word && a.first == b.first && a.last == b.last &&
         a.barrier == b.barrier;
}

// Rows of transfers with the word of their semaphore, and now and then something else.
std::vector<DescriptorPair> random_pairs(std::mt19937_64& random, std::size_t count) {
  const auto any = [&](unsigned values) { return static_cast<std::uint32_t>(random() % values); };
  std::vector<DescriptorPair> pairs;
  while (pairs.size() < count) {
    const std::uint64_t from = 64 * any(1 << 20), to = 64 * any(1 << 20);
    for (unsigned row = 0, rows = 1 + any(12); row < rows; ++row) {
      DescriptorPair pair;
      pair.source = {DmaAddress::Space::kTensor, any(2), from + 4096 * row};
      pair.destination = {DmaAddress::Space::kCore, 0, to + 0x10000 * row};
      pair.bytes = any(16) == 0 ? 64 : 256;
      pair.first = row == 0;
      pair.last = row + 1 == rows;
      pair.barrier = any(20) == 0;
      if (any(20) == 0) pair.destination_bytes = 0, pair.source_word = any(4);
      pairs.push_back(pair);
    }
    DescriptorPair word;
    word.source = {DmaAddress::Space::kValue, 0, 1};
    word.destination = {DmaAddress::Space::kCore, 0, 4 * any(32)};
    word.bytes = 4;
    pairs.push_back(word);
  }
  pairs.resize(count);
  return pairs;
}

}  // namespace

TEST_CASE("pair lists: what is put in comes out, from the front and from anywhere") {
  std::mt19937_64 random(tb::test_seed());
  for (const std::size_t count : {0u, 1u, 511u, 512u, 513u, 5000u}) {
    const std::vector<DescriptorPair> pairs = random_pairs(random, count);
    const PairList list(pairs);
    REQUIRE(list.size() == count);
    CHECK(list.empty() == (count == 0));
    std::size_t i = 0;
    bool all = true;
    for (const DescriptorPair& pair : list) all = all && same(pair, pairs[i++]);
    CHECK(all);
    CHECK(i == count);
    for (unsigned n = 0; n < 50 && count > 0; ++n) {
      std::size_t at = random() % count;
      INFO("pair " << at << " of " << count);
      CHECK(same(list[at], pairs[at]));
      for (auto pair = list.from(at); pair != list.end() && at < count; ++pair)
        all = all && same(*pair, pairs[at++]);
      CHECK(at == count);
    }
    CHECK(all);
  }
}

TEST_CASE("pair lists: changes, and lists that are added") {
  std::mt19937_64 random(tb::test_seed() + 1);
  std::vector<DescriptorPair> pairs = random_pairs(random, 1500);
  PairList list(pairs), copy = list;
  const auto change = [](std::size_t i, DescriptorPair& pair) {
    if (i % 700 == 3) pair.bytes = 12345;
  };
  list.change(change);
  list.append(copy);
  for (std::size_t i = 0; i < 1500; ++i) {
    pairs.push_back(pairs[i]);
    change(i, pairs[i]);
  }
  REQUIRE(list.size() == pairs.size());
  std::size_t i = 0;
  bool all = true;
  for (const DescriptorPair& pair : list) all = all && same(pair, pairs[i++]);
  CHECK(all);
}

// A transfer of 128 rows: eight of them on an engine, and the word of its semaphore.
TEST_CASE("pair lists: a transfer of many rows takes a few bytes a pair") {
  PairList list;
  constexpr std::size_t kTransfers = 2000;
  for (std::size_t t = 0; t < kTransfers; ++t) {
    for (unsigned row = 0; row < 8; ++row) {
      DescriptorPair pair;
      pair.source = {DmaAddress::Space::kTensor, 0, 1024 * (t % 64) + 16384 * row};
      pair.destination = {DmaAddress::Space::kCore, 0, 1024 * (t % 7) + 0x40000 * row};
      pair.bytes = 256;
      pair.first = row == 0;
      list.push_back(pair);
    }
    DescriptorPair word;
    word.source = {DmaAddress::Space::kValue, 0, 1};
    word.destination = {DmaAddress::Space::kCore, 0, 4 * (t % 32)};
    word.bytes = 4;
    list.push_back(word);
  }
  list.shrink_to_fit();
  CHECK(list.bytes() < 4 * list.size());
}

TEST_CASE("program images: any part of it is what the whole has there") {
  std::mt19937_64 random(tb::test_seed() + 2);
  kernels::MatmulSpec spec;
  spec.m = 300, spec.k = 400, spec.n = 700;
  const Executable program = kernels::build_matmul(spec, load_chip_config("trn2").chip);
  const runtime::ProgramLayout layout(program);
  const std::vector<std::uint64_t> tensors(program.tensors.size(), 0x4000'0000);
  const runtime::CorePlace core{1, 0};
  runtime::ProgramImage image(program, layout, 0x1000'0000, core, tensors);
  const std::vector<std::uint8_t> all = image.all();
  REQUIRE(all.size() == layout.bytes);
  for (unsigned n = 0; n < 2000; ++n) {
    const std::size_t at = random() % all.size();
    const std::size_t count = std::min<std::size_t>(random() % 3000, all.size() - at);
    std::vector<std::uint8_t> part(count);
    image.read(at, part.data(), count);
    INFO(count << " bytes at " << at);
    REQUIRE(std::equal(part.begin(), part.end(), all.begin() + static_cast<std::ptrdiff_t>(at)));
  }
}
