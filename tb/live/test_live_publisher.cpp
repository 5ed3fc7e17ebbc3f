// SPDX-License-Identifier: Apache-2.0
// A simulation shows itself: the right counts, a file that comes and goes, and no effect on it.
#include <sys/resource.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>

#include "sw/kernels/builder/kernel_builder.h"
#include "sw/live/live_files.h"
#include "sw/live/run_folder.h"
#include "sw/platform/live/live_publisher.h"
#include "sw/platform/platform.h"
#include "systemc/trace/sim_time.h"
#include "systemc/trace/summary_sink.h"
#include "tb/common/temp_folder.h"

using namespace tern;  // NOLINT: test file
namespace fs = std::filesystem;

namespace {

using kernels::DType;

Executable program(const ChipConfig& chip) {
  kernels::KernelBuilder kb("sums", chip);
  const kernels::Tensor in = kb.input("in", DType::kFp32, {128, 256});
  const kernels::Tensor out = kb.output("out", DType::kFp32, {128, 256});
  const kernels::Tile x = kb.sbuf_tile("x", 128, 256, DType::kFp32);
  kb.dma_load(x, in.view(0, 128, 0, 256));
  for (int i = 0; i < 5; ++i) kb.tensor_tensor(x, x, kernels::Alu::kAdd, x);
  kb.activation(x, kernels::Activation::kRelu, x);
  kb.dma_store(out.view(0, 128, 0, 256), x);
  return kb.finish();
}

}  // namespace

TEST_CASE("publisher: a state has what the chip has done") {
  Platform platform("trn3");
  const auto summary = std::make_shared<trace::SummarySink>();
  platform.trace.add_sink(summary);
  live::description() = {"test", "tern run \"x\"", "0"};
  live::Publisher live;
  live.add(platform.hosted, "chip");
  const Bytes in(128 * 256 * 4);
  live::State state;
  platform.run([&] {
    platform.call(program(platform.config), {{"in", in}}, 2);
    platform.call(program(platform.config), {{"in", in}}, 2);
    state = live.sample();
  });
  CHECK(state.pid == getpid());
  CHECK(state.kind == "test");
  CHECK(state.command == "tern run \"x\"");
  CHECK(state.simulated_us == Approx(static_cast<double>(now_fs()) * 1e-9));
  REQUIRE(state.devices.size() == 1);
  const live::Device& device = state.devices.front();
  CHECK(device.chip == "trn3");
  REQUIRE(device.cores.size() == platform.config.cores);
  REQUIRE(device.stacks.size() == platform.config.hbm.stacks);
  CHECK(device.host_write_bytes >= 2 * in.size());
  const live::Core& core = device.cores[2];
  CHECK(core.state == live::CoreState::kIdle);
  CHECK(core.programs == 2);
  CHECK(core.failed_programs == 0);
  CHECK(core.errors == 0);
  CHECK(core.program_us.front() > 1);
  CHECK(core.program_us.back() >= core.program_us.front());
  CHECK(core.program_us.back() < 100);
  CHECK(core.dma_bytes >= 2 * 2 * in.size());
  CHECK(core.dma_busy_us > 0);
  CHECK(device.cores[0].programs == 0);
  // The same busy time as a sink of the trace adds up.
  for (const unsigned q : {TERN_QUEUE_VECTOR, TERN_QUEUE_SCALAR, TERN_QUEUE_SYNC}) {
    const auto* track = summary->find("core2", kQueueNames[q]);
    REQUIRE(track != nullptr);
    CHECK(core.engines[q].busy_us == Approx(static_cast<double>(track->busy_fs) * 1e-9));
    CHECK(core.engines[q].utilization > 0);
  }
  CHECK(core.engines[TERN_QUEUE_TENSOR].busy_us < core.engines[TERN_QUEUE_VECTOR].busy_us);
}

TEST_CASE("publisher: the file comes while it runs, and goes at the end") {
  const tb::TempFolder temp;
  const fs::path folder = temp / "run";
  setenv("TERN_RUN_DIR", folder.c_str(), 1);
  Platform platform("trn3");
  unsigned seen = 0;
  std::uint64_t end = 0;
  {
    live::Publisher live;
    live.add(platform.hosted, "chip");
    live.watch(platform.simulation);
    CHECK_FALSE(fs::exists(folder));  // nothing before the first look
    platform.run([&] {
      const Bytes in(128 * 256 * 4);
      const auto begin = std::chrono::steady_clock::now();
      while (seen == 0 && std::chrono::steady_clock::now() - begin < std::chrono::minutes(2)) {
        platform.call(program(platform.config), {{"in", in}});
        seen = static_cast<unsigned>(live::find_states(folder).states.size());
      }
      end = now_fs();
    });
    CHECK(seen == 1);
    const live::Found found = live::find_states();
    REQUIRE(found.states.size() == 1);
    CHECK(found.states.front().simulated_us > 0);
    CHECK(found.states.front().simulated_us <= static_cast<double>(end) * 1e-9);
  }
  CHECK(live::find_states(folder).states.empty());
  CHECK(fs::is_empty(folder));
}

TEST_CASE("publisher: a state that cannot be written is gone, and comes again when it can") {
  const tb::TempFolder temp;
  const fs::path folder = temp / "run";
  setenv("TERN_RUN_DIR", folder.c_str(), 1);
  Platform platform("trn3");
  live::Publisher live;
  live.add(platform.hosted, "chip");
  const auto shown = [&] {
    live.publish();
    return live::find_states(folder).states.size() == 1;
  };
  CHECK(shown());
  // As on a full disk: a write fails after some bytes.
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit little{100, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &little) == 0);
  const bool shown_on_full_disk = shown();
  const bool left = !fs::is_empty(folder);
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, handler);
  CHECK_FALSE(shown_on_full_disk);
  CHECK_FALSE(left);  // neither an old state nor half of one
  CHECK(shown());
  fs::remove_all(folder);  // as those do who clean /tmp
  live.publish();
  CHECK(shown());
}

TEST_CASE("publisher: a folder that is not its user's is left alone") {
  const tb::TempFolder temp;
  const fs::path folder = temp / "run";
  fs::create_directory(folder);
  fs::permissions(folder, fs::perms::all);
  setenv("TERN_RUN_DIR", folder.c_str(), 1);
  Platform platform("trn3");
  live::Publisher live;
  live.add(platform.hosted, "chip");
  live.publish();
  live.publish();
  CHECK(fs::is_empty(folder));
}
