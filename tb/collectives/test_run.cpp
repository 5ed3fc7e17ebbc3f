// SPDX-License-Identifier: Apache-2.0
// Schedules in time: formulas of idle networks, bounds of published systems.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "sw/collectives/algorithms/algorithms.h"
#include "sw/collectives/schedule_file.h"
#include "sw/collectives/verify.h"
#include "sw/system/fabric.h"
#include "systemc/collectives/bounds.h"
#include "systemc/collectives/schedule_run.h"
#include "systemc/fabric/levels/levels.h"
#include "tb/collectives/group.h"
#include "tb/common/temp_folder.h"

using namespace tern;               // NOLINT: a test uses the names of what it tests
using namespace tern::collectives;  // NOLINT

namespace {

using tb::Group;

// One transfer alone, from a chip to another.
Time alone(const Group& group, std::uint32_t from, std::uint32_t to, std::uint64_t bytes,
           const std::string& level) {
  const auto transport = fabric::make_transport(level, group.fabric);
  fabric::Transfer transfer;
  transfer.source = from;
  transfer.target = to;
  transfer.bytes = bytes;
  transfer.traffic_class = 1;
  transport->send(transfer, 0);
  std::vector<fabric::Delivery> arrived;
  while (arrived.empty()) transport->advance(transport->next_time(), arrived);
  return arrived[0].arrived;
}

// Of links and cuts without ways: the slope over bytes.
double bandwidth_bound(const Problem& problem, const std::vector<std::uint32_t>& chips,
                       const system::Fabric& fabric, std::uint64_t bytes) {
  const Bounds bounds(problem, chips, fabric, {});
  return bounds.of(2 * bytes).seconds() - bounds.of(bytes).seconds();
}

// A broadcast from chip 0 to chip 1 of trn2-nl16 by these steps.
RunResult run_steps(const std::string& steps, std::uint64_t bytes, unsigned chunks = 1,
                    std::optional<CoreTimes> times = {}) {
  const Group group("trn2-nl16");
  Schedule schedule = parse_schedule(
      fmt::format("operation: broadcast\nranks: 2\nchunks: {0}\nscratch: {0}\nstreams:\n{1}",
                  chunks, steps),
      "x.yaml");
  verify(schedule);
  const auto transport = fabric::make_transport("flow", group.fabric);
  return run_schedule(schedule, {{0, 1}, bytes}, times.value_or(group.times()), *transport);
}

constexpr Operation kAllOperations[] = {
    Operation::kAllReduce, Operation::kAllGather, Operation::kReduceScatter, Operation::kAllToAll,
    Operation::kAllToAllV, Operation::kBroadcast, Operation::kPermute,       Operation::kBarrier};

}  // namespace

TEST_CASE("collective times: a ring on an idle torus takes 2 (p - 1) hops") {
  const Group group("trn2-nl16");
  const CoreTimes times = group.times();
  const auto ranks = static_cast<unsigned>(group.chips.size());
  const Schedule ring = make_schedule("ring", group.problem(Operation::kAllReduce), group.axes);
  for (const std::string level : {"packet", "flow", "ideal"}) {
    for (const std::uint64_t bytes : {16u * 64u, 16u * 65536u}) {
      // The put, its way, the neighbour's wake and wait: to each neighbour another one.
      std::vector<Time> hops;
      unsigned rank = 0;
      do {
        const unsigned next = ring.streams[rank][0].front().rank;
        const Time way = alone(group, rank, next, bytes / ranks, level);
        hops.push_back(times.step + way + times.wake + times.step);
        rank = next;
      } while (rank != 0);
      REQUIRE(hops.size() == ranks);
      const auto longest = [&](unsigned count) {
        Time most = 0;
        for (unsigned first = 0; first < ranks; ++first) {
          Time all = 0;
          for (unsigned hop = first; hop < first + count; ++hop) all += hops[hop % ranks];
          most = std::max(most, all);
        }
        return most;
      };
      CAPTURE(level, bytes);
      CHECK(group.run("ring", Operation::kAllReduce, bytes, level).time ==
            times.wake + longest(2 * (ranks - 1)));
      CHECK(group.run("ring", Operation::kAllGather, bytes, level).time ==
            times.wake + longest(ranks - 1));
    }
  }
}

TEST_CASE("collective times: on planes a larger operand takes no less time") {
  // Puts of 80 KiB on two planes of eight took longer than those of 96 KiB on three. Those of 62
  // KiB on one took longer than those of 64 KiB on eight.
  struct Sizes {
    const char* system;
    std::vector<std::uint64_t> kib;
  };
  for (const Sizes& sizes : {Sizes{"trn3-nl32x2-gen1", {3072, 4096, 5120, 6144, 7168, 8192, 10240}},
                             Sizes{"trn3-nl72x2-gen2", {256, 320, 448, 512, 640}}}) {
    const Group group(sizes.system);
    for (const std::string algorithm : {"mesh-axes", "mesh-across"}) {
      Time before = 0;
      for (const std::uint64_t kib : sizes.kib) {
        const Time time = group.run(algorithm, Operation::kAllReduce, kib << 10, "flow").time;
        CAPTURE(sizes.system, algorithm, kib);
        CHECK(time > before);
        before = time;
      }
    }
  }
}

TEST_CASE("collective times: a hop of a small ring is within what AWS publishes for Trainium2") {
  const Group group("trn2-nl16");
  const double hop =
      static_cast<double>(group.run("ring", Operation::kAllReduce, 1024, "packet").time) * 1e-9 /
      30;
  CHECK(hop > 1.0);  // us: aws-neuron-sdk, intranode-collective-comm: 1 to 2
  CHECK(hop < 2.0);
}

TEST_CASE("collective times: a hop across EFA is what AWS publishes, and units come last") {
  const system::Fabric fabric(system::load_system("trn2-nl16", 4));
  const auto run = [&](const std::string& algorithm, Operation operation,
                       std::vector<std::uint32_t> chips, const Axes& axes, std::uint64_t bytes) {
    Problem problem;
    problem.operation = operation;
    problem.ranks = static_cast<unsigned>(chips.size());
    const auto transport = fabric::make_transport("flow", fabric);
    return static_cast<double>(run_schedule(make_schedule(algorithm, problem, axes),
                                            {std::move(chips), bytes},
                                            core_times_of(fabric.config().collectives), *transport)
                                   .time) /
           1e9;
  };
  const double wake = 1.4;
  // aws-neuron-sdk: about 15 us from HBM to HBM.
  CHECK(run("ring", Operation::kAllGather, {0, 16}, {2}, 64) - wake == Approx(15).epsilon(0.01));
  std::vector<std::uint32_t> all(64);
  std::iota(all.begin(), all.end(), 0U);
  const Axes axes = {{4, 32}, {4, 32}, {4, 6.25}};
  constexpr std::uint64_t kBytes = 64 << 20;
  const double across = run("across", Operation::kAllReduce, all, axes, kBytes);
  // A NIC sends 3/4 of a 16th of the data twice; inside 15/16 go twice over four links.
  CHECK(across > 2 * 3 / 4.0 * kBytes / 16 / 25e3);
  CHECK(across < 2 * 3 / 4.0 * kBytes / 16 / 25e3 + 2 * 15 / 16.0 * kBytes / 512e3 * 1.35 + 150);
  CHECK(across < run("axes", Operation::kAllReduce, all, axes, kBytes));
  CHECK(across < run("hierarchical", Operation::kAllReduce, all, axes, kBytes) / 2);
}

TEST_CASE("collective times: two rings halve the time of bytes, and all axes both ways do more") {
  const Group group("trn2-nl16");
  const auto time = [&](const std::string& algorithm) {
    return static_cast<double>(
        group.run(algorithm, Operation::kAllReduce, std::uint64_t{1} << 28, "flow").time);
  };
  CHECK(time("ring") / time("two-rings") == Approx(2).epsilon(0.02));
  CHECK(time("ring") / time("axes") == Approx(4).epsilon(0.03));  // four links of a chip
}

TEST_CASE(
    "collective times: every algorithm ends on every kind of system, and none beats its bound") {
  for (const std::string name : {"trn2-nl16", "trn3-nl16-2d", "trn3-nl32x2-gen2"}) {
    const Group group(name);
    for (const Operation operation : kAllOperations) {
      const std::uint64_t bytes = operation == Operation::kBarrier ? 0 : 64u << 14;
      const double bound =
          Bounds(group.problem(operation), group.chips, group.fabric, group.times())
              .of(bytes)
              .seconds();
      CHECK(bound > 0);
      for (const std::string& algorithm : algorithms_for(group.problem(operation), group.axes)) {
        const RunResult result = group.run(algorithm, operation, bytes, "flow");
        CAPTURE(name, algorithm, name_of(operation));
        CHECK(result.lost == 0);
        CHECK(result.time > 0);
        CHECK(result.first <= result.time);
        CHECK(static_cast<double>(result.time) * 1e-15 >= bound);
        const RunResult again = group.run(algorithm, operation, bytes, "flow");
        CHECK(again.time == result.time);
      }
    }
  }
}

TEST_CASE("collective times: puts divided among planes use the links to all switches") {
  const Group group("trn3-nl32x2-gen2");
  const auto time = [&](unsigned planes) {
    return group.run("ring", Operation::kAllReduce, 64u << 20, "flow", planes).time;
  };
  // A link to a switch has 64 GB/s; then cables between the racks bound the ring, with 128.
  CHECK(static_cast<double>(time(1)) / static_cast<double>(time(8)) == Approx(2).epsilon(0.01));
}

TEST_CASE("collective bounds: cuts of the published systems") {
  // Bisections, one way. Trainium2: eight links of 128 GB/s across a 4x4 torus; 4x4x4: 16 x 2 links
  // of 64 GB/s across its third axis, of 128 across the others.
  const auto halves = [](const Group& group, unsigned distance) {
    std::vector<std::uint32_t> low, high;
    for (const std::uint32_t chip : group.chips)
      (chip / distance % 4 < 2 ? low : high).push_back(chip);
    return cut_of(group.fabric, low, high);
  };
  CHECK(halves(Group("trn2-nl16"), 1) == Approx(1.024e12));
  CHECK(halves(Group("trn2-nl16"), 4) == Approx(1.024e12));
  CHECK(halves(Group("trn2-nl64"), 16) == Approx(2.048e12));
  CHECK(halves(Group("trn2-nl64"), 1) == Approx(4.096e12));
}

TEST_CASE("collective bounds: formulas") {
  const Group group("trn2-nl16");
  constexpr std::uint64_t kBytes = std::uint64_t{1} << 30;
  const double chip = 512e9;  // 4 x 128 GB/s
  const auto seconds = [&](Operation operation) {
    return bandwidth_bound(group.problem(operation), group.chips, group.fabric, kBytes);
  };
  CHECK(seconds(Operation::kAllReduce) == Approx(2 * 15 / 16.0 * kBytes / chip));
  CHECK(seconds(Operation::kAllGather) == Approx(15 / 16.0 * kBytes / chip));
  // Half of all data crosses the middle: 8 ranks send half of theirs over 1.024 TB/s.
  CHECK(seconds(Operation::kAllToAll) == Approx(8 * 0.5 * kBytes / 1.024e12));
  CHECK(seconds(Operation::kBarrier) == 0);
  CHECK(seconds(Operation::kBroadcast) == Approx(kBytes / chip));
  // Out of a tray of two chips: six links.
  CHECK(
      Bounds(group.problem(Operation::kBroadcast), group.chips, group.fabric, {}).of(kBytes).cut ==
      Approx(kBytes / 768e9).epsilon(1e-3));
}

TEST_CASE("collective bounds: a way to the furthest rank, and one before the bytes of a chip") {
  const Group group("trn2-nl16");
  const CoreTimes times = group.times();
  const double start = static_cast<double>(times.wake + times.step) * 1e-15;
  const auto bound = [&](Operation operation, std::uint64_t bytes) {
    return Bounds(group.problem(operation), group.chips, group.fabric, times).of(bytes);
  };
  // From a corner of a 4x4 torus to its middle, two links along each axis.
  const double far = start + static_cast<double>(alone(group, 0, 10, 0, "packet")) * 1e-15;
  const Bound barrier = bound(Operation::kBarrier, 0);
  CHECK(barrier.latency == Approx(far));
  CHECK(barrier.seconds() == barrier.latency);
  CHECK(barrier.what() == "latency");
  // A target wakes, besides, and has a step for each signal that it sends and waits for.
  const double took =
      static_cast<double>(group.run("mesh", Operation::kBarrier, 0, "packet").time) * 1e-15;
  CHECK(took >= barrier.seconds());
  CHECK(took <= barrier.seconds() + static_cast<double>(times.wake + 30 * times.step) * 1e-15);
  const Bound small = bound(Operation::kAllReduce, 1024);
  CHECK(small.what() == "latency");
  CHECK(small.seconds() == small.latency);
  // A byte more takes its time on the four links of a chip.
  const Bound large = bound(Operation::kAllReduce, std::uint64_t{1} << 30);
  CHECK(large.what() == "links of chips");
  CHECK(large.links > start);
  CHECK(large.links < start + 1e-6 + 2 * 15 / 16.0 * (1 << 30) / 512e9);
  CHECK(bound(Operation::kAllToAll, 1 << 30).what() == "cut of 8 chips");
  // Neighbours only.
  CHECK(bound(Operation::kPermute, 0).latency < far);
}

TEST_CASE("collective bounds: chips with unequal links share the work of an AllReduce") {
  tb::TempFolder folder;
  const auto slope = [&](unsigned lanes) {
    const Group group(folder
                          .put("rack.yaml", fmt::format(R"(
name: rack
title: three chips
chip: trn3
lane_gb_per_s: 4
chip_lanes: 160
group: server
groups: 1
trays: 3
chips_per_tray: 1
cables:
- {{from: server0.tray0.chip0, to: server0.tray1.chip0, lanes: 64}}
- {{from: server0.tray0.chip0, to: server0.tray2.chip0, lanes: {0}}}
- {{from: server0.tray1.chip0, to: server0.tray2.chip0, lanes: {0}}}
)",
                                                        lanes))
                          .string());
    return bandwidth_bound(group.problem(Operation::kAllReduce), group.chips, group.fabric,
                           1 << 20) /
           (1 << 20);
  };
  CHECK(slope(64) == Approx(4 / (3 * 128 * 4e9)));  // four operands over all lanes
  CHECK(slope(4) == Approx(1 / (8 * 4e9)));         // one to the slow chip, and one from it
}

TEST_CASE("collective times: ranks that are cores of one chip need no link") {
  const Group group("trn2-nl16");
  const CoreTimes times = group.times();
  constexpr unsigned kCores = 4;
  constexpr std::uint64_t kBytes = 1 << 20;
  Problem problem;
  problem.operation = Operation::kAllGather;
  problem.ranks = kCores;
  const Placed placed{std::vector<std::uint32_t>(kCores, 3), kBytes};
  const Schedule schedule = make_schedule("ring", problem, {kCores});
  const auto transport = fabric::make_transport("packet", group.fabric);
  const RunResult result = run_schedule(schedule, placed, times, *transport);
  const auto part = static_cast<Time>(std::llround(times.local_byte * kBytes / kCores));
  CHECK(result.time == times.wake + (kCores - 1) * (times.step + part + times.wake + times.step));
  CHECK(result.bytes == 0);
  CHECK(transfers_of(schedule, placed).empty());
  CHECK(Bounds(problem, placed.chips, group.fabric, times).of(kBytes).seconds() == 0);
}

TEST_CASE("collective times: a stream waits for the end of a copy, whatever the streams' numbers") {
  constexpr std::uint64_t kBytes = 64 << 20;
  const auto run = [](const std::string& streams) { return run_steps(streams, kBytes).time; };
  const std::string copy = "- rank: 0\n  steps: [{put: data 0, to: 0, at: scratch 0}]\n";
  const auto send = [](unsigned other) {
    return fmt::format(
        "- rank: 0\n  steps: [{{after: {}, step: 0}}, {{put: scratch 0, to: 1, at: data 0}}]\n",
        other);
  };
  const auto get = [](unsigned of) {
    return fmt::format("- rank: 1\n  steps: [{{wait: 0, stream: {}}}]\n", of);
  };
  const Time one = run(
      "- rank: 0\n  steps: [{put: data 0, to: 0, at: scratch 0}, {put: scratch 0, to: 1, at: data "
      "0}]\n- rank: 1\n  steps: [{wait: 0}]\n");
  const Time two = run(copy + send(0) + get(1));
  CHECK(two == run(send(1) + copy + get(0)));
  // The other stream is woken, and takes a step.
  const CoreTimes times = Group("trn2-nl16").times();
  CHECK(two == one + times.wake + times.step);
}

TEST_CASE("collective times: a wake is that of what a stream waits for, whatever came before") {
  const CoreTimes times = Group("trn2-nl16").times();
  const auto flushes = [](unsigned count) {
    std::string steps;
    for (unsigned n = 0; n < count; ++n) steps += "{flush: true}, ";
    return steps;
  };
  Time before = 0;
  for (const unsigned count : {2u, 10u, 25u, 26u, 29u, 30u, 31u, 59u, 60u}) {
    CAPTURE(count);
    // Each flush ends a step later, and wakes nobody who waits for the last one.
    const auto waits = [&](unsigned of) {
      return fmt::format(
          "- rank: 0\n  steps: [{{after: {}, step: {}}}, {{put: data 0, to: 1, at: data 0}}]\n", of,
          count - 1);
    };
    const std::string works = "- rank: 0\n  steps: [" + flushes(count - 1) + "{flush: true}]\n";
    const auto get = [](unsigned of) {
      return fmt::format("- rank: 1\n  steps: [{{wait: 0, stream: {}}}]\n", of);
    };
    const Time first = run_steps(works + waits(0) + get(1), 64).time;
    CHECK(first == run_steps(waits(1) + works + get(0), 64).time);
    if (before > 0) CHECK(first > before);
    before = first;
    // The first of two puts wakes nobody who waits for both.
    const std::string two = "- rank: 0\n  steps: [{put: data 0, to: 1, at: scratch 0}, " +
                            flushes(count) +
                            "{put: data 0, to: 1, at: data 0}]\n"
                            "- rank: 1\n  steps: [{wait: 0, count: 2}]\n";
    const Time one_put =
        run_steps(
            "- rank: 0\n  steps: [{put: data 0, to: 1, at: data 0}]\n- rank: 1\n  steps: "
            "[{wait: 0}]\n",
            64)
            .time;
    CHECK(run_steps(two, 64).time >= one_put + times.step);
  }
}

TEST_CASE("collective times: copies of several streams of a core take turns") {
  constexpr std::uint64_t kBytes = 1 << 20;
  CoreTimes times = Group("trn2-nl16").times();
  times.local_byte = 1e5;  // fs: slower than any link
  std::string copies;
  for (unsigned chunk = 0; chunk < 8; ++chunk)
    copies +=
        fmt::format("- rank: 0\n  steps: [{{put: data {0}, to: 0, at: scratch {0}}}]\n", chunk);
  const std::string put = "- rank: 0\n  steps: [{put: data 0, to: 1, at: data 0, count: 8}]\n";
  const std::string get = "- rank: 1\n  steps: [{wait: 0}]\n";
  const Time time = run_steps(put + copies + get, kBytes, 8, times).time;
  CHECK(time == times.wake + times.step + static_cast<Time>(times.local_byte * kBytes));
}

TEST_CASE("collective times: no byte is lost between two places of scratch") {
  for (const std::uint64_t bytes : {7u, 1000u, 1023u, 1025u, 65535u}) {
    const RunResult result = run_steps(
        "- rank: 0\n  steps: [{put: data 0, to: 0, at: scratch 0, count: 1024}, {put: scratch 0, "
        "to: "
        "1, at: scratch 0, count: 1024}]\n"
        "- rank: 1\n  steps: [{wait: 0}, {put: scratch 0, to: 1, at: data 0, count: 1024}]\n",
        bytes, 1024);
    CAPTURE(bytes);
    CHECK(result.bytes == bytes);
  }
}

TEST_CASE("collective bounds: several ranks of a chip share its links") {
  const Group group("trn2-nl16");
  constexpr std::uint64_t kBytes = std::uint64_t{1} << 30;
  const double chip = 512e9;  // 4 x 128 GB/s
  std::vector<std::uint32_t> chips;
  for (const std::uint32_t of : group.chips) chips.insert(chips.end(), 2, of);
  const auto seconds = [&](Operation operation) {
    Problem problem = group.problem(operation);
    problem.ranks = 32;
    problem.to = next_of_each(32);
    return bandwidth_bound(problem, chips, group.fabric, kBytes);
  };
  CHECK(seconds(Operation::kAllReduce) == Approx(2 * 30 / 32.0 * kBytes / chip));
  CHECK(seconds(Operation::kAllGather) == Approx(30 / 32.0 * kBytes / chip));
  // 16 ranks send half of theirs over 1.024 TB/s.
  CHECK(seconds(Operation::kAllToAll) == Approx(16 * 0.5 * kBytes / 1.024e12));
  // Every second rank sends to the next chip: one in each row of four crosses the middle, and one
  // goes back.
  CHECK(seconds(Operation::kPermute) == Approx(4.0 * kBytes / 1.024e12));
}

TEST_CASE("collective bounds: a ragged exchange is bound by its busiest chip") {
  const Group group("trn2-nl16");
  constexpr std::uint64_t kBytes = std::uint64_t{1} << 30;
  Problem problem = group.problem(Operation::kAllToAllV);
  problem.counts.assign(16, std::vector<unsigned>(16, 1));
  const double even = bandwidth_bound(problem, group.chips, group.fabric, kBytes);
  CHECK(even == Approx(bandwidth_bound(group.problem(Operation::kAllToAll), group.chips,
                                       group.fabric, kBytes)));
  for (auto& row : problem.counts) row[5] = 8;
  // 15 ranks send 8 chunks of 128 each to the links of one chip.
  CHECK(bandwidth_bound(problem, group.chips, group.fabric, kBytes) ==
        Approx(15 * 8 / 128.0 * kBytes / 512e9));
}
