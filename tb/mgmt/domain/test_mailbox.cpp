// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "systemc/mgmt/domain/mailbox.h"
#include "tb/mgmt/domain/word_bench.h"

using namespace tern;
using namespace tern::tb;

namespace {

// docs/reference/mgmt.md, mailbox.
enum : unsigned { kVersion = 0, kStatus = 4, kDone = 8, kIgnored = 12 };
constexpr unsigned kRequest = 0x400, kResponse = 0x800;

struct Bench : WordBench {
  void run(std::function<void()> body) { WordBench::run(box, std::move(body)); }
  int level = -1, host = -1;
  mgmt::Mailbox box{"box", [this](bool l) { level = l ? 1 : 0; },
                    [this](bool l) { host = l ? 1 : 0; }};
};

}  // namespace

TEST_CASE("mailbox: a request and its response, each owned by one side") {
  Bench bench;
  bench.run([&] {
    bench.box.reset();
    CHECK(bench.level == 0);
    CHECK(bench.host == 0);
    CHECK(bench.get(kVersion) == 1);
    bench.box.host_write(0, 0x1111);
    bench.box.host_write(255, 0x2222);
    bench.box.host_write(256, 0x3333);  // outside
    bench.put(kDone, 1);                // there is no request
    CHECK(bench.get(kStatus) == 0);
    CHECK(bench.box.host_ring());
    CHECK(bench.level == 1);
    CHECK(bench.get(kStatus) == 1);
    bench.box.host_write(0, 0x4444);  // no longer the host's
    CHECK(bench.get(kRequest) == 0x1111);
    CHECK(bench.get(kRequest + 1020) == 0x2222);
    CHECK_FALSE(bench.box.host_ring());
    CHECK(bench.get(kIgnored) == 1);
    bench.put(kRequest, 0x5555);  // read only
    CHECK(bench.get(kRequest) == 0x1111);
    bench.put(kResponse, 0x6666);
    bench.put(kResponse + 1020, 0x7777);
    bench.put(kDone, 0);
    CHECK(bench.get(kStatus) == 1);
    bench.put(kDone, 1);
    CHECK(bench.get(kStatus) == 2);
    CHECK(bench.level == 0);
    CHECK(bench.host == 1);
    bench.put(kResponse, 0x8888);  // the host's now
    CHECK(bench.box.host_read(0) == 0x6666);
    CHECK(bench.box.host_read(255) == 0x7777);
    CHECK(bench.box.host_read(256) == 0);
  });
}

TEST_CASE("mailbox: the next request waits until the response was taken") {
  Bench bench;
  bench.run([&] {
    bench.box.host_ring();
    bench.put(kDone, 1);
    CHECK(bench.box.host_ring());
    CHECK(bench.level == 0);
    CHECK(bench.box.host_status() == 3);
    bench.put(kDone, 1);  // not possible
    CHECK(bench.box.host_status() == 3);
    bench.box.host_take();
    CHECK(bench.host == 0);
    CHECK(bench.level == 1);
    CHECK(bench.box.host_status() == 1);
    const auto state = bench.box.save();
    bench.box.reset();
    CHECK(bench.level == 0);
    bench.box.restore(state);
    CHECK(bench.level == 1);
  });
}
