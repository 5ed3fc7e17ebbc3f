// SPDX-License-Identifier: Apache-2.0
#define SC_INCLUDE_DYNAMIC_PROCESSES
#include <catch2/catch.hpp>
#include <map>

#include "tb/noc/noc_bench.h"

using namespace tern;
using tern::tb::NocBench;

namespace {

struct CounterLog : trace::Sink {
  struct Entry {
    std::uint64_t time_fs;
    double value;
  };
  std::map<trace::TrackId, std::string> names;
  std::map<std::string, std::vector<Entry>> counters;  // "core0 busy"

  void track(trace::TrackId id, const std::string& process, const std::string& thread) override {
    CHECK(process == "noc");
    names[id] = thread;
  }
  void span(const trace::Span&) override {}
  void counter(trace::TrackId track, std::string_view name, std::uint64_t time_fs,
               double value) override {
    counters[names.at(track) + " " + std::string(name)].push_back({time_fs, value});
  }
};

}  // namespace

TEST_CASE("a trace shows busy time and queue of every resource, microsecond by microsecond") {
  trace::Bus bus;
  const auto log = std::make_shared<CounterLog>();
  bus.add_sink(log);
  NocBench bench(tb::test_noc(), &bus);
  bench.simulation.run([&] {
    sc_core::wait(2500, sc_core::SC_NS);
    // 3 us of work for the port of core 0, all of it there at once.
    for (unsigned n = 0; n < 1500; ++n) {
      bench.engines[0]->write(NocBench::sbuf(0, n * 1024), std::vector<std::uint8_t>(1024));
    }
    bench.engines[0]->wait_all();
    sc_core::wait(5, sc_core::SC_US);
  });
  const auto& busy = log->counters["core0 busy"];
  const auto& waiting = log->counters["core0 waiting"];
  REQUIRE(busy.size() == waiting.size());
  REQUIRE(busy.size() >= 4);
  // From 2.51 us to 5.51 us: half a microsecond, two whole ones, half a one, then silence.
  CHECK(busy[0].time_fs == 2'000'000'000);
  CHECK(busy[0].value == Approx(0.49).margin(0.01));
  CHECK(busy[1].value == Approx(1));
  CHECK(busy[2].value == Approx(1));
  CHECK(busy[3].value == Approx(0.51).margin(0.01));
  double sum = 0;
  for (const auto& entry : busy) sum += entry.value;
  CHECK(sum == Approx(3));
  CHECK(busy.back().value == 0);
  CHECK(waiting[0].value == 1499);
  CHECK(waiting[1].value == Approx(1500 - 245).margin(2));
  CHECK(waiting[3].value == Approx(255).margin(2));
  CHECK(waiting.back().value == 0);
  CHECK(log->counters.count("hbm0 read busy") == 0);  // nothing happened there
  CHECK(log->names.size() == bench.noc.resources());
}
