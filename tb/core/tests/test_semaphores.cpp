// SPDX-License-Identifier: Apache-2.0
// When a queue sees a change of a semaphore: its own at once, another queue's and one from outside
// later.
#include <catch2/catch.hpp>
#include <cmath>
#include <systemc>
#include <utility>
#include <vector>

#include "systemc/core/semaphores.h"
#include "tb/core/bench/core_bench.h"

namespace tern::tb {

namespace {

using sc_core::SC_NS;
using sc_core::sc_time;

constexpr unsigned kSelf = 1, kOther = 2;

tern_header_t wait_header(unsigned condition, std::uint32_t value) {
  tern_header_t header{};
  header.wait_sem = 7;
  header.wait_cond = static_cast<std::uint8_t>(condition);
  header.wait_value = value;
  return header;
}

// Semaphore 7 changes as `changes` say, in ns; a queue that begins to wait at `from` goes on at
// the time that run() returns.
struct Bench : sc_core::sc_module {
  SC_HAS_PROCESS(Bench);
  struct Change {
    double ns;
    std::uint32_t value;
    unsigned source;
  };
  Bench(std::vector<Change> list, double from_ns, tern_header_t condition)
      : sc_module("semaphores"), changes(std::move(list)), from(from_ns), header(condition) {
    SC_THREAD(change);
    SC_THREAD(wait_for);
  }
  void change() {
    for (const Change& c : changes) {
      wait(sc_time(c.ns, SC_NS) - sc_core::sc_time_stamp());
      semaphores.set(7, c.value, c.source);
      CHECK(semaphores.value(7) == c.value);  // at once
    }
  }
  void wait_for() {
    wait(sc_time(from, SC_NS));
    Semaphores::Waiter waiter;
    waiter.queue = kSelf;
    semaphores.wait_for(header, waiter);
    went_on = sc_core::sc_time_stamp() / sc_time(1, SC_NS);
    CHECK(waiter.satisfied);
  }

  Semaphores semaphores{{sc_time(30, SC_NS), sc_time(300, SC_NS)}};
  std::vector<Change> changes;
  double from;
  tern_header_t header;
  double went_on = -1;
};

long went_on(const std::vector<Bench::Change>& changes, double from, const tern_header_t& header) {
  bench_name();  // the resolution of time
  Bench bench(changes, from, header);
  sc_core::sc_start(sc_time(10, sc_core::SC_US));
  return std::lround(bench.went_on);
}

}  // namespace

TEST_CASE("semaphores: a queue that waits already sees another queue's change 30 ns later") {
  CHECK(went_on({{100, 1, kOther}}, 10, wait_header(TERN_WAIT_COND_GE, 1)) == 130);
}

TEST_CASE("semaphores: and its own at once") {
  CHECK(went_on({{100, 1, kSelf}}, 10, wait_header(TERN_WAIT_COND_GE, 1)) == 100);
}

TEST_CASE("semaphores: a write from outside takes as long as that of a transfer's end") {
  CHECK(went_on({{100, 1, Semaphores::kOutside}}, 10, wait_header(TERN_WAIT_COND_EQ, 1)) == 400);
}

TEST_CASE("semaphores: who comes while a change is on its way waits for the rest") {
  CHECK(went_on({{100, 1, kOther}}, 120, wait_header(TERN_WAIT_COND_GE, 1)) == 130);
}

TEST_CASE("semaphores: who comes later does not wait") {
  CHECK(went_on({{100, 1, kOther}}, 131, wait_header(TERN_WAIT_COND_GE, 1)) == 131);
}

TEST_CASE("semaphores: a count that is high enough stays so while it grows") {
  CHECK(went_on({{100, 1, kOther}, {150, 2, kOther}, {155, 3, kOther}}, 160,
                wait_header(TERN_WAIT_COND_GE, 1)) == 160);
}

TEST_CASE("semaphores: of changes on their way the first that meets the condition counts") {
  CHECK(went_on({{100, 1, kOther}, {110, 2, kOther}, {120, 3, kOther}}, 121,
                wait_header(TERN_WAIT_COND_GE, 2)) == 140);
}

TEST_CASE("semaphores: a value that has been overwritten may still be seen") {
  // 0 until 130, 1 until 140, then 2.
  CHECK(went_on({{100, 1, kOther}, {110, 2, kOther}}, 115, wait_header(TERN_WAIT_COND_EQ, 1)) ==
        130);
}

}  // namespace tern::tb
