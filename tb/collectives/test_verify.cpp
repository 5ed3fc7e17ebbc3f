// SPDX-License-Identifier: Apache-2.0
// Schedules that deadlock, lose data or leave an order open are refused, with the step.
#include <catch2/catch.hpp>

#include "sw/base/user_error.h"
#include "sw/collectives/algorithms/algorithms.h"
#include "sw/collectives/algorithms/builder.h"
#include "sw/collectives/verify.h"

using namespace tern;               // NOLINT: a test uses the names of what it tests
using namespace tern::collectives;  // NOLINT

namespace {

std::string verdict(const Schedule& schedule) {
  try {
    verify(schedule);
  } catch (const UserError& error) {
    return error.what();
  }
  return "correct";
}

Problem of(Operation operation, unsigned ranks) {
  Problem problem;
  problem.operation = operation;
  problem.ranks = ranks;
  return problem;
}

Schedule ring(unsigned ranks) {
  return make_schedule("ring", of(Operation::kAllReduce, ranks), {ranks});
}

Place data(unsigned chunk) {
  return {Buffer::kData, chunk};
}

}  // namespace

TEST_CASE("schedules: steps outside of their buffers and ranks") {
  Schedule schedule = ring(4);
  REQUIRE(verdict(schedule) == "correct");
  Step& put = schedule.streams[2][0][0];
  put.at.chunk = 4;
  CHECK(verdict(schedule) == "ring: rank 2, stream 0, step 0: data[4]: the last chunk is 3");
  put.at = {Buffer::kScratch, 0};
  CHECK(verdict(schedule) == "ring: rank 2, stream 0, step 0: scratch[0]: there is no such buffer");
  put.at = {Buffer::kInput, 0};
  CHECK(verdict(schedule) == "ring: rank 2, stream 0, step 0: input[0]: there is no such buffer");
  put.at = data(1);
  put.rank = 4;
  CHECK(verdict(schedule) == "ring: rank 2, stream 0, step 0: rank 4, of 4 ranks");
  put.rank = 3;
  put.count = 0;
  CHECK(verdict(schedule) == "ring: rank 2, stream 0, step 0: a count of 0");
  schedule = ring(4);
  schedule.chunks = 3;
  CHECK(verdict(schedule).find("the last chunk is 2") != std::string::npos);
  schedule = make_schedule("ring", of(Operation::kAllGather, 4), {4});
  schedule.chunks = 6;
  CHECK(verdict(schedule) == "ring: 6 chunks do not divide among 4 ranks");
  schedule.chunks = Schedule::kMostChunks + 1;
  CHECK(verdict(schedule) == "ring: 1 to 1048576 chunks");
}

TEST_CASE("schedules: what would take too long or too much memory to verify") {
  Schedule schedule = ring(2);
  schedule.chunks = schedule.scratch = Schedule::kMostChunks;
  Step own;
  own.kind = Step::kPut;
  own.from = data(0);
  own.at = {Buffer::kScratch, 0};
  own.count = Schedule::kMostChunks;
  Stream& stream = schedule.streams[0][0];
  stream.insert(stream.begin(), 100, own);
  CHECK(verdict(schedule) ==
        "ring: rank 0, stream 0, step 64: puts of more than 67108864 chunks in all");
  // Many streams know of each other, and one sends signals on and on that are not waited for.
  constexpr unsigned kRanks = 32, kStreams = 64;
  schedule = ring(kRanks);
  for (unsigned rank = 0; rank < kRanks; ++rank) {
    schedule.streams[rank].resize(kStreams);
    for (unsigned s = 1; s < kStreams; ++s) {
      for (unsigned other = 0; other < kRanks; ++other) {
        if (other == rank) continue;
        Step step;
        step.kind = Step::kSignal;
        step.rank = other;
        schedule.streams[rank][s].push_back(step);
      }
      for (unsigned other = 0; other < kRanks; ++other) {
        if (other == rank) continue;
        Step step;
        step.kind = Step::kWait;
        step.rank = other;
        step.stream = s;
        schedule.streams[rank][s].push_back(step);
      }
    }
  }
  Step signal, flush, wait;
  signal.kind = Step::kSignal;
  signal.rank = 1;
  flush.kind = Step::kFlush;
  wait.kind = Step::kWait;
  wait.stream = 1;
  wait.count = 70000;
  for (unsigned i = 0; i < wait.count; ++i) {
    schedule.streams[0][1].push_back(signal);
    schedule.streams[0][1].push_back(flush);
  }
  schedule.streams[1][1].push_back(wait);
  schedule.streams[0][0][0].line = 1;  // of a file
  CHECK(verdict(schedule) ==
        "ring: too large to be verified: too many puts at once that are not waited for");
}

TEST_CASE("schedules: a deadlock is found, with what is waited for") {
  Schedule schedule = ring(4);
  // Everybody waits before it sends.
  for (auto& streams : schedule.streams) std::swap(streams[0][0], streams[0][1]);
  CHECK(verdict(schedule) ==
        "ring: rank 0, stream 0, step 0: waits forever for put 1 of rank 3, stream 0, which waits "
        "itself after 0 (3 other streams wait, too)");
  schedule = ring(4);
  schedule.streams[1][0].pop_back();
  schedule.streams[1][0].pop_back();  // its last put and wait
  CHECK(verdict(schedule) ==
        "ring: rank 2, stream 0, step 11: waits forever for put 6 of rank 1, stream 0, which has "
        "ended after 5");
}

TEST_CASE("schedules: lost, doubled and misplaced contributions") {
  Schedule schedule = ring(4);
  schedule.streams[0][0][0].add = false;
  CHECK(verdict(schedule) ==
        "ring: rank 3, stream 0, step 6: in the end data[3] of rank 0, last put here, lacks what "
        "rank 1 "
        "gives");
  Builder twice("twice", of(Operation::kAllReduce, 2), 1);
  twice.put(0, 0, data(0), 1, data(0), 1, true);
  twice.wait(1, 0, 0);
  twice.put(1, 0, data(0), 0, data(0), 1, true);
  twice.wait(0, 0, 1);
  CHECK(verdict(twice.take()) ==
        "twice: rank 1, stream 0, step 1: adds what rank 0 has given a second time to data[0] of "
        "rank 0");
  Builder mixed("mixed", of(Operation::kAllReduce, 2), 2);
  mixed.put(0, 0, data(0), 1, data(1), 1, true);
  mixed.wait(1, 0, 0);
  CHECK(verdict(mixed.take()) == "mixed: rank 0, stream 0, step 0: adds chunk 0 to chunk 1");
  Builder nothing("nothing", of(Operation::kAllGather, 2), 2);
  nothing.put(0, 0, data(1), 1, data(0), 1);
  nothing.wait(1, 0, 0);
  CHECK(verdict(nothing.take()) ==
        "nothing: rank 0, stream 0, step 0: sends data[1] of rank 0, where nothing is");
  Builder idle("idle", of(Operation::kAllGather, 2), 2);
  CHECK(verdict(idle.take()) ==
        "idle: in the end data[1] of rank 0, where nothing is put, has nothing");
  Builder swapped("swapped", of(Operation::kAllToAll, 2), 2);
  for (unsigned rank = 0; rank < 2; ++rank) {
    swapped.put(rank, 0, {Buffer::kInput, rank}, rank, {Buffer::kOutput, rank}, 1);
    swapped.put(rank, 0, {Buffer::kInput, rank}, 1 - rank, {Buffer::kOutput, rank}, 1);
    swapped.wait(rank, 0, 1 - rank);
  }
  CHECK(verdict(swapped.take()) ==
        "swapped: rank 1, stream 0, step 1: in the end output[1] of rank 0, last put here, has "
        "chunk 3, not 2");
}

TEST_CASE("schedules: what waits leave open is an error, for bits must not depend on times") {
  // Two ranks add to a third one: whose comes first?
  Builder race("race", of(Operation::kAllReduce, 3), 1);
  race.put(0, 0, data(0), 2, data(0), 1, true);
  race.put(1, 0, data(0), 2, data(0), 1, true);
  race.wait(2, 0, 0);
  race.wait(2, 0, 1);
  CHECK(verdict(race.take()) ==
        "race: rank 1, stream 0, step 0: writes data[0] of rank 2 while another put may still "
        "write there");
  // An exchange in place: what is sent changes meanwhile.
  Builder exchange("exchange", of(Operation::kAllReduce, 2), 1);
  exchange.put(0, 0, data(0), 1, data(0), 1, true);
  exchange.put(1, 0, data(0), 0, data(0), 1, true);
  exchange.wait(1, 0, 0);
  exchange.wait(0, 0, 1);
  CHECK(verdict(exchange.take())
            .find("sends data[0] of rank 1 before it waits for what is written there") !=
        std::string::npos);
  // A place that is used again while the put before may still read it.
  Builder reuse("reuse", of(Operation::kBroadcast, 3), 1, 1);
  reuse.put(0, 0, data(0), 0, {Buffer::kScratch, 0}, 1);
  reuse.put(0, 0, {Buffer::kScratch, 0}, 1, data(0), 1);
  reuse.put(0, 0, data(0), 0, {Buffer::kScratch, 0}, 1);
  reuse.wait(1, 0, 0);
  CHECK(verdict(reuse.take()) ==
        "reuse: rank 0, stream 0, step 2: writes scratch[0] of rank 0 while another put may still "
        "read there");
  // With a flush between it is right.
  Builder flushed("flushed", of(Operation::kBroadcast, 3), 1, 1);
  flushed.put(0, 0, data(0), 0, {Buffer::kScratch, 0}, 1);
  flushed.put(0, 0, {Buffer::kScratch, 0}, 1, data(0), 1);
  flushed.flush(0, 0);
  flushed.put(0, 0, data(0), 0, {Buffer::kScratch, 0}, 1);
  flushed.put(0, 0, {Buffer::kScratch, 0}, 2, data(0), 1);
  flushed.wait(1, 0, 0);
  flushed.wait(2, 0, 0);
  CHECK(verdict(flushed.take()) == "correct");
  // Nobody waits for the last put.
  Schedule schedule = ring(2);
  schedule.streams[1][0].pop_back();
  CHECK(verdict(schedule) ==
        "ring: rank 0, stream 0, step 2: rank 1 waits for 1 of 2 puts of this stream");
  // Two streams of a rank wait for the same puts.
  schedule = ring(2);
  schedule.streams[1].push_back({schedule.streams[1][0].back()});
  schedule.streams[1][0].pop_back();
  CHECK(verdict(schedule).find("of this rank waits for the same puts") != std::string::npos);
}

TEST_CASE("schedules: streams of a rank wait for each other's steps") {
  Builder b("after", of(Operation::kBroadcast, 2), 1, 1);
  b.put(0, 0, data(0), 0, {Buffer::kScratch, 0}, 1);
  b.put(0, 1, {Buffer::kScratch, 0}, 1, data(0), 1);
  b.wait(1, 1, 0);
  Schedule schedule = b.take();
  schedule.streams[1].resize(2);
  CHECK(verdict(schedule).find("before it waits for what is written there") != std::string::npos);
  Step after;
  after.kind = Step::kAfter;
  after.stream = 0;
  after.count = 0;
  schedule.streams[0][1].insert(schedule.streams[0][1].begin(), after);
  CHECK(verdict(schedule) == "correct");
  schedule.streams[0][1][0].count = 1;
  CHECK(verdict(schedule) == "after: rank 0, stream 1, step 0: stream 0 has no step 1");
}
