// SPDX-License-Identifier: Apache-2.0
// Programs on several chips that wait for what never comes, and for what comes late.
#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "sw/platform/chips/distribution.h"
#include "sw/platform/chips/host_threads.h"
#include "sw/platform/chips/system_rest.h"
#include "sw/runtime/status.h"
#include "systemc/trace/sim_time.h"
#include "tb/chips/chips_bench.h"

using namespace tern;  // NOLINT: test file
using Catch::Contains;
using runtime::DeadlockError;
using tb::ChipsBench;
using tb::kPipeLatency;
using tb::sum_part;

namespace {

constexpr unsigned kColumns = 4;

// A part of a sum on core 0 of a chip, ready to start.
struct Loaded {
  runtime::Buffer x, y;
  std::unique_ptr<runtime::Program> program;
};

Loaded load(runtime::Runtime& runtime, const ChipSystem& chips, unsigned part, unsigned parts) {
  Loaded loaded;
  loaded.x = runtime.allocate("x", 128 * kColumns * sizeof(float));
  loaded.y = runtime.allocate("y", 128 * kColumns * sizeof(float));
  std::vector<std::uint64_t> windows;
  for (unsigned n = 0; n < parts; ++n) windows.push_back(chips.window(n, 0));
  loaded.program = std::make_unique<runtime::Program>(
      runtime.load(sum_part(chips.config(), part, parts, kColumns, true),
                   {{"x", &loaded.x}, {"y", &loaded.y}}, 0, windows));
  return loaded;
}

// Hosts of three chips, each with its part of a sum. late(): before the first part starts, which
// tells the others to begin; false: it does not.
void run_three(ChipsBench& bench, const std::function<bool()>& late) {
  SystemRest rest(*bench.chip_system);
  std::vector<std::function<void()>> hosts;
  for (unsigned n = 0; n < 3; ++n) {
    hosts.emplace_back([&, n] {
      const SystemRest::Host host(rest);
      Loaded loaded = load(bench.runtime(n), *bench.chip_system, n, 3);
      if (n == 0 && !late()) return;
      bench.runtime(n).execute(*loaded.program);
      rest.wait(n, bench.runtime(n), *loaded.program);
    });
  }
  run_hosts(hosts);
}

double now_us() {
  return static_cast<double>(now_fs()) * 1e-9;
}

// Another process that does what this one does, and sends nothing.
class Mirror : public system::Ranks {
 public:
  unsigned rank() const override { return 0; }
  unsigned size() const override { return 2; }
  std::vector<std::string> exchange(const std::string& mine) override { return {mine, mine}; }
  void end(const std::string&) override {}
};

}  // namespace

TEST_CASE("system rest: a deadlock over chips is reported at once, with what each waits for") {
  ChipsBench bench("trn2-nl16", 3);
  std::string message;
  bench.simulation.run([&] {
    try {
      run_three(bench, [] { return false; });
    } catch (const DeadlockError& error) {
      message = error.what();
    }
    CHECK(now_us() < 1000);  // the limit is 10 s
  });
  INFO(message);
  CHECK_THAT(message, Contains("deadlock: at ") && Contains("on any chip or between them"));
  for (const char* chip : {"server0.tray0.chip1, ", "server0.tray1.chip0, "})
    CHECK_THAT(message, Contains(chip));
  CHECK_THAT(message, !Contains("server0.tray0.chip0"));
  CHECK_THAT(message, Contains("program 'sum' on core 0:") &&
                          Contains(": start\n    waits for semaphore 72 >= 1, it is 0") &&
                          Contains("no instruction and no DMA descriptor of this part does"));
}

TEST_CASE("system rest: a host that starts its program late is waited for") {
  ChipsBench bench("trn2-nl16", 3);
  bench.simulation.run([&] {
    run_three(bench, [] {
      sc_core::wait(3, sc_core::SC_MS);
      return true;
    });
    CHECK(now_us() > 3000);
  });
}

TEST_CASE("system rest: what is under way between chips is waited for") {
  ChipsBench bench("trn2-nl16", 3);
  bench.pipe->set_latency(1'000'000'000'000);  // 1 ms
  bench.simulation.run([&] {
    run_three(bench, [] { return true; });
    CHECK(now_us() > 3000);
  });
}

TEST_CASE("system rest: chips of several processes") {
  Mirror ranks;
  Simulation simulation;
  const system::Fabric fabric(system::load_system("trn2-nl16"));
  const ChipConfig config = load_chip_config("trn3").chip;
  ChipSystem chips(fabric, {0, 1}, config, std::make_unique<tb::PipeTransport>(kPipeLatency), {},
                   &ranks);
  SystemRest rest(chips);
  Rendezvous meeting(2, 1'000'000'000);
  Distribution distribution(ranks, chips.network(), meeting, rest);
  Simulation::Options how;
  how.windows = &distribution;
  std::string message;
  simulation.run(
      [&] {
        const SystemRest::Host host(rest);
        runtime::Runtime runtime(chips.chip(0).host());
        // The second part, which sends nothing before the first one does.
        Loaded loaded = load(runtime, chips, 1, 2);
        runtime.execute(*loaded.program);
        try {
          rest.wait(0, runtime, *loaded.program);
        } catch (const DeadlockError& error) {
          message = error.what();
        }
        CHECK(now_us() < 1000);  // the limit is 10 s
      },
      how);
  CHECK_THAT(message, Contains("server0.tray0.chip0, program 'sum' on core 0:"));
}
