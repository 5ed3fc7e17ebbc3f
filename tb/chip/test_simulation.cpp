// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "systemc/chip/simulation.h"
#include "systemc/trace/sim_time.h"

using tern::Simulation;

namespace {

// Ticks forever and throws the given exception at the given time.
struct Ticker : sc_core::sc_module {
  SC_HAS_PROCESS(Ticker);
  explicit Ticker(sc_core::sc_module_name name, unsigned throw_at_us = 0)
      : sc_module(name), throw_at_us_(throw_at_us) {
    SC_THREAD(run);
  }
  void run() {
    for (unsigned us = 1;; ++us) {
      wait(1, sc_core::SC_US);
      if (us == throw_at_us_) throw tern::UserError("thrown by a module");
    }
  }
  unsigned throw_at_us_;
};

// Throws from an SC_METHOD at its first activation after zero time.
struct ThrowingMethod : sc_core::sc_module {
  SC_HAS_PROCESS(ThrowingMethod);
  explicit ThrowingMethod(sc_core::sc_module_name name) : sc_module(name) { SC_METHOD(run); }
  void run() {
    if (tern::now_fs() > 0) throw tern::UserError("thrown by a method");
    next_trigger(1, sc_core::SC_US);
  }
};

struct Guard {
  bool& flag;
  ~Guard() { flag = true; }
};

}  // namespace

TEST_CASE("the host program runs in simulated time, more than once") {
  Simulation simulation;
  CHECK(sc_core::sc_get_time_resolution() == sc_core::sc_time(1, sc_core::SC_FS));
  unsigned runs = 0;
  for (unsigned i = 0; i < 3; ++i) {
    simulation.run([&] {
      sc_core::wait(10, sc_core::SC_NS);
      ++runs;
    });
  }
  CHECK(runs == 3);
  CHECK(tern::now_fs() == 30'000'000);
}

TEST_CASE("an exception of the host program keeps its type") {
  Simulation simulation;
  CHECK_THROWS_WITH(simulation.run([] {
    sc_core::wait(1, sc_core::SC_NS);
    throw tern::UserError("from the host");
  }),
                    "from the host");
  bool ran = false;
  simulation.run([&] { ran = true; });  // the chip itself is fine
  CHECK(ran);
}

TEST_CASE("an exception of any other process reaches the caller with its type") {
  Simulation simulation;
  Ticker ticker("ticker", 5);
  CHECK_THROWS_AS(simulation.run([] { sc_core::wait(1, sc_core::SC_SEC); }), tern::UserError);
  CHECK(tern::now_fs() == 5'000'000'000);
  CHECK_THROWS_AS(simulation.run([] {}), tern::RunError);
}

TEST_CASE("an exception of a method process, too") {
  Simulation simulation;
  ThrowingMethod method("method");
  CHECK_THROWS_WITH(simulation.run([] { sc_core::wait(1, sc_core::SC_SEC); }),
                    "thrown by a method");
}

TEST_CASE("waiting for what cannot come is an error, not a silent end") {
  Simulation simulation;
  sc_core::sc_event never;
  Simulation::Options options;
  options.describe_rest = [] { return std::string("queue 3 waits"); };
  const auto program = [&] {
    sc_core::wait(3, sc_core::SC_US);
    sc_core::wait(never);
  };
  CHECK_THROWS_WITH(simulation.run(program, options), Catch::Contains("came to rest at 3.000 us") &&
                                                          Catch::EndsWith(": queue 3 waits"));
}

TEST_CASE("the stop flag unwinds the host program, and progress is reported") {
  Simulation simulation;
  Ticker ticker("ticker");
  std::atomic<bool> stop{false};
  unsigned calls = 0;
  bool unwound = false;
  Simulation::Options options;
  options.stop = &stop;
  options.progress_ms = 50;
  options.progress = [&](std::uint64_t fs) {
    CHECK(fs > 0);
    ++calls;
  };
  std::thread signal([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    stop = true;
  });
  const auto begin = std::chrono::steady_clock::now();
  CHECK_THROWS_AS(simulation.run(
                      [&] {
                        const Guard guard{unwound};
                        sc_core::wait(3600, sc_core::SC_SEC);
                      },
                      options),
                  tern::Interrupted);
  const auto took = std::chrono::steady_clock::now() - begin;
  signal.join();
  CHECK(unwound);
  CHECK(calls >= 2);
  CHECK(took < std::chrono::milliseconds(900));
}
