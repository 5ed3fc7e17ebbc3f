// SPDX-License-Identifier: Apache-2.0
// The exponential unit's RTL at its ports: timing, stalls, running sums.
#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "tb/common/bench_wave.h"
#include "tb/common/check_mismatch.h"
#include "tb/common/seed.h"
#include "tb/exp/exp_mismatch.h"
#include "tb/exp/exp_reference.h"
#include "tb/exp/exp_stream.h"
#include "tb/exp/exp_words.h"

using namespace tern;            // NOLINT: a test uses the names of what it tests
using namespace tern::numerics;  // NOLINT
using namespace tern::tb;        // NOLINT

namespace {

#ifdef TERN_EXP_ONE_PARTITION
constexpr unsigned kWatched = 1;  // a netlist has one, and the others repeat it
#else
constexpr unsigned kWatched = 16;  // partitions that the reference follows: MPFR takes its time
#endif

// Random words in the group's format.
void fill(GroupIn& group, std::mt19937_64& random) {
  for (auto& word : group.data) {
    word = random_word(random);
    if (group.flags.source_type == DType::kBf16) word >>= 16;
    if (group.flags.source_type == DType::kFp16) word = word >> 16 & 0xDFFF;  // below 2
  }
  for (auto& word : group.m) word = random_word(random);  // counts with the first group only
  for (auto& word : group.sums) word = random_word(random);
}

// Instructions of 1 to 9 groups, in all modes and formats.
std::vector<GroupIn> random_groups(std::mt19937_64& random, std::size_t instructions) {
  const DType types[] = {DType::kFp32, DType::kBf16, DType::kFp16};
  std::vector<GroupIn> groups;
  for (std::size_t i = 0; i < instructions; ++i) {
    GroupIn group;
    group.flags.source_type = types[random() % 3];
    group.flags.result_type = types[random() % 3];
    group.flags.sum = random() % 3 != 0;
    const bool load = group.flags.sum && random() % 2 == 0;
    const std::size_t length = 1 + random() % 9;
    for (std::size_t g = 0; g < length; ++g) {
      group.flags.first = g == 0;
      group.flags.last = g + 1 == length;
      group.flags.load = load && g == 0;
      group.flags.count = group.flags.last ? 1 + static_cast<unsigned>(random() % 4) : 4;
      fill(group, random);
      groups.push_back(group);
    }
  }
  return groups;
}

// What a lane gets with a group.
std::string input_of(const GroupIn& group, const std::vector<std::uint32_t>& m, unsigned lane) {
  std::vector<std::uint32_t> words;
  for (unsigned q = 0; q < 4; ++q) words.push_back(group.data[q * kExpPartitions + lane]);
  const ExpPipeline::Group& flags = group.flags;
  std::string text = std::string(dtype_name(flags.source_type)) + " " +
                     hex_list(words, bits_in(flags.source_type)) + ", " +
                     std::to_string(flags.count) + " of them, minus " + hex(m[lane]) + ", to " +
                     std::string(dtype_name(flags.result_type));
  if (flags.first) text += ", first";
  if (flags.last) text += ", last";
  if (flags.sum) text += ", sum";
  if (flags.load) text += ", load " + hex(group.sums[lane]);
  return text;
}

// Results and sums of every group against the reference.
MismatchLog differences(const std::vector<GroupIn>& groups, const std::vector<GroupOut>& out) {
  ExpReference reference;
  std::vector<std::uint32_t> m(kExpPartitions), acc(kExpPartitions);
  bool known = false;  // the sums: after the first load
  MismatchLog log;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const ExpPipeline::Group& flags = groups[g].flags;
    const auto at = [&](const std::string& port, unsigned p) {
      return Where{port + " of group " + std::to_string(g), input_of(groups[g], m, p), out[g].left};
    };
    if (flags.first) m = groups[g].m;
    if (flags.load) acc = groups[g].sums;
    known = known || flags.load;
    log.compare(flags.last, out[g].last, 1, [&] { return at("port last_o", 0); });
    for (unsigned p = 0; p < kWatched; ++p) {
      const std::string lane = ", lane " + std::to_string(p);
      std::uint32_t e[4] = {};
      for (unsigned q = 0; q < 4; ++q) {
        const unsigned word = q * kExpPartitions + p;
        if (q < flags.count) {
          e[q] = reference.exp(flags.source_type, groups[g].data[word], float_of(m[p]));
        }
        log.compare(ExpReference::narrow(flags.result_type, e[q]), out[g].data[word],
                    bits_in(flags.result_type),
                    [&] { return at("port data_o" + lane + ", element " + std::to_string(q), p); });
      }
      if (flags.sum) acc[p] = ExpReference::sum(acc[p], e);
      if (known) {
        log.compare(acc[p], out[g].sums[p], 32, [&] { return at("port acc_o" + lane, p); });
      }
    }
  }
  return log;
}

}  // namespace

TEST_CASE("exp rtl: a group enters every cycle and leaves eight cycles later") {
  std::mt19937_64 random(test_seed());
  std::vector<GroupIn> groups = random_groups(random, 40);
  for (auto& group : groups) group.flags.load = false;
  ExpPipeline rtl(bench_wave());
  const auto out = stream(rtl, groups);
  REQUIRE(out.size() == groups.size());
  for (std::size_t g = 0; g < out.size(); ++g) {
    CHECK(out[g].entered == g);
    CHECK(out[g].left == g + kExpLatency);
  }
  CHECK_NO_MISMATCH(differences(groups, out));
}

TEST_CASE("exp rtl: every pair of formats, number of elements, with and without a sum") {
  std::mt19937_64 random(test_seed());
  std::vector<GroupIn> groups;
  for (const DType source : {DType::kFp32, DType::kBf16, DType::kFp16}) {
    for (const DType result : {DType::kFp32, DType::kBf16, DType::kFp16}) {
      for (unsigned form = 0; form < 8; ++form) {
        GroupIn group;
        group.flags.source_type = source;
        group.flags.result_type = result;
        group.flags.count = 1 + form % 4;
        group.flags.sum = form >= 4;
        group.flags.load = form == 4;
        fill(group, random);
        groups.push_back(group);
      }
    }
  }
  ExpPipeline rtl(bench_wave());
  const auto out = stream(rtl, groups);
  REQUIRE(out.size() == groups.size());
  CHECK_NO_MISMATCH(differences(groups, out));
}

TEST_CASE("exp rtl: gaps at the input and stalls at the output change no result") {
  std::mt19937_64 random(test_seed());
  for (const unsigned percent : {10u, 50u, 90u}) {
    const std::vector<GroupIn> groups = random_groups(random, 30);
    std::vector<bool> offers(100000), takes(100000);
    for (std::size_t i = 0; i < offers.size(); ++i) {
      offers[i] = random() % 100 >= percent;
      takes[i] = random() % 100 < percent;
    }
    ExpPipeline rtl(bench_wave());
    const auto out = stream(
        rtl, groups, [&](std::uint64_t c) { return offers[c]; },
        [&](std::uint64_t c) { return takes[c]; });
    REQUIRE(out.size() == groups.size());
    CHECK_NO_MISMATCH(differences(groups, out));
  }
}

TEST_CASE("exp rtl: a stalled output holds the pipe, which takes eight groups at most") {
  std::vector<GroupIn> groups(20);
  ExpPipeline rtl(bench_wave());
  const auto out = stream(rtl, groups, always, [](std::uint64_t cycle) { return cycle >= 30; });
  for (std::size_t g = 0; g < 8; ++g) CHECK(out[g].entered == g);
  for (std::size_t g = 8; g < 20; ++g) CHECK(out[g].entered == 30 + g - 8);
  for (std::size_t g = 0; g < 20; ++g) CHECK(out[g].left == 30 + g);
}

TEST_CASE("exp rtl: an instruction that loads sums waits for the one before") {
  std::vector<GroupIn> groups(3);
  for (unsigned i = 0; i < 3; ++i) {
    groups[i].flags.sum = true;
    groups[i].flags.load = i != 1;
    groups[i].flags.count = 1;
    groups[i].sums.assign(kExpPartitions, bits_of(100.0f * static_cast<float>(i)));
  }
  ExpPipeline rtl(bench_wave());
  const auto out = stream(rtl, groups);
  REQUIRE(out.size() == 3);
  CHECK(out[0].entered == 0);
  CHECK(out[1].entered == 1);  // continues with the sums of the first
  CHECK(out[2].entered == 8);  // when the first has reached stage 8
  CHECK(float_of(out[0].sums[5]) == 1.0f);
  CHECK(float_of(out[1].sums[5]) == 2.0f);
  CHECK(float_of(out[2].sums[5]) == 201.0f);
}

TEST_CASE("exp rtl: sums keep their order, and see the results before their conversion") {
  // 2^24 + 1 is rounded away, 2^24 + (1 + 1) is not: (e0 + e1) + (e2 + e3) shows its order.
  std::vector<GroupIn> groups(2);
  const float e[2][4] = {{16.6355324f, 0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 16.6355324f}};
  for (unsigned g = 0; g < 2; ++g) {
    groups[g].flags.sum = groups[g].flags.load = true;
    groups[g].flags.result_type = DType::kBf16;
    for (unsigned q = 0; q < 4; ++q) {
      for (unsigned p = 0; p < kExpPartitions; ++p) {
        groups[g].data[q * kExpPartitions + p] = bits_of(e[g][q]);
      }
    }
  }
  ExpPipeline rtl(bench_wave());
  const auto out = stream(rtl, groups);
  CHECK_NO_MISMATCH(differences(groups, out));
}

TEST_CASE("exp rtl: sums of subnormal, of almost equal and of the largest results") {
  std::mt19937_64 random(test_seed());
  struct Range {
    float low, high;
  };
  for (const Range range : {Range{-104.0f, -86.0f}, Range{-104.0f, -103.0f}, Range{-1.0f, 1.0f},
                            Range{-20.0f, 0.0f}, Range{86.0f, 88.8f}}) {
    std::vector<GroupIn> groups(60);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      GroupIn& group = groups[g];
      group.flags.first = group.flags.load = g % 6 == 0;
      group.flags.last = g % 6 == 5;
      group.flags.sum = true;
      for (auto& word : group.data) {
        const float share = static_cast<float>(random() % (1u << 24)) * 0x1p-24f;
        word = bits_of(range.low + (range.high - range.low) * share);
      }
      for (auto& word : group.sums) word = random() % 2 == 0 ? 0 : random() % 0x1000000;
    }
    ExpPipeline rtl(bench_wave());
    const auto out = stream(rtl, groups);
    CAPTURE(range.low);
    CHECK_NO_MISMATCH(differences(groups, out));
  }
}
