// SPDX-License-Identifier: Apache-2.0
// The other engines' port parallel to the array.
#include <catch2/catch.hpp>

#include "tb/common/seed.h"
#include "tb/tensor/psum/random_stream.h"

using namespace tern::tb;

namespace {

// A stream into bank 2 whose stage 1 is in cycles 1 .. count after its start.
Stream columns(RandomStreams& random, unsigned count) {
  Stream stream = random.stream(3, 0xF);
  stream.destination.bank = 2;
  stream.destination.column = 0;
  stream.destination.half = stream.destination.accumulate = stream.destination.stochastic = false;
  stream.wait = 1;
  random.fill(stream, count);
  return stream;
}

// Cycles until an access that is offered from the start of a stream on is taken.
unsigned wait_of(PsumBench& bench, const Stream& stream, const Access& access) {
  bench.start(stream);
  bench.step();
  bench.access(access);
  unsigned cycles = 0;
  for (; bench.access_pending(); ++cycles) bench.step();
  bench.drain();
  return cycles - 1;
}

}  // namespace

TEST_CASE("psum access: lanes start to start + count - 1 are written") {
  PsumBench bench;
  Row row;
  for (unsigned lane = 0; lane < kLanes; ++lane) row[lane] = 0x100 + lane;
  for (unsigned bank : {0U, 7U, kBanks}) {
    for (unsigned start = 0; start < kLanes; ++start) {
      for (unsigned count = 1; start + count <= kLanes; ++count) {
        bench.access({true, bank, 5, start, count, row});
        bench.step();
        bench.read(bank, 5);
        for (std::uint32_t& word : row) word += 0x01000000;
      }
    }
  }
  bench.check_all_memory();
}

TEST_CASE("psum access: a column a cycle, a read after a write returns it") {
  PsumBench bench;
  for (unsigned i = 0; i < 32; ++i) {
    Row row;
    row.fill(i);
    bench.access({i % 2 == 0, 3, i / 4 % kBankColumns, 0, kLanes, row});
    bench.step();
    REQUIRE_FALSE(bench.access_pending());
  }
  bench.drain();
  CHECK(bench.refusals() == 0);
}

TEST_CASE("psum access: waits exactly while the array reads the bank") {
  PsumBench bench;
  RandomStreams random(test_seed());
  const Stream stream = columns(random, 5);
  CHECK(wait_of(bench, stream, {false, 2, 9, 0, kLanes, {}}) == 5);
  CHECK(wait_of(bench, stream, {true, 2, 4, 0, kLanes, {}}) == 5);
  CHECK(wait_of(bench, stream, {false, 1, 0, 0, kLanes, {}}) == 0);
  CHECK(wait_of(bench, stream, {false, kBanks, 0, 0, kLanes, {}}) == 0);
  CHECK(bench.refusals() == 10);
  // One column group of the bank is enough.
  Stream tile = stream;
  tile.groups = 0x4;
  tile.destination.first = 4;
  tile.destination.lanes = 1;
  CHECK(wait_of(bench, tile, {false, 2, 0, 0, 1, {}}) == 5);
  // A stream across banks holds each while it reads there; 16-bit elements likewise.
  Stream across = stream;
  across.destination.column = kBankColumns - 2;
  CHECK(wait_of(bench, across, {false, 2, 0, 0, kLanes, {}}) == 2);
  across.destination.half = true;
  across.destination.column = 2 * kBankColumns - 3;
  CHECK(wait_of(bench, across, {false, 2, 0, 0, kLanes, {}}) == 3);
  Stream quad = stream;
  quad.destination.quad = true;
  quad.destination.bank = 0;
  for (unsigned bank = 0; bank < kBanks; ++bank) {
    CHECK(wait_of(bench, quad, {false, bank, 0, 0, kLanes, {}}) == (bank % 2 == 0 ? 5 : 0));
  }
  Stream raw = stream;
  raw.port = kRawPort;
  raw.destination.raw = true;
  CHECK(wait_of(bench, raw, {true, 2, 0, 0, kLanes, {}}) == 5);
  bench.check_all_memory();
}

TEST_CASE("psum access: the generators' state waits exactly for stochastic writes") {
  PsumBench bench;
  RandomStreams random(test_seed());
  Stream stream = columns(random, 5);
  stream.destination.half = stream.destination.stochastic = true;
  for (bool write : {false, true}) {
    Access access{write, kBanks, 3, 0, kLanes, {}};
    // In stage 1 of the first column nothing is drawn yet.
    CHECK(wait_of(bench, stream, access) == 0);
    bench.start(stream);
    bench.step();
    bench.step();
    bench.access(access);
    unsigned cycles = 0;
    for (; bench.access_pending(); ++cycles) bench.step();
    CHECK(cycles == 6);
    bench.drain();
  }
  bench.check_all_memory();
}
