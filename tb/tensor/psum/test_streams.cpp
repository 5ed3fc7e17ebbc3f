// SPDX-License-Identifier: Apache-2.0
// Where columns go: ports, tiles, halves, banks, quad mode, and everything at random.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tb/common/seed.h"
#include "tb/tensor/psum/random_stream.h"

using namespace tern::tb;

TEST_CASE("psum: every port and column tile, one at a time") {
  PsumBench bench;
  RandomStreams random(test_seed());
  for (unsigned port = 0; port <= kRawPort; ++port) {
    for (unsigned groups : {0x1U, 0x2U, 0x4U, 0x8U, 0x3U, 0xCU, 0xFU}) {
      if (port == kRawPort && groups != 0xF) continue;
      for (bool half : {false, true}) {
        for (bool accumulate : {false, true}) {
          Stream stream = random.stream(port, groups);
          stream.destination.half = half;
          stream.destination.accumulate = accumulate && port != kRawPort;
          stream.destination.stochastic = false;
          stream.destination.bank = port;
          stream.destination.column = random.below(kBankColumns);
          random.fill(stream, 20);
          bench.start(stream);
          bench.drain();
        }
      }
    }
  }
  bench.check_all_memory();
}

TEST_CASE("psum: four column tiles of different kinds share a port") {
  PsumBench bench;
  RandomStreams random(test_seed());
  for (unsigned port = 0; port < 4; ++port) {
    for (unsigned kind = 0; kind < 16; ++kind) {
      for (unsigned group = 0; group < 4; ++group) {
        Stream stream = random.stream(port, 1U << group);
        stream.destination.half = (kind + group) % 2 != 0;
        stream.destination.accumulate = ((kind >> group) & 1) != 0;
        stream.destination.stochastic = stream.destination.half && kind / 4 == group;
        stream.destination.bank = (2 * group + kind) % kBanks;
        stream.destination.column = kind % 4;
        random.fill(stream, 6);
        stream.wait = 5 - group;  // so that their first columns coincide
        bench.start(stream);
        bench.step();
      }
      bench.drain();
    }
  }
  bench.check_all_memory();
}

TEST_CASE("psum: halves of a word follow each other") {
  PsumBench bench;
  RandomStreams random(test_seed());
  for (unsigned column = 0; column < 4; ++column) {
    for (unsigned count = 1; count <= 5; ++count) {
      for (unsigned repeat = 0; repeat < 3; ++repeat) {
        Stream stream = random.stream(3, 0xF);
        stream.destination.half = true;
        stream.destination.stochastic = false;
        stream.destination.accumulate = repeat != 0;
        stream.destination.bank = 1;
        stream.destination.column = column;
        stream.wait = 1;
        random.fill(stream, count);
        // Without a gap: it reads the word that the one before writes in the same cycle.
        while (!bench.can_start(stream)) bench.step();
        bench.start(stream);
      }
    }
  }
  bench.check_all_memory();
}

TEST_CASE("psum: accumulation on the same column in every cycle") {
  PsumBench bench;
  RandomStreams random(test_seed());
  for (unsigned i = 0; i < 40; ++i) {
    Stream stream = random.stream(i % 4, 0xF);
    stream.destination.half = i >= 20;
    stream.destination.stochastic = false;
    stream.destination.accumulate = true;
    stream.destination.bank = 5;
    stream.destination.column = 7;
    stream.wait = 1;
    random.fill(stream, 1);
    while (!bench.can_start(stream)) bench.step();
    bench.start(stream);
    bench.step();
  }
  bench.check_all_memory();
}

TEST_CASE("psum: a stream runs across banks") {
  PsumBench bench;
  RandomStreams random(test_seed());
  for (bool half : {false, true}) {
    const unsigned in_bank = kBankColumns * (half ? 2 : 1);
    for (unsigned port : {0U, 3U, kRawPort}) {
      Stream whole = random.stream(port, 0xF);
      whole.destination.half = half;
      whole.destination.accumulate = whole.destination.stochastic = false;
      whole.destination.bank = whole.destination.column = 0;
      random.fill(whole, in_bank * kBanks);
      bench.start(whole);
      bench.drain();
      Stream part = whole;
      part.destination.bank = 2;
      part.destination.column = in_bank - 1;
      part.destination.accumulate = port != kRawPort;
      random.fill(part, in_bank + 2);
      bench.start(part);
      bench.drain();
      bench.check_all_memory();
    }
  }
}

TEST_CASE("psum: quad mode writes four banks in a cycle") {
  PsumBench bench;
  RandomStreams random(test_seed());
  for (unsigned i = 0; i < 60; ++i) {
    Stream stream = random.quad();
    while (!bench.can_start(stream)) bench.step();
    bench.start(stream);
  }
  bench.check_all_memory();
}

TEST_CASE("psum: random streams on all ports with the access port") {
  PsumBench bench;
  bench.seed(test_seed());
  RandomStreams random(test_seed());
  unsigned most = 0, started = 0;
  for (unsigned cycle = 0; cycle < 60000; ++cycle) {
    // A few tries make several streams run side by side.
    for (unsigned attempt = 0; attempt < 6; ++attempt) {
      const Stream stream = random.any();
      if (!bench.can_start(stream)) continue;
      bench.start(stream);
      ++started;
      break;
    }
    if (!bench.access_pending() && random.below(2) == 0) bench.access(random.access());
    bench.step();
    most = std::max(most, bench.streams());
  }
  bench.check_all_memory();
  CHECK(started > 5000);
  CHECK(most >= 6);
  CHECK(bench.refusals() > 1000);
}

TEST_CASE("psum: a reset in any cycle loses what is in flight and keeps the memories") {
  PsumBench bench;
  bench.seed(test_seed());
  RandomStreams random(test_seed() + 1);
  unsigned cut = 0;
  for (unsigned life = 0; life < 400; ++life) {
    for (unsigned cycles = random.below(60); cycles > 0; --cycles) {
      const Stream stream = random.any();
      if (bench.can_start(stream)) bench.start(stream);
      if (!bench.access_pending() && random.below(2) == 0) bench.access(random.access());
      bench.step();
    }
    if (bench.busy()) ++cut;
    bench.reset();
    if (life % 20 == 0) bench.check_all_memory();
  }
  bench.check_all_memory();
  CHECK(cut > 300);
}
