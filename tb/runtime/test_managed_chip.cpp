// SPDX-License-Identifier: Apache-2.0
// A chip whose management core runs Tern's firmware: nothing works before the firmware allows it,
// then everything as on a chip without one; the chip's errors arrive in the firmware, and the host
// reads them through the mailbox.
#define SC_INCLUDE_DYNAMIC_PROCESSES
#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sw/base/user_error.h"
#include "sw/firmware/firmware.h"
#include "sw/kernels/matmul.h"
#include "sw/platform/chip_snapshot.h"
#include "sw/platform/managed/managed_chip.h"
#include "sw/platform/platform.h"
#include "sw/runtime/management.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"
#include "systemc/chip/simulation.h"
#include "systemc/mgmt/board/snapshot_file.h"
#include "systemc/mgmt/devices/backend/buffer_backend.h"
#include "tb/common/temp_folder.h"

namespace tern::tb {
namespace {

using Catch::Contains;
using numerics::DType;
using sc_core::sc_time;

mgmt::BoardImages firmware_images() {
  mgmt::BoardImages images;
  images.rom = firmware::boot_rom();
  images.slots = {firmware::image(), firmware::image()};
  return images;
}

struct Managed {
  using Change = void (*)(mgmt::BoardConfig&);
  explicit Managed(Change change = nullptr, mgmt::BoardImages images = firmware_images())
      : managed("management", platform.chip, board(change), std::move(images), &terminal),
        management(platform.port) {}

  static mgmt::BoardConfig board(Change change) {
    mgmt::BoardConfig config = mgmt::load_board_config("tern");
    if (change != nullptr) change(config);
    return config;
  }
  static sc_time ms(double value) { return {value, sc_core::SC_MS}; }
  std::uint32_t chip_register(std::uint64_t offset) {
    return platform.port.read32(TERN_CHIP_REGS_BASE + offset);
  }

  Platform platform;
  mgmt::BufferBackend terminal;
  ManagedChip managed;
  runtime::Management management;
};

kernels::MatmulSpec product() {
  kernels::MatmulSpec spec;
  spec.m = 40, spec.k = 200, spec.n = 70;
  return spec;
}

Bytes ones(std::size_t n) {
  return to_bytes(std::vector<float>(n, 1), DType::kBf16);
}

CallResult multiply(Platform& platform, unsigned core = 0) {
  const kernels::MatmulSpec spec = product();
  return platform.call(kernels::build_matmul(spec, platform.config),
                       {{"a", ones(spec.k * spec.m)}, {"b", ones(spec.k * spec.n)}}, core);
}

std::uint64_t address_of(unsigned stack, std::uint64_t offset) {
  return TERN_HBM_BASE + stack * TERN_HBM_STRIDE + offset;
}

}  // namespace

TEST_CASE("managed chip: cores and memory wait for the firmware") {
  Managed bench;
  bench.platform.run([&] {
    CHECK(bench.chip_register(TERN_REG_CHIP_CORE_HELD) == 0xFF);
    CHECK(bench.chip_register(TERN_REG_CHIP_HBM_READY) == 0);
    CHECK(bench.management.present());
    std::uint32_t word = 0;
    CHECK_THROWS_WITH(bench.platform.port.read(address_of(0, 0), &word, 4),
                      Contains("0x0") && Contains("TLM_ADDRESS_ERROR"));
    const std::uint64_t registers = TERN_CORE_BASE + TERN_CORE_REGS_BASE;
    CHECK_THROWS_AS(bench.platform.port.write32(registers + TERN_REG_CORE_QUEUE_START, 1),
                    RunError);
    CHECK((bench.platform.port.read32(registers + TERN_REG_CORE_CORE_STATUS) &
           TERN_REG_CORE_CORE_STATUS_HELD_MASK) != 0);

    CHECK(bench.managed.wait_ready(Managed::ms(20)) == TERN_PHASE_READY);
    // The boot's own figures: 6.0 ms.
    CHECK(sc_core::sc_time_stamp() > Managed::ms(5.9));
    CHECK(sc_core::sc_time_stamp() < Managed::ms(6.2));
    CHECK(bench.chip_register(TERN_REG_CHIP_CORE_HELD) == 0);
    CHECK(bench.chip_register(TERN_REG_CHIP_HBM_READY) == 0xF);
    CHECK(bench.management.phase() == TERN_PHASE_READY);
    CHECK_THAT(bench.terminal.output(), Contains("cores: ff ready of ff"));

    const CallResult result = multiply(bench.platform, 3);
    for (const float value : to_floats(result.outputs.at("c"), DType::kFp32)) CHECK(value == 200);
    CHECK(bench.management.error_log().empty());

    // A response of the mailbox is a message.
    bench.platform.port.write64(TERN_CHIP_REGS_BASE + TERN_REG_CHIP_MSI_ENABLE,
                                std::uint64_t{1} << TERN_REG_CHIP_MSI_ENABLE_MAILBOX);
    CHECK(bench.management.error_counts()[0] == 0);
    CHECK(bench.platform.port.wait_message(TERN_REG_CHIP_MSI_ENABLE_MAILBOX,
                                           sc_core::sc_time_stamp()));
  });
}

TEST_CASE("managed chip: a program takes the same time as on a chip without management") {
  Managed bench;
  HostedChip plain("plain", bench.platform.config);
  runtime::Runtime runtime(plain.host());
  bench.platform.run([&] {
    bench.managed.wait_ready(Managed::ms(20));
    double seconds = 0;
    const kernels::MatmulSpec spec = product();
    const Executable executable = kernels::build_matmul(spec, plain.config());
    for (const bool managed : {true, false}) {
      runtime::Runtime& host = managed ? bench.platform.runtime : runtime;
      const runtime::Buffer a = host.allocate("a", spec.k * spec.m * 2);
      const runtime::Buffer b = host.allocate("b", spec.k * spec.n * 2);
      const runtime::Buffer c = host.allocate("c", spec.m * spec.n * 4);
      runtime::Program program = host.load(executable, {{"a", &a}, {"b", &b}, {"c", &c}});
      plain.settle();
      const double took = host.run(program).seconds();
      if (managed) seconds = took;
      CHECK(took == seconds);
    }
  });
}

// The board of the restored chip had booted on its own, and is at another moment.
TEST_CASE("managed chip: a snapshot holds the management core, too") {
  struct Side {
    explicit Side(const std::string& name)
        : chip(name, load_chip_config("trn3", {{"cores", "2", "test"}}).chip),
          managed(name + "_management", chip.chip(), mgmt::load_board_config("tern"),
                  firmware_images(), &terminal),
          runtime(chip.host()),
          management(chip.host()) {}
    void multiply() {
      const kernels::MatmulSpec spec = product();
      const runtime::Buffer a = runtime.allocate("a", spec.k * spec.m * 2);
      const runtime::Buffer b = runtime.allocate("b", spec.k * spec.n * 2);
      const runtime::Buffer c = runtime.allocate("c", spec.m * spec.n * 4);
      auto program = runtime.load(kernels::build_matmul(spec, chip.config()),
                                  {{"a", &a}, {"b", &b}, {"c", &c}}, 1);
      runtime.run(program);
    }
    std::string save(const std::string& path) {
      base::AtomicFile file(path);
      save_chip(chip, {"test", {}}, file);
      return read_bytes(path);
    }
    HostedChip chip;
    mgmt::BufferBackend terminal;
    ManagedChip managed;
    runtime::Runtime runtime;
    runtime::Management management;
  };
  const TempFolder folder;
  Simulation simulation;
  Side a("a"), b("b");
  simulation.run([&] {
    a.managed.wait_ready(Managed::ms(20));
    b.managed.wait_ready(Managed::ms(20));
    b.runtime.free_bytes();  // the host knows the chip, as that of the other one does
    // A wrong bit that the firmware of one of them knows of.
    std::uint64_t word = 5;
    a.chip.host().write(address_of(1, 0x4000), &word, sizeof word);
    a.chip.chip().hbm().stack(1).flip_bit(0x4000, 3);
    a.chip.host().read(address_of(1, 0x4000), &word, sizeof word);
    a.multiply();
    sc_core::wait(Managed::ms(0.3));
    a.save(folder.path("a"));
    // Time goes on while the other one settles: saved again, at a moment that it can reach.
    b.chip.settle();
    a.save(folder.path("a"));
    ChipSnapshot(folder.path("a"), "test", b.chip.config()).restore(b.chip);
    CHECK(b.managed.phase() == TERN_PHASE_READY);
    const std::size_t from_a = a.terminal.output().size(), from_b = b.terminal.output().size();

    for (unsigned round = 0; round < 3; ++round) {
      const auto work = [&](Side& side, std::uint64_t* end) {
        CHECK(side.management.error_counts()[TERN_ERROR_CLASS_ECC_CORRECTED] == 1);
        side.multiply();
        *end = sc_core::sc_time_stamp().value();
      };
      std::uint64_t end_a = 0, end_b = 0;
      bool done = false;
      sc_core::sc_event ended;
      sc_core::sc_spawn([&] {
        work(b, &end_b);
        done = true;
        ended.notify(sc_core::SC_ZERO_TIME);
      });
      work(a, &end_a);
      while (!done) sc_core::wait(ended);
      CHECK(end_a == end_b);
      sc_core::wait(Managed::ms(1));
      CHECK(a.managed.board().instructions() == b.managed.board().instructions());
      CHECK((mgmt::pack(a.managed.board().save()) == mgmt::pack(b.managed.board().save())));
    }
    CHECK(a.terminal.output().substr(from_a) == b.terminal.output().substr(from_b));
    std::string again;
    bool done = false;
    sc_core::sc_event ended;
    sc_core::sc_spawn([&] {
      again = b.save(folder.path("b"));
      done = true;
      ended.notify(sc_core::SC_ZERO_TIME);
    });
    const std::string other = a.save(folder.path("a"));
    while (!done) sc_core::wait(ended);
    CHECK((again == other));
  });
}

TEST_CASE("managed chip: corrected and uncorrectable bits of HBM reach the firmware's log") {
  Managed bench;
  bench.platform.run([&] {
    bench.managed.wait_ready(Managed::ms(20));
    std::uint64_t data[8] = {1, 2, 3, 4, 5, 6, 7, 8}, read[8] = {};
    hbm::Stack& stack = bench.platform.chip.hbm().stack(2);
    bench.platform.port.write(address_of(2, 0x4000), data, sizeof data);
    stack.flip_bit(0x4008, 3);
    bench.platform.port.read(address_of(2, 0x4000), read, sizeof read);
    CHECK(std::equal(data, data + 8, read));
    CHECK(bench.chip_register(TERN_REG_CHIP_HBM_CORRECTED + 8) == 1);
    CHECK(bench.chip_register(TERN_REG_CHIP_HBM_CORRECTED) == 0);
    CHECK(bench.chip_register(TERN_REG_CHIP_HBM_ERROR_ADDRESS + 16) == 0x4000);
    CHECK(bench.chip_register(TERN_REG_CHIP_HBM_ERROR_ADDRESS + 20) == 2 * TERN_HBM_STRIDE >> 32);

    stack.flip_bit(0x4009, 3);
    CHECK_THROWS_AS(bench.platform.port.read(address_of(2, 0x4000), read, sizeof read), RunError);
    CHECK(bench.chip_register(TERN_REG_CHIP_HBM_UNCORRECTABLE + 8) == 1);

    sc_core::wait(Managed::ms(0.1));
    const auto counts = bench.management.error_counts();
    CHECK(counts[TERN_ERROR_CLASS_ECC_CORRECTED] == 1);
    CHECK(counts[TERN_ERROR_CLASS_ECC_UNCORRECTABLE] == 1);
    const auto log = bench.management.error_log();
    REQUIRE(log.size() == 2);
    CHECK(log[0].error == TERN_ERROR_CLASS_ECC_CORRECTED);
    CHECK(log[1].error == TERN_ERROR_CLASS_ECC_UNCORRECTABLE);
    for (const tern_error_entry& entry : log) {
      CHECK(entry.unit == 2);
      CHECK(entry.address == address_of(2, 0x4000));
      CHECK(entry.count == 1);
    }
    CHECK_THAT(bench.terminal.output(), Contains("hbm 2") || Contains("uncorrectable"));

    // A write sets a counter to 0.
    bench.platform.port.write32(TERN_CHIP_REGS_BASE + TERN_REG_CHIP_HBM_CORRECTED + 8, 0);
    CHECK(bench.chip_register(TERN_REG_CHIP_HBM_CORRECTED + 8) == 0);
  });
}

TEST_CASE("managed chip: the scrubber finds a bit before two of them are one burst") {
  Managed bench;
  bench.platform.run([&] {
    bench.managed.wait_ready(Managed::ms(20));
    const std::uint32_t word = 42;
    bench.platform.port.write(address_of(1, 0x100), &word, 4);
    const std::uint64_t rate = TERN_CHIP_REGS_BASE + TERN_REG_CHIP_HBM_SCRUB + 4;
    bench.platform.port.write32(rate, 0);
    bench.platform.chip.hbm().stack(1).flip_bit(0x100, 0);
    sc_core::wait(Managed::ms(1));
    CHECK(bench.chip_register(TERN_REG_CHIP_HBM_CORRECTED + 4) == 0);
    bench.platform.port.write32(rate, 2000);
    CHECK(bench.platform.port.read32(rate) == 2000);
    CHECK_THROWS_AS(bench.platform.port.write32(rate, 20000), RunError);
    sc_core::wait(Managed::ms(1));  // 2 MB, more than what is allocated
    CHECK(bench.chip_register(TERN_REG_CHIP_HBM_CORRECTED + 4) == 1);
    bench.platform.chip.hbm().stack(1).flip_bit(0x101, 0);
    std::uint32_t back = 0;
    bench.platform.port.read(address_of(1, 0x100), &back, 4);
    CHECK(back == 42);
  });
}

TEST_CASE("managed chip: after an error of a core the firmware resets it and a program runs") {
  Managed bench;
  bench.platform.run([&] {
    bench.managed.wait_ready(Managed::ms(20));
    // A queue without a program: opcode 0.
    const std::uint64_t registers = TERN_CORE_BASE + 5 * TERN_CORE_STRIDE + TERN_CORE_REGS_BASE;
    bench.platform.port.write32(registers + TERN_REG_CORE_QUEUE_START, 1);
    sc_core::wait(Managed::ms(0.1));
    CHECK(bench.management.error_counts()[TERN_ERROR_CLASS_SEQUENCER_FATAL] == 1);
    CHECK(bench.management.error_log().at(0).unit == 5);
    CHECK(bench.chip_register(TERN_REG_CHIP_CORE_ERRORS + 20) == 1);
    CHECK(bench.chip_register(TERN_REG_CHIP_IRQ_STATUS) == 0x20);

    // A semaphore below 0.
    const std::uint64_t other = TERN_CORE_BASE + 6 * TERN_CORE_STRIDE + TERN_CORE_REGS_BASE;
    CHECK_THROWS_AS(bench.platform.port.write32(other + TERN_REG_CORE_SEMAPHORE_DEC, 1), RunError);

    CHECK(bench.management.reset_cores(0x20) == 0xFF);
    CHECK(bench.chip_register(TERN_REG_CHIP_IRQ_STATUS) == 0);
    const CallResult result = multiply(bench.platform, 5);
    CHECK(to_floats(result.outputs.at("c"), DType::kFp32).at(0) == 200);
  });
}

TEST_CASE("managed chip: with a long quantum nothing is ready before its time") {
  Managed bench([](mgmt::BoardConfig& board) { board.quantum_us = 100000; });
  bench.platform.run([&] {
    bench.managed.wait_ready(Managed::ms(500));
    CHECK(bench.chip_register(TERN_REG_CHIP_HBM_READY) == 0xF);
    CHECK(bench.chip_register(TERN_REG_CHIP_CORE_HELD) == 0);
    multiply(bench.platform, 1);
  });
}

TEST_CASE("managed chip: a stack that does not train leaves the others") {
  Managed bench([](mgmt::BoardConfig& board) { board.management->training[1].dead = true; });
  bench.platform.run([&] {
    CHECK(bench.managed.wait_ready(Managed::ms(100)) == TERN_PHASE_DEGRADED);
    CHECK(bench.chip_register(TERN_REG_CHIP_HBM_READY) == 0xD);
    std::uint32_t word = 0;
    bench.platform.port.read(address_of(0, 0), &word, 4);
    CHECK_THROWS_AS(bench.platform.port.read(address_of(1, 0), &word, 4), RunError);
  });
}

TEST_CASE("managed chip: without an image it says so") {
  mgmt::BoardImages images = firmware_images();
  images.slots = {};
  Managed bench(nullptr, std::move(images));
  bench.platform.run([&] {
    CHECK_THROWS_WITH(bench.managed.wait_ready(Managed::ms(100)), Contains("no image boots"));
  });
}

TEST_CASE("managed chip: not ready in time") {
  Managed bench;
  bench.platform.run([&] {
    CHECK_THROWS_WITH(bench.managed.wait_ready(Managed::ms(1)), Contains("not ready after 1 ms"));
  });
}

}  // namespace tern::tb
