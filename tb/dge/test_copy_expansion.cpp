// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "tb/common/seed.h"
#include "tb/dge/made.h"

using namespace tern;
using namespace tern::tb;

namespace {

struct Made {
  std::array<std::vector<PairBytes>, dge::kEngines> engines;
  std::array<Moved, dge::kEngines> moved;
  std::map<std::uint64_t, std::uint64_t> source_of;
};

Made expand(const tern_instr_dma_copy_t& in) {
  Made made;
  dge::CopyExpansion expansion(in, 3);
  while (const auto pair = expansion.next()) made.engines[pair->engine].push_back(packed(*pair));
  REQUIRE_FALSE(expansion.next());
  for (unsigned e = 0; e < dge::kEngines; ++e) {
    interpret(made.engines[e], 0, &made.moved[e]);
    CHECK(made.moved[e].immediates == std::vector<std::uint64_t>{kCore3 + 0x20001800 + 4 * 77});
    for (const auto& [to, from] : made.moved[e].source_of) {
      if (!made.source_of.emplace(to, from).second) FAIL("two engines write a byte");
    }
  }
  return made;
}

// By four loops.
std::map<std::uint64_t, std::uint64_t> expected(const tern_instr_dma_copy_t& in) {
  std::map<std::uint64_t, std::uint64_t> map;
  const std::uint64_t dst = std::uint64_t{in.dst_hi} << 32 | in.dst_lo;
  const std::uint64_t src = std::uint64_t{in.src_hi} << 32 | in.src_lo;
  for (unsigned a = 0; a < in.count[2]; ++a) {
    for (unsigned b = 0; b < in.count[1]; ++b) {
      for (unsigned c = 0; c < in.count[0]; ++c) {
        for (unsigned i = 0; i < (in.length == 0 ? 65536u : in.length); ++i) {
          const auto at = [&](const std::int32_t* stride) {
            return static_cast<std::uint64_t>(std::int64_t{stride[2]} * a +
                                              std::int64_t{stride[1]} * b +
                                              std::int64_t{stride[0]} * c + i);
          };
          map[dst + at(in.dst_stride)] = src + at(in.src_stride);
        }
      }
    }
  }
  return map;
}

}  // namespace

TEST_CASE("dma_copy: rows spread evenly over the engines") {
  const auto in = dma_copy(kCore3 + 32 * kPartition + 512, kHbm, 2048,
                           {{1, 0, 0}, {1, 0, 0}, {64, static_cast<int>(kPartition), 2048}});
  const Made made = expand(in);
  CHECK(made.source_of == expected(in));
  for (unsigned e = 0; e < dge::kEngines; ++e) {
    CHECK(made.engines[e].size() == 5);
    for (const auto& [to, from] : made.moved[e].source_of) {
      if (((to - kCore3) / kPartition - 32) / 4 != e) FAIL("on engine " << e);
    }
  }
}

TEST_CASE("dma_copy: an engine has all its pairs before the next one gets any") {
  const auto in =
      dma_copy(kCore3, kHbm, 256, {{1, 0, 0}, {1, 0, 0}, {128, static_cast<int>(kPartition), 256}});
  dge::CopyExpansion expansion(in, 3);
  for (unsigned e = 0; e < dge::kEngines; ++e) {
    for (unsigned i = 0; i < 9; ++i) {
      const auto pair = expansion.next();
      REQUIRE(pair);
      CHECK(pair->engine == e);
      // The data are a packet of their own.
      CHECK(pair->tx.last == (i >= 7));
    }
  }
  CHECK_FALSE(expansion.next());
}

TEST_CASE("dma_copy: short runs become patterns, packets stay within 32 pairs and 16 KiB") {
  // 16 x 8 runs of 128 bytes per partition.
  const auto in =
      dma_copy(kCore3, kHbm, 128,
               {{16, 128, 4096}, {8, 2048, 65536}, {16, static_cast<int>(kPartition), 1 << 20}});
  const Made made = expand(in);
  CHECK(made.source_of == expected(in));
  for (unsigned e = 0; e < dge::kEngines; ++e) {
    // A pair and its slot for its partition, 16 KiB.
    CHECK(made.engines[e].size() == 2 + 1);
    CHECK(made.moved[e].largest_packet == 16384);
  }
}

TEST_CASE("dma_copy: within HBM, all engines take part") {
  const auto in =
      dma_copy(kHbm, kHbm + (1 << 30), 16384, {{1, 0, 0}, {1, 0, 0}, {18, 16384, 16384}});
  const Made made = expand(in);
  CHECK(made.source_of.size() == 18u * 16384);
  CHECK(made.source_of == expected(in));
  for (unsigned e = 0; e < dge::kEngines; ++e)
    CHECK(made.engines[e].size() == (e % 8 == 0 ? 3 : 2));
}

TEST_CASE("dma_copy: pieces of fewer than 16 rows rotate among the engines") {
  const auto in =
      dma_copy(kCore3, kHbm, 16384,
               {{1, 0, 0}, {6, 16384, 16384}, {3, static_cast<int>(kPartition), 98304}});
  const Made made = expand(in);
  CHECK(made.source_of == expected(in));
  for (unsigned e = 0; e < dge::kEngines; ++e) CHECK(made.engines[e].size() == (e < 2 ? 3 : 2));
}

TEST_CASE("dma_copy: the longest run") {
  const Made made = expand(dma_copy(kCore3, kHbm, 65536, {}));
  CHECK(made.source_of.size() == 65536);
  CHECK(made.engines[0].size() == 2);
}

TEST_CASE("dma_copy: transposed blocks") {
  // HBM [64, 96] of two bytes becomes SBUF [96, 64]: two by three blocks.
  auto in = dma_copy(kCore3, kHbm, 64,
                     {{32, static_cast<int>(kPartition), 192},
                      {3, 32 * static_cast<int>(kPartition), 64},
                      {2, 64, 32 * 192}});
  in.op = TERN_DMA_OP_TRANSPOSE;
  const Made made = expand(in);
  REQUIRE(made.source_of.size() == 64 * 96 * 2);
  for (unsigned r = 0; r < 64; ++r) {
    for (unsigned c = 0; c < 96; ++c) {
      REQUIRE(made.source_of.at(kCore3 + c * kPartition + 2 * r) == kHbm + r * 192 + 2 * c);
    }
  }
}

TEST_CASE("dma_copy: random patterns against four loops") {
  const std::uint64_t seed = test_seed();
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  const auto draw = [&](unsigned low, unsigned high) {
    return low + static_cast<unsigned>(random() % (high - low + 1));
  };
  for (unsigned round = 0; round < 30; ++round) {
    const unsigned length = draw(1, round % 3 == 0 ? 8000 : 300);
    const std::uint64_t most = std::max<std::uint64_t>(1, 10000 / length);
    std::array<unsigned, 3> count{1, 1, 1};
    std::uint64_t left = most;
    for (unsigned& c : count) {
      c = draw(1, static_cast<unsigned>(std::min<std::uint64_t>(left, 40)));
      left /= c;
    }
    std::vector<Dimension> dimensions;
    std::int64_t dst = length + draw(0, 64), src = length + draw(0, 64);
    for (const unsigned c : count) {
      const std::int64_t sign = draw(0, 3) == 0 ? -1 : 1;
      dimensions.push_back({c, c > 1 ? static_cast<std::int32_t>(sign * dst) : 0,
                            c > 1 ? static_cast<std::int32_t>(src) : 0});
      dst = dst * c + draw(0, 100);
      src = src * c + draw(0, 100);
    }
    const bool sbuf = draw(0, 1) == 0;
    const auto in =
        dma_copy(sbuf ? kCore3 + 64 * kPartition : kHbm + (1 << 28), kHbm, length, dimensions);
    const Made made = expand(in);
    REQUIRE(made.source_of == expected(in));
  }
}
