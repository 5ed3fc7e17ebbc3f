// SPDX-License-Identifier: Apache-2.0
#include "systemc/wave/state_log.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

using namespace tern;  // NOLINT: a test uses the names of what it tests
using wave::StateLog;

namespace {

constexpr std::uint64_t kNs = 1'000'000;  // fs

StateLog::Limits limits(const std::string& scope = "") {
  StateLog::Limits its;
  its.place = [](std::uint64_t) { return StateLog::Place::kRecorded; };
  its.scope = scope;
  return its;
}

// "path = value" by time in ps.
std::vector<std::pair<std::uint64_t, std::string>> changes(const StateLog& log) {
  std::vector<std::pair<std::uint64_t, std::string>> all;
  for (const StateLog::Change& c : log.changes()) {
    const StateLog::Signal& signal = log.signals()[c.signal];
    const bool text = signal.kind == StateLog::Kind::kText;
    all.emplace_back(c.ps,
                     signal.path + " = " + (text ? log.text(c.value) : std::to_string(c.value)));
  }
  return all;
}

}  // namespace

TEST_CASE("state log: what is in a scope, or around it") {
  using wave::in_scope;
  CHECK(in_scope("core0.tensor", ""));
  CHECK(in_scope("core0.tensor", "core0"));
  CHECK(in_scope("core0.tensor", "core0.tensor"));
  CHECK(in_scope("core0.tensor", "core0.tensor.u_ctrl"));
  CHECK_FALSE(in_scope("core0.tensor", "core0.vector"));
  CHECK_FALSE(in_scope("core10", "core1"));
  CHECK_FALSE(in_scope("core1", "core10"));
}

TEST_CASE("state log: spans are texts, and those that overlap have signals of their own") {
  StateLog log(limits());
  log.track(0, "core2", "dma7");
  log.track(1, "core2", "tensor");
  log.track(2, "core2", "dge scalar");
  log.span({0, "ring 2", 10 * kNs, 30 * kNs, R"({"bytes":64,"class":3})"});
  log.span({0, "ring 0", 20 * kNs, 25 * kNs, R"({"bytes":4,"class":3})"});
  log.span({0, "ring 1", 24 * kNs, 40 * kNs, ""});
  log.span({1, "move", 5 * kNs, 9 * kNs, R"({"index":12,"start_ns":5.000,"source":"a.cpp:7: x"})"});
  log.span({2, "dma_copy", 7 * kNs, 7 * kNs, ""});
  using Expected = std::vector<std::pair<std::uint64_t, std::string>>;
  // What nests in another span has its lane in a timeline, but a signal has one value.
  CHECK(changes(log) == Expected{{10000, "core2.dma_packets.dma7 = ring 2, bytes 64, class 3"},
                                 {30000, "core2.dma_packets.dma7 = "},
                                 {20000, "core2.dma_packets.dma7_2 = ring 0, bytes 4, class 3"},
                                 {25000, "core2.dma_packets.dma7_2 = "},
                                 {24000, "core2.dma_packets.dma7_3 = ring 1"},
                                 {40000, "core2.dma_packets.dma7_3 = "},
                                 {5000, "core2.queues.tensor.executes = move #12"},
                                 {9000, "core2.queues.tensor.executes = "},
                                 {5000, "core2.queues.tensor.source = a.cpp:7: x"},
                                 {9000, "core2.queues.tensor.source = "},
                                 {7000, "core2.dge_scalar = dma_copy"},
                                 {7001, "core2.dge_scalar = "}});
}

TEST_CASE("state log: only the scope is kept") {
  StateLog log(limits("core0.semaphores"));
  log.track(0, "core0", "semaphores");
  log.track(1, "core0", "vector");
  log.state(0, "s3", 1 * kNs, std::uint64_t{5});
  log.state(1, "pc", 1 * kNs, std::uint64_t{5});
  log.span({1, "move", 5 * kNs, 9 * kNs, R"({"index":12})"});
  log.counter(1, "load", 2 * kNs, 0.5);
  REQUIRE(log.signals().size() == 1);
  CHECK(log.signals()[0].path == "core0.semaphores.s3");
  CHECK(log.has_track_in_scope());
}

TEST_CASE("state log: what was before the limits is where recording begins, what is after is not") {
  StateLog::Limits its = limits();
  its.place = [](std::uint64_t ps) {
    if (ps < 10000) return StateLog::Place::kBefore;
    return ps > 20000 ? StateLog::Place::kAfter : StateLog::Place::kRecorded;
  };
  StateLog log(its);
  log.track(0, "core0", "vector");
  for (std::uint64_t ns = 1; ns < 30; ns += 4) log.state(0, "pc", ns * kNs, ns);
  log.span({0, "move", 5 * kNs, 15 * kNs, R"({"index":1})"});
  CHECK(log.signals()[0].before == 9);
  CHECK(log.text(log.signals()[1].before) == "move #1");
  using Expected = std::vector<std::pair<std::uint64_t, std::string>>;
  CHECK(changes(log) == Expected{{13000, "core0.queues.vector.pc = 13"},
                                 {17000, "core0.queues.vector.pc = 17"},
                                 {15000, "core0.queues.vector.executes = "}});
}

TEST_CASE("state log: of a long run only the end stays in memory, and what was before") {
  StateLog::Limits its = limits();
  its.keeps_ps = 100;
  StateLog log(its);
  log.track(0, "core0", "vector");
  log.state(0, "status", 0, std::string_view("running"));
  for (std::uint64_t ps = 1; ps <= 100000; ++ps) log.state(0, "pc", ps * 1000, ps);
  CHECK(log.changes().size() <= 201);
  CHECK(log.changes().front().ps <= 100000 - 100);
  const StateLog::Signal& status = log.signals()[0];
  CHECK(log.text(status.before) == "running");
  CHECK(log.signals()[1].before == log.changes().front().value - 1);
}
