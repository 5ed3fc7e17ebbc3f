// SPDX-License-Identifier: Apache-2.0
// Faults on purpose: each kind of a plan happens at its time, and the runtime, the chip's registers
// and the firmware see of it what docs/howto/faults.md says.
#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "sw/base/user_error.h"
#include "sw/kernels/matmul.h"
#include "sw/platform/faults/fault_injector.h"
#include "sw/platform/managed/managed_chip.h"
#include "sw/platform/managed/own_firmware.h"
#include "sw/platform/platform.h"
#include "sw/runtime/management.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"
#include "systemc/mgmt/devices/backend/buffer_backend.h"
#include "tb/common/temp_folder.h"

namespace tern::tb {
namespace {

using Catch::Contains;
using numerics::DType;
using sc_core::sc_time;

FaultPlan plan_of(const std::string& text) {
  const TempFolder folder;
  const std::string path = folder.path() / "faults.yaml";
  std::ofstream(path) << text;
  return load_fault_plan(path);
}

// A chip with firmware and a plan; one product runs on core 0.
struct Bench {
  explicit Bench(const std::string& plan)
      : managed("management", platform.chip, mgmt::load_board_config("tern"), own_firmware("", ""),
                &terminal),
        injector("faults", plan_of(plan), platform.chip, &managed.board()),
        management(platform.port) {}

  struct Run {
    std::string error;  // of the runtime; empty: the product is right
    double seconds = 0;
    std::array<std::uint32_t, TERN_ERROR_CLASS_COUNT> counts{};
    std::vector<tern_error_entry> log;
    bool happened = false;
  };

  // The operands are allocated first: `a` begins where HBM does.
  Run run() {
    Run result;
    platform.run([&] {
      managed.wait_ready({20, sc_core::SC_MS});
      try {
        result.seconds = multiply();
      } catch (const RunError& error) {
        result.error = error.what();
      }
      sc_core::wait({200, sc_core::SC_US});
      result.counts = management.error_counts();
      result.log = management.error_log();
      result.happened = injector.outcomes().at(0).state == FaultInjector::Outcome::State::kHappened;
    });
    return result;
  }
  double multiply() {
    kernels::MatmulSpec spec;
    spec.m = 128, spec.k = 512, spec.n = 512;
    runtime::Runtime& host = platform.runtime;
    const runtime::Buffer a = host.allocate("a", spec.k * spec.m * 2);
    const runtime::Buffer b = host.allocate("b", spec.k * spec.n * 2);
    const runtime::Buffer c = host.allocate("c", spec.m * spec.n * 4);
    const auto ones = [&](const runtime::Buffer& buffer) {
      const Bytes bytes = to_bytes(std::vector<float>(buffer.bytes() / 2, 1), DType::kBf16);
      host.copy_to_device(buffer, bytes.data(), bytes.size());
    };
    ones(a), ones(b);
    runtime::Program program =
        host.load(kernels::build_matmul(spec, platform.config), {{"a", &a}, {"b", &b}, {"c", &c}});
    host.execute(program);
    injector.program_starts();
    const double seconds = host.wait(program, injector.plan().limit_ms * 1e-3).seconds();
    std::vector<float> product(spec.m * spec.n);
    host.copy_from_device(c, product.data(), c.bytes());
    for (const float value : product) {
      if (value != static_cast<float>(spec.k)) throw RunError("the product is wrong");
    }
    return seconds;
  }

  Platform platform;
  mgmt::BufferBackend terminal;
  ManagedChip managed;
  FaultInjector injector;
  runtime::Management management;
};

}  // namespace

TEST_CASE("faults: without one the product is right, and nobody counts anything") {
  Bench bench("faults: [{after: 1000000, queue: sync, fault: core_reset}]");
  const Bench::Run run = bench.run();
  CHECK(run.error.empty());
  CHECK_FALSE(run.happened);
  CHECK(run.log.empty());
}

TEST_CASE("faults: one wrong bit of an operand is corrected and counted") {
  Bench bench("faults: [{at_us: 0, fault: hbm_bits, stack: 0, offset: 0x40}]");
  const Bench::Run run = bench.run();
  CHECK(run.error.empty());
  CHECK(run.happened);
  CHECK(run.counts[TERN_ERROR_CLASS_ECC_CORRECTED] >= 1);
  CHECK(run.log.at(0).address == 0x40);
}

TEST_CASE("faults: two wrong bits stop the ring that reads them") {
  Bench bench("faults: [{at_us: 0, fault: hbm_bits, stack: 0, offset: 0x40, bits: 2}]");
  const Bench::Run run = bench.run();
  CHECK_THAT(run.error, Contains("uncorrectable bits in memory") && Contains("status 1201"));
  CHECK(run.counts[TERN_ERROR_CLASS_ECC_UNCORRECTABLE] >= 1);
  CHECK(run.counts[TERN_ERROR_CLASS_DMA_ABORT] == 1);
}

TEST_CASE("faults: an aborted ring is an error of the DMA engine") {
  Bench bench("faults: [{after: 1, queue: sync, fault: dma_abort, engine: 0, ring: 0}]");
  const Bench::Run run = bench.run();
  CHECK(run.happened);
  CHECK_THAT(run.error, Contains("DMA engine 0, ring 0") && Contains("1203"));
  CHECK(run.counts[TERN_ERROR_CLASS_DMA_ABORT] == 1);
  CHECK(run.log.at(0).unit == 0);
}

TEST_CASE("faults: a damaged descriptor is refused by the scan") {
  Bench bench("faults: [{at_us: 0, fault: bad_descriptor, engine: 0, ring: 0, index: 0}]");
  const Bench::Run run = bench.run();
  CHECK(run.happened);
  CHECK_THAT(run.error, Contains("DMA engine 0, ring 0: stopped at descriptor 0"));
  CHECK(run.counts[TERN_ERROR_CLASS_DMA_ABORT] == 1);
}

TEST_CASE("faults: a queue that hangs is found by the time limit and by the firmware") {
  Bench bench("{limit_ms: 50, faults: [{after: 3, queue: tensor, fault: hang}]}");
  const Bench::Run run = bench.run();
  CHECK(run.happened);
  CHECK_THAT(run.error, Contains("50") && Contains("tensor"));
  CHECK(run.counts[TERN_ERROR_CLASS_HANG] == 1);
}

TEST_CASE("faults: a throttled core is slower and right, until the throttling ends") {
  Bench bench("faults: [{at_us: 0, fault: throttle, factor: 4, for_us: 10000}]");
  bench.platform.run([&] {
    bench.managed.wait_ready({20, sc_core::SC_MS});
    const double throttled = bench.multiply();
    sc_core::wait({10, sc_core::SC_MS});
    const double plain = bench.multiply();
    CHECK(throttled > 1.3 * plain);
    CHECK(throttled < 40 * plain);
  });
}

TEST_CASE("faults: the strongest of several throttles holds, and a weaker one stays") {
  Bench bench(
      "faults: [{at_us: 0, fault: throttle, factor: 4}, "
      "{at_us: 0.1, fault: throttle, factor: 8, for_us: 0.1}]");
  bench.platform.run([&] {
    bench.managed.wait_ready({20, sc_core::SC_MS});
    bench.multiply();
    CHECK(bench.multiply() > 9e-6);  // about 7 us without
  });
}

TEST_CASE("faults: a ring that is never set up has no descriptor to break") {
  Bench bench("faults: [{at_us: 0, fault: bad_descriptor, engine: 3, ring: 15}]");
  const Bench::Run run = bench.run();
  CHECK(run.error.empty());
  CHECK(bench.injector.outcomes()[0].state == FaultInjector::Outcome::State::kNowhere);
}

TEST_CASE("faults: a reset by the host ends the program, and the next one runs") {
  Bench bench("{limit_ms: 5, faults: [{after: 2, queue: sync, fault: core_reset}]}");
  bench.platform.run([&] {
    bench.managed.wait_ready({20, sc_core::SC_MS});
    CHECK_THROWS_AS(bench.multiply(), RunError);
    bench.platform.runtime.reset(0);
    CHECK_NOTHROW(bench.multiply());
  });
}

TEST_CASE("faults: garbage on the serial line changes nothing") {
  Bench bench("faults: [{boot_us: 100, fault: uart, bytes: '\\x03\\xffgarbage'}]");
  const Bench::Run run = bench.run();
  CHECK(run.happened);
  CHECK(run.error.empty());
  CHECK(run.log.empty());
}

TEST_CASE("faults: a flipped bit of slot A boots slot B") {
  Bench bench("faults: [{boot_us: 0, fault: flash_bit, offset: 0x400, bit: 5}]");
  const Bench::Run run = bench.run();
  CHECK(run.happened);
  CHECK(run.error.empty());
  CHECK_THAT(bench.terminal.output(), Contains("slot A refused, class 4"));
  CHECK_THAT(bench.terminal.output(), Contains("slot B verified"));
}

TEST_CASE("faults: every error class can be produced") {
  std::string plan = "faults:\n";
  for (const char* name : {"ecc_corrected", "ecc_uncorrectable", "ecc_repairable", "dma_abort",
                           "semaphore_overflow", "sequencer_fatal", "hang"})
    plan += std::string("- {at_us: 0, fault: chip_error, unit: 1, class: ") + name + "}\n";
  Bench bench(plan);
  const Bench::Run run = bench.run();
  CHECK(run.error.empty());
  for (unsigned c = 0; c < run.counts.size(); ++c) {
    CAPTURE(c);
    CHECK(run.counts[c] == 1);
  }
}

TEST_CASE("fault plans: what is refused, with its line") {
  const auto text = [](const std::string& plan) {
    try {
      const FaultPlan loaded = plan_of(plan);
      check_fault_plan(loaded, {4, 8, 1 << 20, false});
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK(text("faults: [{at_us: 1, fault: hbm_bits}]") == "accepted");
  CHECK_THAT(text("faults:\n- {at_us: 1, fault: hbm_bit}"),
             Contains("faults.yaml:2: key 'faults[0].fault': expected one of hbm_bits"));
  CHECK_THAT(text("faults:\n- {fault: hbm_bits}"), Contains("faults.yaml:2: one of at_us"));
  CHECK_THAT(text("faults: [{at_us: 1, after: 2, queue: sync, fault: hang}]"),
             Contains("one of at_us"));
  CHECK_THAT(text("faults: [{at_us: 1, fault: hbm_bits, stack: 4}]"),
             Contains("faults.yaml:1: hbm_bits: the chip has 4 stacks"));
  CHECK_THAT(text("faults: [{at_us: 1, fault: hbm_bits, offset: 0x100000}]"),
             Contains("a stack has 0x100000 bytes"));
  CHECK_THAT(text("faults: [{at_us: 1, fault: core_reset, core: 8}]"),
             Contains("the chip has 8 cores"));
  CHECK_THAT(text("faults: [{at_us: 1, fault: uart, bytes: x}]"),
             Contains("only on a chip with a management core"));
  CHECK_THAT(text("faults: [{at_us: 1, fault: hbm_bits, stak: 4}]"), Contains("stak"));
  CHECK_THAT(text("faults: [{at_us: -1, fault: hbm_bits}]"), Contains("at_us"));
  CHECK_THAT(text("limit_ms: 1"), Contains("faults"));
}

}  // namespace tern::tb
