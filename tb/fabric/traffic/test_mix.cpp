// SPDX-License-Identifier: Apache-2.0
// Several patterns at the same time, and what their classes cost each other.
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "sw/base/user_error.h"
#include "systemc/fabric/levels/levels.h"
#include "systemc/fabric/traffic/mix.h"
#include "systemc/fabric/traffic/traffic_run.h"

using namespace tern;  // NOLINT: test file
using fabric::Mix;
using fabric::Time;
using fabric::Traffic;

namespace {

constexpr Time kUs = 1'000'000'000;

Traffic pattern(const std::string& name, unsigned traffic_class, std::uint64_t bytes) {
  Traffic traffic;
  traffic.pattern = name;
  traffic.traffic_class = traffic_class;
  traffic.bytes = bytes;
  return traffic;
}

}  // namespace

TEST_CASE("mix: rounds start at their times, and patterns have streams of their own") {
  const system::Fabric fabric(system::load_system("trn2-nl16"));
  Traffic pair = pattern("pair", 0, 4096);
  pair.streams = 2;
  pair.at = 3 * kUs;
  pair.every = 2 * kUs;
  pair.rounds = 4;
  const Mix mix = fabric::mix_of({pattern("pair", 3, 65536), pair, pattern("pair", 3, 1)}, fabric);
  REQUIRE(mix.transfers.size() == 1 + 4 * 2 + 1);
  REQUIRE(mix.sent.size() == mix.transfers.size());
  std::map<std::uint32_t, std::set<Time>> times;  // by stream
  std::set<std::uint64_t> tags;
  std::uint64_t bytes = 0;
  for (std::size_t n = 0; n < mix.transfers.size(); ++n) {
    times[mix.transfers[n].stream].insert(mix.sent[n]);
    tags.insert(mix.transfers[n].tag);
    bytes += mix.transfers[n].bytes;
  }
  const std::set<Time> rounds = {3 * kUs, 5 * kUs, 7 * kUs, 9 * kUs};
  CHECK(times ==
        std::map<std::uint32_t, std::set<Time>>{{0, {0}}, {1, rounds}, {2, rounds}, {3, {0}}});
  CHECK(tags.size() == mix.transfers.size());
  CHECK(bytes == 65536 + 4 * 4096 + 1);
  Traffic often = pattern("all-to-all", 0, 1);
  often.rounds = 1'000'000;
  CHECK_THROWS_WITH(fabric::mix_of({often}, fabric), Catch::Contains("at most 20000000"));
}

TEST_CASE("mix: latency counts from the time of a round, at every level") {
  const system::Fabric fabric(system::load_system("trn3-nl16-2d"));
  Traffic pair = pattern("pair", 1, 65536);
  for (const std::string& level : fabric::level_names()) {
    INFO(level);
    const auto once =
        fabric::run_traffic(*fabric::make_transport(level, fabric), fabric::mix_of({pair}, fabric));
    // Far enough apart for an idle network.
    Traffic rounds = pair;
    rounds.at = 5 * kUs;
    rounds.every = 100 * kUs;
    rounds.rounds = 3;
    const auto late = fabric::run_traffic(*fabric::make_transport(level, fabric),
                                          fabric::mix_of({rounds}, fabric));
    REQUIRE(once.of_class[1].sorted.size() == 1);
    REQUIRE(late.of_class[1].sorted.size() == 3);
    for (const Time time : late.of_class[1].sorted) CHECK(time == once.time);
    CHECK(late.time == 205 * kUs + once.time);
    CHECK(late.all.sorted == late.of_class[1].sorted);
    CHECK(late.of_class[3].sorted.empty());
  }
}

// Of one link. An urgent train waits for at most the rest of one that is being sent, and is then
// alone on its way; less urgent ones wait for all that is urgent.
TEST_CASE("mix: an urgent class hardly notices others, they notice it") {
  const system::Fabric fabric(system::load_system("trn3-nl16-2d"));
  const std::uint64_t kBulk = 1 << 20;
  Traffic urgent = pattern("pair", 0, 4096);
  urgent.at = kUs / 2;
  urgent.every = kUs / 2;
  urgent.rounds = 8;
  const auto result_of = [&](const std::vector<Traffic>& patterns) {
    return fabric::run_traffic(*fabric::make_transport("packet", fabric),
                               fabric::mix_of(patterns, fabric));
  };
  const Time alone = result_of({urgent}).of_class[0].share(1);
  const Time bulk = result_of({pattern("pair", 3, kBulk)}).time;
  const auto mixed = result_of({pattern("pair", 3, kBulk), urgent});
  const Time train = bulk / (kBulk / 4096);  // 256 trains, a little more than the time of one
  CHECK(mixed.of_class[0].share(1) > alone);
  CHECK(mixed.of_class[0].share(1) <= alone + 2 * train);
  CHECK(mixed.of_class[3].share(1) > bulk + 4 * train);
  CHECK(mixed.of_class[3].share(1) < bulk + 10 * train);
  // In the class of the others it is one of two flows that take turns.
  urgent.traffic_class = 3;
  urgent.bytes = 8 * 4096;
  const auto equal = result_of({pattern("pair", 3, kBulk), urgent});
  CHECK(equal.of_class[3].sorted.size() == 9);
  CHECK(equal.of_class[3].sorted.front() > alone + 14 * train);
}

TEST_CASE("mix: shares of latencies") {
  fabric::Latencies times;
  CHECK(times.share(0.5) == 0);
  for (Time n = 0; n <= 100; ++n) times.sorted.push_back(10 * n);
  CHECK(times.share(0) == 0);
  CHECK(times.share(0.5) == 500);
  CHECK(times.share(0.99) == 990);
  CHECK(times.share(1) == 1000);
}
