// SPDX-License-Identifier: Apache-2.0
#include "systemc/wave/chip_wave.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "sw/base/user_error.h"
#include "tb/common/temp_folder.h"

using namespace tern;  // NOLINT: a test uses the names of what it tests
using wave::ChipWave;
using Block = ChipWave::Block;

namespace {

constexpr std::uint64_t kPs = 1000;  // fs

// Clocks of 500 ps, 1 ns and 2 ns.
ChipConfig chip() {
  ChipConfig config;
  config.core.tensor_clock_ghz = 2;
  config.core.vector.clock_ghz = 1;
  config.dma.clock_ghz = 0.5;
  return config;
}

struct Bench {
  explicit Bench(const ChipWaveOptions& given = {}) : options(given) {
    if (options.file.empty()) options.file = folder.path("w.fst");
    wave = std::make_unique<ChipWave>(options, chip(), [this] { return now_fs; });
    bus.add_sink(wave->sink());
    vector = bus.add_track("core0", "vector");
  }
  bool records(std::uint64_t ps) const {
    return wave->part("core0.x", Block::kDma).time->records(ps);
  }

  void begin(std::uint64_t ps) {
    bus.state(vector, "status", ps * kPs, std::string_view("running"));
  }

  tb::TempFolder folder;
  ChipWaveOptions options;
  std::uint64_t now_fs = 0;
  trace::Bus bus;
  trace::TrackId vector = 0;
  std::unique_ptr<ChipWave> wave;
};

}  // namespace

TEST_CASE("chip wave: a block's cycles in simulated time") {
  const Bench bench;
  const WaveOptions tensor = bench.wave->part("core0.tensor", Block::kTensor);
  CHECK(tensor.time->at(0, 0) == 0);
  CHECK(tensor.time->at(24, 0) == 12000);
  CHECK(tensor.time->at(24, 1) == 12250);
  CHECK(tensor.time->at(24'000'000, 0) == 12'000'000'000);
  const WaveOptions dma = bench.wave->part("core0.dma3", Block::kDma);
  CHECK(dma.time->at(7, 1) == 15000);
  ChipConfig odd = chip();
  odd.core.tensor_clock_ghz = 2.4;  // a third of a nanosecond and 83.3 ps
  ChipWaveOptions options;
  options.file = bench.folder.path("odd.fst");
  ChipWave wave(options, odd, [] { return 0; });
  const WaveOptions third = wave.part("core0.tensor", Block::kTensor);
  CHECK(third.time->at(1, 0) == 417);
  CHECK(third.time->at(24'000'000'001, 0) == 10'000'000'000'417);  // no error adds up
}

TEST_CASE("chip wave: a block that works when asked begins then, and never goes back") {
  Bench bench;
  const WaveOptions exp = bench.wave->part("core0.exp", Block::kVector);
  bench.now_fs = 5000 * kPs;
  CHECK(exp.time->at(0, 0) == 5000);
  CHECK(exp.time->at(0, 1) == 5500);
  CHECK(exp.time->at(1, 0) == 6000);
  CHECK(exp.time->at(2, 1) == 7500);
  bench.now_fs = 6000 * kPs;  // asked again before its cycles end
  CHECK(exp.time->at(3, 0) == 8000);
  bench.now_fs = 20000 * kPs;
  CHECK(exp.time->at(4, 0) == 20000);
  CHECK(exp.time->at(5, 0) == 21000);
}

TEST_CASE("chip wave: limits count from the start of the first queue") {
  ChipWaveOptions options;
  options.from_cycle = 10;
  options.to_cycle = 20;
  Bench bench(options);
  CHECK_FALSE(bench.records(100));
  bench.begin(1000);
  bench.begin(9000);  // the second one
  CHECK_FALSE(bench.records(1000 + 4999));
  CHECK(bench.records(1000 + 5000));
  CHECK(bench.records(1000 + 10000));
  CHECK_FALSE(bench.records(1000 + 10001));
}

TEST_CASE("chip wave: or from what happens") {
  ChipWaveOptions options;
  options.trigger = "core0.vector instruction 812";
  options.to_cycle = 10;
  Bench bench(options);
  bench.begin(10);
  CHECK_FALSE(bench.records(0));
  bench.bus.state(bench.vector, "instruction", 100 * kPs, std::uint64_t{81});
  CHECK_FALSE(bench.records(100));
  bench.bus.state(bench.vector, "instruction", 3000 * kPs, std::uint64_t{812});
  CHECK(bench.records(3000));
  CHECK_FALSE(bench.records(2999));
  CHECK_FALSE(bench.records(8001));
  bench.bus.state(bench.vector, "instruction", 9000 * kPs, std::uint64_t{812});  // only once
  CHECK_FALSE(bench.records(9001));

  options.trigger = "  core0.vector   status error ";
  Bench text(options);
  text.bus.state(text.vector, "status", 5000 * kPs, std::string_view("error"));
  CHECK(text.records(5000));
}

TEST_CASE("chip wave: bad options leave no file") {
  tb::TempFolder folder;
  ChipWaveOptions options;
  options.file = folder.path("w.fst");
  for (const char* trigger : {"x", "812", "core0.vector", " . ", "core0 5"}) {
    CAPTURE(trigger);
    options.trigger = trigger;
    CHECK_THROWS_AS(ChipWave(options, chip(), [] { return 0; }), UserError);
  }
  options.trigger.clear();
  options.scope = "core9.tensor";
  const auto make = [&] {
    ChipWave wave(options, chip(), [] { return 0; });
    CHECK(wave.part("core0.tensor", Block::kTensor).file.empty());
    wave.check_scope();
  };
  CHECK_THROWS_WITH(make(), "--wave-scope: the chip has no 'core9.tensor'");
  CHECK(folder.files().empty());
}

TEST_CASE("chip wave: a scope within a block is the block's") {
  ChipWaveOptions options;
  options.scope = "core0.tensor.u_ctrl.u_queue";
  const Bench bench(options);
  CHECK(bench.wave->part("core0.tensor", Block::kTensor).scope == "u_ctrl.u_queue");
  CHECK(bench.wave->part("core0.exp", Block::kTensor).file.empty());
}

TEST_CASE("chip wave: complete under its name, and after an error as far as it got") {
  {
    Bench bench;
    bench.begin(500);
    bench.bus.state(bench.vector, "pc", 1000 * kPs, std::uint64_t{1});
    bench.wave.reset();
    CHECK(bench.folder.files() == std::vector<std::string>{"w.fst"});
  }
  tb::TempFolder folder;
  ChipWaveOptions options;
  options.file = folder.path("w.fst");
  try {
    Bench bench(options);
    bench.begin(500);
    bench.bus.state(bench.vector, "pc", 1000 * kPs, std::uint64_t{1});
    throw std::runtime_error("the run fails");
  } catch (const std::runtime_error&) {
    CHECK(folder.files() == std::vector<std::string>{"w.fst.partial"});
  }
}
