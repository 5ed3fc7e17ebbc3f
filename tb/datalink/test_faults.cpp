// SPDX-License-Identifier: Apache-2.0
// What each kind of fault costs on a busy link.
#include "tb/common/seed.h"
#include "tb/datalink/random_run.h"

using namespace tern;      // NOLINT: a test uses the names of what it tests
using namespace tern::tb;  // NOLINT

namespace {

struct BusyPair : LinkPair {
  explicit BusyPair(LinkSize size = LinkSize::kFull) : LinkPair(size, test_seed()) {
    run_until([this] { return outputs(0).up && outputs(1).up; }, 1000);
    for (EndTraffic& t : traffic) t.offer = 256;
  }
};

// The next payload flit of end 0 is bad.
void spoil_payload(LinkPair& pair) {
  const auto watch = pair.on_cycle;
  bool spoiled = false;
  pair.on_cycle = [&](unsigned end, const flit::LinkOutputs& outputs) {
    if (watch) watch(end, outputs);
    if (end != 0 || spoiled || !outputs.tx_valid) return;
    spoiled = ref_flit(outputs.tx, pair.dead_lanes()).usage == 2;
    if (spoiled) pair.wire(0).spoil_next(1);
  };
  pair.run_until([&] { return spoiled; }, 100);
  pair.on_cycle = watch;
}

}  // namespace

TEST_CASE("datalink faults: one bad flit is one replay") {
  BusyPair pair;
  pair.run(200);
  const LinkPair::Counts before = pair.counts(1);
  spoil_payload(pair);
  pair.run(400);
  CHECK(pair.counts(1).bad == before.bad + 1);
  CHECK(pair.counts(0).replays == 1);
  CHECK(pair.counts(1).replays == 0);
  CHECK(pair.counts(1).duplicates == 0);
  pair.drain();
}

TEST_CASE("datalink faults: a bad flit costs a round trip") {
  // The longer the wire, the more is repeated.
  std::uint64_t repeated[2] = {};
  for (unsigned i = 0; i < 2; ++i) {
    LinkPair pair(LinkSize::kFull, test_seed(), i == 0 ? 4 : 54);
    PairWatch watch(pair, 4);
    pair.run_until([&] { return pair.outputs(0).up && pair.outputs(1).up; }, 3000);
    pair.traffic[0].offer = 256;
    pair.traffic[0].max_dwords = 55;  // all flits are full
    pair.always_full = true;
    pair.run(600);
    spoil_payload(pair);
    pair.run(1500);
    CHECK(pair.counts(0).replays == 1);
    repeated[i] = watch.of(0).repeated;
    pair.drain();
    pair.on_cycle = nullptr;
  }
  // 50 cycles more each way: 25 slots.
  CHECK(repeated[1] - repeated[0] >= 23);
  CHECK(repeated[1] - repeated[0] <= 27);
}

TEST_CASE("datalink faults: lost acknowledgements cost nothing") {
  BusyPair pair;
  pair.traffic[1].offer = 0;  // acknowledgements only
  pair.run(300);
  pair.wire(1).faults.flip = 16384;
  pair.run(4000);
  CHECK(pair.counts(0).bad > 100);
  CHECK(pair.counts(0).replays == 0);
  CHECK(pair.counts(1).duplicates == 0);
  pair.drain();
}

TEST_CASE("datalink faults: a burst, and the same in both directions") {
  BusyPair pair;
  for (unsigned i = 0; i < 2; ++i) {
    pair.run(300);
    pair.wire(0).spoil_next(12);
    if (i == 1) pair.wire(1).spoil_next(12);
    pair.run(2000);
    CHECK(pair.counts(0).recoveries + pair.counts(1).recoveries == 0);
  }
  pair.drain();
}

TEST_CASE("datalink faults: a lane dies, a spare one takes its place") {
  BusyPair pair;
  pair.run(300);
  pair.wire(0).faults.dead.set(17);
  pair.run(3000);
  CHECK(pair.replaced.count() == 1);
  CHECK(pair.counts(0).recoveries + pair.counts(1).recoveries > 0);
  const std::uint64_t bad = pair.counts(1).bad, delivered = pair.counts(1).delivered;
  pair.run(2000);
  CHECK(pair.counts(1).bad == bad);
  CHECK(pair.counts(1).delivered > delivered + 100);
  pair.drain();
}

TEST_CASE("datalink faults: all spare lanes in use") {
  BusyPair pair;
  for (unsigned p = 0; p < flit::kSpares; ++p) {
    pair.wire(p % 2).faults.dead.set((p * 37 + 3) % flit::kPhysical);
  }
  pair.run(3000);
  CHECK(pair.replaced.count() == flit::kSpares);
  CHECK(pair.counts(0).delivered > 100);
  pair.drain();
}

TEST_CASE("datalink faults: training in the middle of traffic loses nothing") {
  BusyPair pair;
  for (unsigned i = 0; i < 10; ++i) {
    pair.train();
    pair.run(500);
  }
  pair.drain();
  for (unsigned i = 0; i < 2; ++i) CHECK(pair.counts(i).delivered == pair.counts(1 - i).sent);
}

TEST_CASE("datalink faults: a busy link has the throughput of the page") {
  BusyPair pair;
  for (EndTraffic& t : pair.traffic) t.max_dwords = 64;
  pair.always_full = true;
  pair.run(500);
  const std::uint64_t before = pair.counts(0).payload_bytes;
  pair.run(40000);
  // 236 * 256 / 272 bytes a slot of four cycles.
  const double per_slot = static_cast<double>(pair.counts(0).payload_bytes - before) / 10000;
  CHECK(per_slot > 221.5);
  CHECK(per_slot < 222.5);
  pair.drain();
}
