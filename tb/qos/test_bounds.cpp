// SPDX-License-Identifier: Apache-2.0
// The bounds of rtl/qos/README.md at the size of an engine, against traffic that is unfriendly to
// them: everyone always requests, packets are large, decisions are rare.
#include <cstdio>

#include "sw/base/math.h"
#include "tb/common/seed.h"
#include "tb/qos/lockstep.h"

using namespace tern;      // NOLINT: a test uses the names of what it tests
using namespace tern::tb;  // NOLINT

TEST_CASE("qos bounds: no class and no requester waits longer than stated") {
  std::mt19937_64 random(test_seed());
  double closest = 0;
  for (unsigned round = 0; round < 60; ++round) {
    QosTrio trio;
    qos::Settings settings;
    settings.policy = round % 2 == 0 ? qos::Policy::kStrict : qos::Policy::kWeighted;
    const std::uint32_t packet = 64 + static_cast<std::uint32_t>(random() % 1000);
    const std::uint64_t gap = 1 + random() % 6;
    for (unsigned c = 0; c < qos::kClasses; ++c) {
      settings.rate_256[c] = random() % 3 == 0 ? 0 : static_cast<std::uint32_t>(random() % 8000);
      settings.depth[c] = static_cast<std::uint32_t>(random() % 2000);
    }
    trio.configure(settings);
    std::uint32_t class_of[QosTrio::kRequesters], bytes_of[QosTrio::kRequesters];
    unsigned members[qos::kClasses] = {};
    for (unsigned i = 0; i < QosTrio::kRequesters; ++i) {
      class_of[i] = static_cast<std::uint32_t>(random() % 4);
      bytes_of[i] = packet;
      ++members[class_of[i]];
    }
    std::uint64_t class_since[qos::kClasses] = {}, since[QosTrio::kRequesters] = {};
    for (std::uint64_t t = 0; t < 6000; ++t) {
      const auto grant = trio.step(t % gap == gap - 1, 0xFFFF, class_of, bytes_of);
      for (unsigned c = 0; c < qos::kClasses; ++c) {
        const std::uint64_t rate = settings.rate_256[c];
        if (rate == 0 || members[c] == 0) continue;
        const std::uint64_t needed =
            settings.policy == qos::Policy::kStrict ? settings.depth[c] : 0;
        const std::uint64_t first = ceil_div(256 * (needed + packet), rate) + 4 * gap;
        const std::uint64_t next = ceil_div(256 * std::uint64_t{packet}, rate) + 4 * gap;
        const std::uint64_t waited = t - class_since[c];
        REQUIRE(waited < first);
        if (grant.valid && grant.cls == c) {
          closest = std::max(closest, static_cast<double>(waited + 1) / static_cast<double>(first));
          class_since[c] = t + 1;
        }
        for (unsigned i = 0; i < QosTrio::kRequesters; ++i) {
          if (class_of[i] == c) REQUIRE(t - since[i] < first + (members[c] - 1) * next);
        }
      }
      if (grant.valid) since[grant.requester] = t + 1;
    }
  }
  std::printf("qos bounds: the longest wait of a class was %.0f %% of its bound\n", 100 * closest);
  CHECK(closest > 0.5);
}

TEST_CASE("qos bounds: round robin lets every other requester go first once at most") {
  std::mt19937_64 random(test_seed());
  QosTrio trio;
  std::uint32_t class_of[QosTrio::kRequesters] = {}, bytes_of[QosTrio::kRequesters] = {};
  unsigned lost[QosTrio::kRequesters] = {}, most = 0;
  std::uint32_t requests = 0;
  for (unsigned t = 0; t < 20000; ++t) {
    requests |= static_cast<std::uint32_t>(random() & random() & 0xFFFF);
    const auto grant = trio.step(random() % 3 != 0, requests, class_of, bytes_of);
    if (!grant.valid) continue;
    for (unsigned i = 0; i < QosTrio::kRequesters; ++i) {
      lost[i] = i == grant.requester || (requests >> i & 1) == 0 ? 0 : lost[i] + 1;
      most = std::max(most, lost[i]);
    }
    requests &= ~grant.grants;
  }
  CHECK(most == QosTrio::kRequesters - 1);
}

TEST_CASE("qos bounds: tokens are conserved in every window") {
  std::mt19937_64 random(test_seed());
  for (unsigned round = 0; round < 20; ++round) {
    QosTrio trio;
    qos::Settings settings;
    settings.policy = round % 2 == 0 ? qos::Policy::kStrict : qos::Policy::kWeighted;
    for (unsigned c = 0; c < qos::kClasses; ++c) {
      settings.rate_256[c] = static_cast<std::uint32_t>(random() % 6000);
      settings.depth[c] = static_cast<std::uint32_t>(random() % 600);
    }
    trio.configure(settings);
    std::uint32_t class_of[QosTrio::kRequesters], bytes_of[QosTrio::kRequesters];
    for (unsigned i = 0; i < QosTrio::kRequesters; ++i) {
      class_of[i] = i % 4;
      bytes_of[i] = 1 + static_cast<std::uint32_t>(random() % 500);
    }
    // The maximum ever charged in a window that ends now, minus what the window earned: a running
    // maximum over all beginnings.
    std::int64_t excess[qos::kClasses] = {};
    for (unsigned t = 0; t < 4000; ++t) {
      const auto requests = static_cast<std::uint32_t>(random() & 0xFFFF);
      const auto grant = trio.step(true, requests, class_of, bytes_of);
      for (unsigned c = 0; c < qos::kClasses; ++c) {
        const bool charged = grant.valid && grant.by_right && grant.cls == c;
        excess[c] = std::max<std::int64_t>(excess[c], 0) +
                    (charged ? 256 * std::int64_t{bytes_of[grant.requester]} : 0) -
                    settings.rate_256[c];
        REQUIRE(excess[c] <= 256 * (std::int64_t{settings.depth[c]} + 500));
        REQUIRE(trio.rtl().balance_256(c) <= 256 * std::int64_t{settings.depth[c]});
        REQUIRE(trio.rtl().balance_256(c) >= -256 * 500);
      }
    }
  }
}
