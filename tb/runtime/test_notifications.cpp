// SPDX-License-Identifier: Apache-2.0
// What a core tells the host: entries of notification queues, and message interrupts.
#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "sw/base/user_error.h"
#include "sw/kernels/matmul.h"
#include "sw/platform/platform.h"
#include "sw/runtime/notification_queue.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"

namespace tern::tb {
namespace {

using numerics::DType;
using runtime::NotificationQueue;
using sc_core::sc_time;

constexpr unsigned kEntry = sizeof(tern_notification);

std::uint64_t core_register(unsigned core, std::uint64_t offset) {
  return TERN_CORE_BASE + core * TERN_CORE_STRIDE + TERN_CORE_REGS_BASE + offset;
}

struct Product {
  explicit Product(Platform& platform, unsigned core)
      : a(platform.runtime.allocate("a", 200 * 40 * 2)),
        b(platform.runtime.allocate("b", 200 * 70 * 2)),
        c(platform.runtime.allocate("c", 40 * 70 * 4)),
        executable(build(platform)),
        program(platform.runtime.load(executable, {{"a", &a}, {"b", &b}, {"c", &c}}, core)) {}
  static Executable build(const Platform& platform) {
    kernels::MatmulSpec spec;
    spec.m = 40, spec.k = 200, spec.n = 70;
    return kernels::build_matmul(spec, platform.config);
  }
  runtime::Buffer a, b, c;
  Executable executable;
  runtime::Program program;
};

}  // namespace

TEST_CASE("notifications: every queue that halts and every packet, with queue, ring and bytes") {
  Platform platform;
  platform.run([&] {
    constexpr unsigned kCore = 2;
    NotificationQueue done(platform.port, kCore, TERN_NOTIFICATION_DONE,
                           platform.runtime.allocate("done", 16 * kEntry));
    NotificationQueue packets(platform.port, kCore, TERN_NOTIFICATION_PACKET,
                              platform.runtime.allocate("packets", 512 * kEntry));
    Product product(platform, kCore);
    const ChipCounters before = chip_counters(platform.chip);
    platform.runtime.run(product.program);
    sc_core::wait(sc_time(50, sc_core::SC_US));  // entries are written one by one
    ChipCounters work = chip_counters(platform.chip);
    work -= before;

    unsigned queues = 0, halted = 0;
    for (const auto& queue : product.executable.queues) queues += !queue.empty();
    for (const tern_notification& entry : done.take()) {
      CHECK(entry.type == TERN_NOTIFICATION_DONE);
      CHECK(entry.pass == 1);
      CHECK(entry.index == product.executable.queues.at(entry.queue).size() - 1);  // the halt
      ++halted;
    }
    CHECK(halted == queues);
    CHECK(done.take().empty());

    std::uint64_t bytes = 0, count = 0;
    std::uint32_t last_ns = 0;
    for (const tern_notification& entry : packets.take()) {
      CHECK(entry.type == TERN_NOTIFICATION_PACKET);
      CHECK(entry.queue >= TERN_REG_CORE_ERROR_QUEUE_DMA);
      CHECK(entry.time_ns >= last_ns);
      last_ns = entry.time_ns;
      bytes += entry.detail;
      ++count;
    }
    CHECK(count == work.cores[kCore].dma_packets);
    CHECK(bytes == work.cores[kCore].dma_bytes);
    CHECK(packets.lost() == 0);
  });
}

TEST_CASE("notifications: a queue goes round, and passes differ") {
  Platform platform;
  platform.run([&] {
    runtime::Buffer memory = platform.runtime.allocate("ring", 6 * kEntry);
    const std::uint64_t address = memory.address();
    NotificationQueue done(platform.port, 0, TERN_NOTIFICATION_DONE, std::move(memory));
    Product product(platform, 0);
    unsigned total = 0;
    for (unsigned run = 0; run < 8; ++run) {
      platform.runtime.run(product.program);
      sc_core::wait(sc_time(1, sc_core::SC_US));
      for (const tern_notification& entry : done.take()) {
        CHECK(entry.pass == (total / 6 % 2 == 0 ? 1 : 0));
        ++total;
      }
    }
    CHECK(total > 12);
    CHECK(done.lost() == 0);
    tern_notification first{};
    platform.port.read(address, &first, kEntry);
    CHECK(first.type == TERN_NOTIFICATION_DONE);
  });
}

TEST_CASE("notifications: a full queue counts what it loses") {
  Platform platform;
  platform.run([&] {
    NotificationQueue packets(platform.port, 0, TERN_NOTIFICATION_PACKET,
                              platform.runtime.allocate("small", 4 * kEntry));
    Product product(platform, 0);
    platform.runtime.run(product.program);
    sc_core::wait(sc_time(1, sc_core::SC_US));
    CHECK(packets.take().size() == 4);
    CHECK(packets.lost() > 0);
    CHECK(packets.take().empty());
  });
}

TEST_CASE("notifications: errors, all of them, and only chosen rings") {
  Platform platform;
  platform.run([&] {
    NotificationQueue errors(platform.port, 3, TERN_NOTIFICATION_ERROR,
                             platform.runtime.allocate("errors", 16 * kEntry));
    // Two queues without a program.
    for (const unsigned queue : {TERN_QUEUE_VECTOR, TERN_QUEUE_SYNC})
      platform.port.write32(
          core_register(3, TERN_REG_CORE_QUEUE_START + queue * TERN_REG_CORE_QUEUE_BASE_STRIDE), 1);
    sc_core::wait(sc_time(10, sc_core::SC_US));
    const auto entries = errors.take();
    REQUIRE(entries.size() == 2);
    CHECK(entries[0].queue == TERN_QUEUE_VECTOR);
    CHECK(entries[1].queue == TERN_QUEUE_SYNC);
    CHECK(entries[0].code == TERN_ERROR_ILLEGAL_OPCODE);
    // A reset is no error.
    platform.runtime.reset(3);
    CHECK(errors.take().empty());

    NotificationQueue packets(platform.port, 3, TERN_NOTIFICATION_PACKET,
                              platform.runtime.allocate("packets", 64 * kEntry));
    platform.port.write32(core_register(3, TERN_REG_CORE_NOTIFY_RINGS), 1u << 15);
    Product product(platform, 3);
    platform.runtime.run(product.program);
    sc_core::wait(sc_time(1, sc_core::SC_US));
    CHECK(packets.take().empty());
    CHECK(packets.lost() == 0);
  });
}

TEST_CASE("notifications: a queue of a failed run is off before its memory is somebody else's") {
  Platform platform;
  platform.run([&] {
    const auto fail = [&] {
      NotificationQueue done(platform.port, 0, TERN_NOTIFICATION_DONE,
                             platform.runtime.allocate("done", 16 * kEntry));
      throw RunError("a failure");
    };
    CHECK_THROWS_AS(fail(), RunError);
    CHECK(platform.port.read32(core_register(0, TERN_REG_CORE_NOTIFY_SIZE)) == 0);
  });
}

TEST_CASE("notifications: what is refused") {
  Platform platform;
  platform.run([&] {
    const auto refused = [&](std::uint64_t offset, std::uint32_t value) {
      CHECK_THROWS_AS(platform.port.write32(core_register(0, offset), value), RunError);
    };
    refused(TERN_REG_CORE_NOTIFY_BASE, 0x1001);  // alignment
    platform.port.write32(core_register(0, TERN_REG_CORE_NOTIFY_SIZE), 4);
    refused(TERN_REG_CORE_NOTIFY_BASE, 0x1000);  // while it is on
    platform.port.write32(core_register(0, TERN_REG_CORE_NOTIFY_SIZE), 0);
    refused(TERN_REG_CORE_NOTIFY_HEAD, 1);  // beyond the tail
    refused(TERN_REG_CORE_NOTIFY_TAIL, 0);  // read only
    refused(TERN_REG_CORE_NOTIFY_IRQ, 8);   // no such type
    refused(TERN_REG_CORE_NOTIFY_RINGS, 0x10000);
    // Memory that does not exist.
    platform.port.write64(core_register(0, TERN_REG_CORE_NOTIFY_BASE), 0xF000000000);
    platform.port.write32(core_register(0, TERN_REG_CORE_NOTIFY_SIZE), 4);
    platform.port.write32(core_register(0, TERN_REG_CORE_QUEUE_START), 1);
    sc_core::wait(sc_time(10, sc_core::SC_US));
    CHECK(platform.port.read32(core_register(0, TERN_REG_CORE_NOTIFY_TAIL)) == 0);
    CHECK(platform.port.read32(core_register(0, TERN_REG_CORE_NOTIFY_LOST)) == 1);
  });
}

TEST_CASE("message interrupts: of a core that is done, and while a queue has entries") {
  Platform platform;
  platform.run([&] {
    const auto in = [](double us) {
      return sc_core::sc_time_stamp() + sc_time(us, sc_core::SC_US);
    };
    Product product(platform, 1);
    platform.runtime.run(product.program);
    CHECK_FALSE(platform.port.wait_message(1, in(10)));  // not enabled

    platform.port.write32(TERN_CHIP_REGS_BASE + TERN_REG_CHIP_MSI_ENABLE, 1u << 1);
    CHECK(platform.port.read32(TERN_CHIP_REGS_BASE + TERN_REG_CHIP_MSI_ENABLE) == 1u << 1);
    const sc_time line = [&] {
      platform.runtime.execute(product.program);
      platform.port.wait_irq(in(1000));
      return sc_core::sc_time_stamp();
    }();
    CHECK(platform.port.wait_message(1, in(10)));
    // The line is seen at once; the message takes the link's latency.
    CHECK(sc_core::sc_time_stamp() - line ==
          sc_time(platform.config.host.latency_ns, sc_core::SC_NS));
    CHECK_FALSE(platform.port.wait_message(1, in(10)));
    platform.port.write32(core_register(1, TERN_REG_CORE_IRQ_CLEAR), 1);

    NotificationQueue done(platform.port, 1, TERN_NOTIFICATION_DONE,
                           platform.runtime.allocate("done", 16 * kEntry), true);
    platform.runtime.run(product.program);
    CHECK(platform.port.wait_message(1, in(10)));
    std::uint32_t status = platform.port.read32(TERN_CHIP_REGS_BASE + TERN_REG_CHIP_IRQ_STATUS);
    CHECK(status == 2);
    platform.port.write32(core_register(1, TERN_REG_CORE_IRQ_CLEAR), 1);
    CHECK(platform.port.read32(TERN_CHIP_REGS_BASE + TERN_REG_CHIP_IRQ_STATUS) == 2);
    CHECK_FALSE(done.take().empty());
    CHECK(platform.port.read32(TERN_CHIP_REGS_BASE + TERN_REG_CHIP_IRQ_STATUS) == 0);
  });
}

}  // namespace tern::tb
