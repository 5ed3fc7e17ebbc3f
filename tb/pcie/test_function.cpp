// SPDX-License-Identifier: Apache-2.0
// The chip behind its PCIe function: BARs, MSI-X, bus mastering, reset, a link that goes down.
// Offsets and bits of the configuration space: the PCI Express specification.
#include <catch2/catch.hpp>
#include <vector>

#include "sw/base/user_error.h"
#include "sw/platform/platform.h"
#include "sw/runtime/status.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"
#include "systemc/pcie/function.h"

namespace tern::tb {
namespace {

using runtime::Status;
using runtime::StatusError;
using sc_core::sc_time;
using sc_core::sc_time_stamp;

constexpr std::uint64_t kChipId = TERN_CHIP_REGS_BASE + TERN_REG_CHIP_CHIP_ID;
constexpr std::uint64_t kCore0Regs = TERN_CORE_BASE + TERN_CORE_REGS_BASE;

Status status_of_read(Platform& platform, std::uint64_t address) {
  try {
    platform.port.read32(address);
  } catch (const StatusError& error) {
    return error.status();
  }
  return Status::kSuccess;
}

void set_command(Platform& platform, std::uint16_t value) {
  tlm::tlm_generic_payload payload;
  payload.set_write();
  payload.set_address(0x04);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(2);
  payload.set_streaming_width(2);
  sc_time delay;
  platform.port.config->b_transport(payload, delay);
  REQUIRE(payload.is_response_ok());
}

}  // namespace

TEST_CASE("every region of the chip is behind a BAR, and nothing else is") {
  Platform platform;
  platform.run([&] {
    CHECK(platform.port.read32(kChipId) == TERN_REG_CHIP_CHIP_ID_RESET);
    const unsigned last = platform.config.cores - 1;
    const std::uint32_t word = 0x600df00d;
    for (const std::uint64_t address :
         {std::uint64_t{0}, (platform.config.hbm.stacks - 1) * TERN_HBM_STRIDE + 4096,
          TERN_CORE_BASE + last * TERN_CORE_STRIDE + TERN_CORE_SBUF_BASE + 64}) {
      platform.port.write32(address, word);
      CHECK(platform.port.read32(address) == word);
    }
    CHECK(status_of_read(platform, TERN_HOST_BASE) == Status::kHardware);
    CHECK(status_of_read(platform, TERN_CORE_BASE + 60 * TERN_CORE_STRIDE) == Status::kHardware);
    CHECK(status_of_read(platform, TERN_HBM_STRIDE * 15) == Status::kHardware);
    CHECK(status_of_read(platform, UINT64_MAX - 3) == Status::kHardware);
  });
}

TEST_CASE("nothing but the configuration space answers before memory space is enabled") {
  Platform platform;
  platform.run([&] {
    set_command(platform, 0);
    CHECK(status_of_read(platform, kChipId) == Status::kHardware);
    std::uint32_t value = 0;
    CHECK(!platform.port.peek32(kChipId, &value));
    const sc_time before = sc_time_stamp();
    set_command(platform, 6);
    // There and back over the link.
    CHECK(sc_time_stamp() - before == sc_time(2 * platform.config.host.latency_ns, sc_core::SC_NS));
    CHECK(status_of_read(platform, kChipId) == Status::kSuccess);
  });
}

TEST_CASE("a message waits until its vector is set up, and is taken once") {
  Platform platform;
  platform.run([&] {
    const std::uint64_t core1 = kCore0Regs + TERN_CORE_STRIDE;
    platform.port.write32(TERN_CHIP_REGS_BASE + TERN_REG_CHIP_MSI_ENABLE, 1u << 1);
    // A program of one instruction that does not exist: the core is in error.
    platform.port.write64(core1 + TERN_REG_CORE_QUEUE_BASE, 0);
    platform.port.write32(core1 + TERN_REG_CORE_QUEUE_LENGTH, 1);
    const std::vector<std::uint8_t> bad(64, 0xEE);
    platform.port.write(0, bad.data(), bad.size());
    platform.port.write32(core1 + TERN_REG_CORE_QUEUE_START, 1);
    sc_core::wait(sc_time(100, sc_core::SC_US));  // long there
    const auto soon = [] { return sc_time_stamp() + sc_time(10, sc_core::SC_US); };
    CHECK(!platform.port.wait_message(0, soon()));
    CHECK(platform.port.wait_message(1, soon()));
    CHECK(!platform.port.wait_message(1, soon()));
  });
}

TEST_CASE("posted writes return at once, arrive in order, and no read passes them") {
  Platform platform;
  platform.run([&] {
    const std::uint64_t semaphore = kCore0Regs + TERN_REG_CORE_SEMAPHORE_SET;
    const sc_time before = sc_time_stamp();
    for (std::uint32_t n = 0; n < 100; ++n) platform.port.post32(semaphore + n * 4, n + 1);
    platform.port.post32(semaphore, 7);  // again: the last one counts
    CHECK(sc_time_stamp() == before);
    CHECK(platform.port.read32(kCore0Regs + TERN_REG_CORE_SEMAPHORE_READ) == 7);
    for (std::uint32_t n = 1; n < 100; ++n)
      CHECK(platform.port.read32(kCore0Regs + TERN_REG_CORE_SEMAPHORE_READ + n * 4) == n + 1);
  });
}

TEST_CASE("a function-level reset resets the cores, keeps memory, and the bus is set up again") {
  Platform platform;
  platform.run([&] {
    platform.port.write32(4096, 0x12345678);
    platform.port.write32(kCore0Regs + TERN_REG_CORE_SEMAPHORE_SET, 5);
    const sc_time before = sc_time_stamp();
    platform.port.reset_function();
    CHECK(sc_time_stamp() - before >= sc_time(100, sc_core::SC_MS));
    CHECK(platform.port.read32(kCore0Regs + TERN_REG_CORE_SEMAPHORE_READ) == 0);
    CHECK(platform.port.read32(4096) == 0x12345678);
  });
}

TEST_CASE("a link that is down: reads end after the completion timeout, writes are lost") {
  Platform platform;
  platform.run([&] {
    platform.port.write32(4096, 1);
    platform.hosted.function().set_link(false);
    const sc_time before = sc_time_stamp();
    CHECK(status_of_read(platform, kChipId) == Status::kHardware);
    CHECK(sc_time_stamp() - before ==
          sc_time(pcie::Function::kCompletionTimeoutMs, sc_core::SC_MS));
    platform.port.write32(4096, 2);
    platform.hosted.function().set_link(true);
    CHECK(platform.port.read32(4096) == 1);
  });
}

}  // namespace tern::tb
