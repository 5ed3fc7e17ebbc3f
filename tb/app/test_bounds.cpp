// SPDX-License-Identifier: Apache-2.0
// What bounds a phase, from hand-written spans.
#include <catch2/catch.hpp>
#include <string>

#include "sw/app/report/bounds.h"
#include "sw/config/load_chip_config.h"

using namespace tern;  // NOLINT: test file
using app::BoundLog;
using app::PhaseBound;

namespace {

constexpr std::uint64_t kUs = 1'000'000'000;  // fs

enum Track : trace::TrackId { kTensor, kVector, kDma3, kOtherTensor, kPort, kHbm, kTracks };

struct Written {
  Written() : log(load_chip_config("trn3").chip, 0) {
    const char* names[kTracks][2] = {{"core0", "tensor"}, {"core0", "vector"},
                                     {"core0", "dma3"},   {"core1", "tensor"},
                                     {"noc", "core0"},    {"noc", "hbm0 read"}};
    for (unsigned t = 0; t < kTracks; ++t) log.track(t, names[t][0], names[t][1]);
  }
  void span(Track track, const char* name, double from_us, double to_us, const char* args = "") {
    log.span({track, name, static_cast<std::uint64_t>(from_us * kUs),
              static_cast<std::uint64_t>(to_us * kUs), args});
  }
  std::vector<PhaseBound> phases(double to_us) const {
    return log.phases(0, static_cast<std::uint64_t>(to_us * kUs));
  }
  BoundLog log;
};

double share_of(const PhaseBound& phase, const std::string& name) {
  for (const auto& use : phase.uses) {
    if (use.name == name) return use.share;
  }
  return 0;
}

}  // namespace

TEST_CASE("bounds: fill, work and drain are cut at the first and the last computing instruction") {
  Written w;
  w.span(kDma3, "ring 0", 2, 4, R"({"bytes":132000,"descriptors":4})");
  w.span(kTensor, "nop", 0, 1);  // no work
  w.span(kTensor, "multiply_moving", 4, 10);
  w.span(kVector, "tensor_copy", 9, 10.5);
  w.span(kOtherTensor, "multiply_moving", 0, 20);  // of another core
  const auto phases = w.phases(12);
  REQUIRE(phases.size() == 3);
  CHECK(phases[0].name == "fill");
  CHECK(phases[0].us == Approx(4));
  // 132,000 bytes in 4 us of 528 GB/s.
  CHECK(share_of(phases[0], "DMA engines") == Approx(132e3 / (4e-6 * 528e9)));
  CHECK(phases[0].only_transfers == Approx(0.5));
  CHECK(phases[0].nothing == Approx(0.5));
  CHECK(phases[0].bound.rfind("latency: transfers that start", 0) == 0);
  CHECK(phases[1].name == "work");
  CHECK(phases[1].us == Approx(6.5));
  CHECK(share_of(phases[1], "tensor") == Approx(6 / 6.5));
  CHECK(share_of(phases[1], "vector") == Approx(1.5 / 6.5));
  CHECK(phases[1].bound == "tensor");
  CHECK(phases[1].nothing == Approx(0).margin(1e-9));
  CHECK(phases[2].name == "drain");
  CHECK(phases[2].us == Approx(1.5));
  CHECK(phases[2].nothing == Approx(1));
}

TEST_CASE("bounds: memory and network count from their counters") {
  Written w;
  w.span(kVector, "memset", 0, 1);
  w.span(kVector, "memset", 9, 10);
  w.span(kDma3, "ring 0", 0, 10, R"({"bytes":1000})");
  for (unsigned us = 0; us < 10; ++us) {
    w.log.counter(kHbm, "busy", us * kUs, 0.95);
    w.log.counter(kHbm, "waiting", us * kUs, 7);
    w.log.counter(kPort, "busy", us * kUs, us < 5 ? 0.8 : 0.0);
  }
  const auto phases = w.phases(10);
  REQUIRE(phases.size() == 1);
  CHECK(phases[0].bound == "HBM stack, reads");
  CHECK(share_of(phases[0], "HBM stack, reads") == Approx(0.95));
  CHECK(share_of(phases[0], "network port of the core") == Approx(0.4));
  CHECK(phases[0].only_transfers == Approx(0.8));
}

TEST_CASE("bounds: a program without computing is transfers, an empty one nothing") {
  Written w;
  w.span(kDma3, "ring 1", 1, 3.4, R"({"bytes":528000})");
  const auto phases = w.phases(4);
  REQUIRE(phases.size() == 1);
  CHECK(phases[0].name == "transfers");
  CHECK(share_of(phases[0], "DMA engines") == Approx(0.25));
  CHECK(phases[0].bound == "latency: data on the way");
  CHECK(w.log.phases(5, 5).empty());
}

TEST_CASE("bounds: a line for a terminal is short and says what its number is") {
  const std::string wait = "latency: engines wait for one another";
  CHECK(app::bound_text({"work", 12.345, {{"tensor", 0.97}}, 0, 0, "tensor"}) ==
        "work 12.35 us: tensor busy 97 %");
  CHECK(app::bound_text({"work", 12.345, {{"tensor", 0.82}}, 0, 0, wait}) ==
        "work 12.35 us: latency: engines wait for one another; tensor busy 82 %");
  CHECK(app::bound_text({"fill", 2, {{"DMA engines", 0.91}}, 0, 0, "DMA engines"}) ==
        "fill 2.00 us: DMA engines at 91 %");
  for (const char* bound :
       {"latency: transfers that start, semaphores", "latency: data on the way", wait.c_str()}) {
    CHECK(app::bound_text({"drain", 1, {}, 0, 1, bound}).size() < 60);
    for (const char* name : {"tensor", "gpsimd", "DMA engines", "network port of the core",
                             "HBM stack, reads", "HBM stack, writes"})
      CHECK(app::bound_text({"drain", 12345.678, {{name, 0.88}}, 0, 0, bound}).size() <= 81);
  }
}

TEST_CASE("bounds: an engine that triggers transfers is busy, but does not compute") {
  Written w;
  w.span(kVector, "dma_trigger", 0, 1);
  w.span(kVector, "memset", 2, 4);
  const auto phases = w.phases(4);
  REQUIRE(phases.size() == 2);
  CHECK(phases[0].us == Approx(2));
  CHECK(share_of(phases[0], "vector") == Approx(0.5));
  CHECK(phases[0].nothing == Approx(1));
}
