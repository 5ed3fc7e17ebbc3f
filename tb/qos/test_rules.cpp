// SPDX-License-Identifier: Apache-2.0
// The rules of rtl/qos/README.md, one by one; the expected values are computed by hand.
#include <vector>

#include "tb/qos/lockstep.h"

using namespace tern;      // NOLINT: a test uses the names of what it tests
using namespace tern::tb;  // NOLINT

namespace {

// All requesters request in every cycle unless specified otherwise; requester i is of class i / 4.
struct Bench {
  QosTrio trio;
  std::uint32_t class_of[QosTrio::kRequesters], bytes_of[QosTrio::kRequesters];

  explicit Bench(std::uint32_t bytes = 64) {
    for (unsigned i = 0; i < QosTrio::kRequesters; ++i) {
      class_of[i] = i / 4;
      bytes_of[i] = bytes;
    }
  }
  QosRtl::Grant step(std::uint32_t requests = 0xFFFF, bool enable = true) {
    return trio.step(enable, requests, class_of, bytes_of);
  }
  void idle(unsigned cycles) {
    for (unsigned i = 0; i < cycles; ++i) step(0, true);
  }
  std::vector<unsigned> requesters(unsigned grants, std::uint32_t requests = 0xFFFF) {
    std::vector<unsigned> list;
    for (unsigned i = 0; i < grants; ++i) list.push_back(step(requests).requester);
    return list;
  }
  std::vector<unsigned> classes(unsigned grants, std::uint32_t requests = 0xFFFF) {
    std::vector<unsigned> list;
    for (unsigned i = 0; i < grants; ++i) list.push_back(step(requests).cls);
    return list;
  }
};

using List = std::vector<unsigned>;
constexpr auto kStrict = qos::Policy::kStrict;
constexpr auto kWeighted = qos::Policy::kWeighted;

}  // namespace

TEST_CASE("qos rules: round robin serves all requesters, whatever their class") {
  Bench bench;
  CHECK(bench.requesters(18) == List{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1});
  CHECK(bench.requesters(4, 0x8011) == List{4, 15, 0, 4});
}

TEST_CASE("qos rules: nothing is granted without a request or between packets") {
  Bench bench;
  CHECK_FALSE(bench.step(0).valid);
  const auto grant = bench.step(0xFFFF, false);
  CHECK_FALSE(grant.valid);
  CHECK(grant.grants == 0);
  // Neither moved the round-robin position.
  CHECK(bench.requesters(2) == List{0, 1});
}

TEST_CASE("qos rules: strict serves the most urgent class, round robin inside it") {
  Bench bench;
  bench.trio.configure({kStrict, {}, {}});
  CHECK(bench.requesters(6) == List{0, 1, 2, 3, 0, 1});
  CHECK(bench.requesters(5, 0xFFF0) == List{4, 5, 6, 7, 4});
  // Each class has its own round-robin position.
  CHECK(bench.requesters(6) == List{2, 3, 0, 1, 2, 3});
  CHECK(bench.requesters(2, 0xFFF0) == List{5, 6});
  CHECK(bench.requesters(3, 0xF000) == List{12, 13, 14});
}

TEST_CASE("qos rules: a full bucket goes before more urgent classes and pays") {
  Bench bench(64);
  // 16 bytes a cycle for class 3, 48 bytes deep: full after 3 cycles, then 64 bytes of debt from
  // full: 4 cycles.
  bench.trio.configure({kStrict, {0, 0, 0, 16 * 256}, {0, 0, 0, 48}});
  CHECK(bench.classes(12) == List{0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 3});
  // By priority it is free: alone, class 3 pays only for those by right.
  bench.idle(10);
  CHECK(bench.trio.rtl().balance_256(3) == 48 * 256);
  CHECK(bench.step(0xF000).by_right);
  CHECK(bench.trio.rtl().balance_256(3) == 0);
  CHECK_FALSE(bench.step(0xF000).by_right);
  CHECK(bench.trio.rtl().balance_256(3) == 16 * 256);
}

TEST_CASE("qos rules: several full buckets alternate") {
  Bench bench(8);
  bench.trio.configure({kStrict, {0, 8 * 256, 8 * 256, 8 * 256}, {0, 64, 64, 64}});
  bench.idle(20);
  CHECK(bench.classes(8) == List{1, 2, 3, 1, 2, 3, 1, 2});
}

TEST_CASE("qos rules: a bucket without depth still gives the class its share") {
  for (const auto policy : {kStrict, kWeighted}) {
    Bench bench(64);
    bench.trio.configure({policy, {0, 0, 16 * 256, 0}, {}});
    CHECK(bench.classes(9) == List{2, 0, 0, 0, 2, 0, 0, 0, 2});
  }
}

TEST_CASE("qos rules: weighted gives each class its share and the rest to the most urgent") {
  Bench bench(64);
  // Shares of 32, 16, 8 and no bytes a cycle; one packet of 64 bytes a cycle moves 64.
  bench.trio.configure({kWeighted, {32 * 256, 16 * 256, 8 * 256, 0}, {64, 64, 64, 64}});
  unsigned packets[4] = {}, by_right[4] = {};
  for (unsigned i = 0; i < 8000; ++i) {
    const auto grant = bench.step();
    ++packets[grant.cls];
    by_right[grant.cls] += grant.by_right;
  }
  CHECK(by_right[0] == 4000);
  CHECK(by_right[1] == 2000);
  CHECK(by_right[2] == 1000);
  CHECK(packets[0] == 5000);
  CHECK(packets[1] == 2000);
  CHECK(packets[2] == 1000);
  CHECK(packets[3] == 0);
  // Without class 0, class 1 is the most urgent: all the rest is its own.
  for (auto& n : packets) n = 0;
  for (unsigned i = 0; i < 8000; ++i) ++packets[bench.step(0xFFF0).cls];
  CHECK(packets[1] == 7000);
  CHECK(packets[2] == 1000);
  // A class without a share is served when no other requests.
  CHECK(bench.classes(3, 0xF000) == List{3, 3, 3});
}

TEST_CASE("qos rules: shares that promise too much are served packet by packet") {
  Bench bench(64);
  bench.trio.configure({kWeighted, {64 * 256, 64 * 256, 64 * 256, 64 * 256}, {0, 0, 0, 0}});
  unsigned packets[4] = {};
  for (unsigned i = 0; i < 400; ++i) ++packets[bench.step().cls];
  for (unsigned n : packets) CHECK(n == 100);
}

TEST_CASE("qos rules: a silent class catches up by its depth and no more") {
  Bench bench(64);
  bench.trio.configure({kWeighted, {8 * 256, 8 * 256, 0, 0}, {512, 512, 0, 0}});
  for (unsigned i = 0; i < 5000; ++i) bench.step(0x000F);  // class 1 is silent
  CHECK(bench.trio.rtl().balance_256(1) == 512 * 256);
  // In w cycles at most 512 + 8 w bytes and one packet.
  unsigned bytes = 0;
  for (unsigned w = 1; w <= 100; ++w) {
    if (bench.step(0x00FF).cls == 1) bytes += 64;
    CHECK(bytes <= 512 + 8 * w + 64);
    CHECK(bytes + 64 >= std::min(512 + 8 * w, 32 * w));
  }
}

TEST_CASE("qos rules: the largest packet puts the bucket deepest into debt") {
  constexpr std::uint32_t kLargest = (1u << qos::kChargeBits) - 1;
  Bench bench(kLargest);
  bench.trio.configure({kWeighted, {0, 0xFFFF, 0, 0}, {0, 0xFFFFF, 0, 0}});
  CHECK(bench.step().cls == 1);
  CHECK(bench.trio.rtl().balance_256(1) == 0xFFFF - 256 * std::int64_t{kLargest});
  // ... which it works off: ceil(256 * kLargest / 65535) cycles after the grant it has a right.
  const auto cycles = static_cast<unsigned>((256ull * kLargest + 0xFFFE) / 0xFFFF);
  for (unsigned i = 1; i < cycles; ++i) REQUIRE(bench.step().cls == 0);
  CHECK(bench.step().cls == 1);
}

TEST_CASE("qos rules: settings act in their cycle, balances stay, a smaller depth cuts them") {
  Bench bench(64);
  bench.trio.configure({kStrict, {0, 256, 0, 0}, {0, 100, 0, 0}});
  bench.idle(100);
  CHECK(bench.trio.rtl().balance_256(1) == 100 * 256);
  CHECK(bench.trio.rtl().settled());
  bench.trio.configure({kStrict, {0, 256, 0, 0}, {0, 30, 0, 0}});
  CHECK(bench.step().cls == 1);  // more than full is full
  CHECK(bench.trio.rtl().balance_256(1) == 30 * 256);
  bench.trio.configure({kStrict, {0, 0, 0, 0}, {0, 30, 0, 0}});
  CHECK(bench.step().cls == 0);  // full, but no share
  bench.trio.configure({});
  CHECK(bench.step().requester == 1);
}

TEST_CASE("qos rules: settled says whether a bucket will change without a charge") {
  Bench bench(64);
  bench.trio.configure({kWeighted, {0, 256, 0, 512}, {9, 100, 0, 50}});
  for (unsigned i = 0; i < 100; ++i) {
    bench.trio.step(true, 0, bench.class_of, bench.bytes_of);
    CHECK(bench.trio.rtl().settled() == (i + 1 >= 100));
  }
  CHECK(bench.step().by_right);
  bench.idle(1);
  CHECK_FALSE(bench.trio.rtl().settled());
}
