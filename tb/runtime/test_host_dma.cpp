// SPDX-License-Identifier: Apache-2.0
// Copies between the host's memory and the chip's by the DMA engines.
#include <catch2/catch.hpp>
#include <cstdio>
#include <random>
#include <vector>

#include "sw/base/user_error.h"
#include "sw/platform/platform.h"
#include "sw/runtime/host_dma.h"
#include "sw/runtime/status.h"
#include "sw/spec/descriptor_pack.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"
#include "tb/common/seed.h"

namespace tern::tb {
namespace {

using runtime::HostDma;
using runtime::Status;
using runtime::StatusError;
using sc_core::sc_time;
using sc_core::sc_time_stamp;

std::vector<std::uint8_t> random_bytes(std::mt19937_64& random, std::size_t bytes) {
  std::vector<std::uint8_t> data(bytes);
  for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(random());
  return data;
}

template <typename Call>
Status status_of(const Call& call) {
  try {
    call();
  } catch (const StatusError& error) {
    std::printf("%s\n", error.what());
    return error.status();
  }
  return Status::kSuccess;
}

}  // namespace

TEST_CASE("copies of any size and place arrive, and touch nothing else") {
  Platform platform;
  platform.run([&] {
    std::mt19937_64 random(test_seed());
    HostDma dma(platform.port);
    constexpr std::size_t kMost = 3 << 20;
    for (const std::size_t bytes :
         {std::size_t{1}, std::size_t{3}, std::size_t{64}, std::size_t{4095}, std::size_t{4097},
          std::size_t{65536}, std::size_t{1} << 20, kMost}) {
      const std::uint64_t address = TERN_HBM_STRIDE * (random() % 4) + random() % 100000;
      const auto core = static_cast<unsigned>(random() % platform.config.cores);
      const std::vector<std::uint8_t> data = random_bytes(random, bytes);
      std::vector<std::uint8_t> around(bytes + 128, 0xA5), back(bytes + 64, 0x5A);
      platform.port.write(address, around.data(), around.size());
      dma.to_chip(core, address + 64, data.data(), bytes);
      std::copy(data.begin(), data.end(), around.begin() + 64);
      std::vector<std::uint8_t> read(around.size());
      platform.port.read(address, read.data(), read.size());
      CHECK(read == around);
      dma.from_chip((core + 1) % platform.config.cores, address + 64, back.data() + 32, bytes);
      CHECK(std::equal(data.begin(), data.end(), back.begin() + 32));
      CHECK(std::all_of(back.begin(), back.begin() + 32, [](int b) { return b == 0x5A; }));
      CHECK(std::all_of(back.end() - 32, back.end(), [](int b) { return b == 0x5A; }));
    }
  });
}

TEST_CASE("a long copy takes the time of the link, there and back") {
  Platform platform;
  platform.run([&] {
    constexpr std::size_t kBytes = 8 << 20;
    std::vector<std::uint8_t> data(kBytes, 1);
    HostDma dma(platform.port);
    const double ideal = kBytes / (platform.config.host.bandwidth_gb_per_s * 1e9);
    sc_time begin = sc_time_stamp();
    dma.to_chip(0, 0, data.data(), kBytes);
    const double there = (sc_time_stamp() - begin).to_seconds();
    begin = sc_time_stamp();
    dma.from_chip(0, 0, data.data(), kBytes);
    const double back = (sc_time_stamp() - begin).to_seconds();
    std::printf("8 MiB: to the chip %.1f us, back %.1f us; the link alone %.1f us\n", there * 1e6,
                back * 1e6, ideal * 1e6);
    CHECK(there > ideal);
    CHECK(there < ideal * 1.03);
    CHECK(back > ideal);
    CHECK(back < ideal * 1.03);
  });
}

TEST_CASE("copies of several threads on one core go one by one, on several at a time") {
  Platform platform;
  platform.run([&] {
    std::mt19937_64 random(test_seed() + 1);
    HostDma dma(platform.port);
    constexpr std::size_t kBytes = 200000;
    std::vector<std::vector<std::uint8_t>> data;
    for (unsigned n = 0; n < 6; ++n) data.push_back(random_bytes(random, kBytes));
    std::vector<sc_core::sc_process_handle> threads;
    for (unsigned n = 0; n < 6; ++n) {
      threads.push_back(
          sc_core::sc_spawn([&, n] { dma.to_chip(n % 2, n * 1'000'000, data[n].data(), kBytes); }));
    }
    for (auto& thread : threads) {
      if (!thread.terminated()) sc_core::wait(thread.terminated_event());
    }
    for (unsigned n = 0; n < 6; ++n) {
      std::vector<std::uint8_t> back(kBytes);
      dma.from_chip(3, n * 1'000'000, back.data(), kBytes);
      CHECK(back == data[n]);
    }
  });
}

TEST_CASE("an address outside every unit, and wrong bits, are errors with their status") {
  Platform platform;
  platform.run([&] {
    HostDma dma(platform.port);
    std::vector<std::uint8_t> data(100000, 3);
    const std::uint64_t nowhere = TERN_HBM_STRIDE * 9;
    CHECK(status_of([&] { dma.to_chip(0, nowhere, data.data(), data.size()); }) ==
          Status::kOutOfBound);
    // The ring works again afterwards.
    dma.to_chip(0, 0, data.data(), data.size());
    platform.chip.hbm().stack(0).memory().flip(4096, 5);
    platform.chip.hbm().stack(0).memory().flip(4096, 9);
    std::vector<std::uint8_t> back(data.size());
    CHECK(status_of([&] { dma.from_chip(0, 0, back.data(), back.size()); }) ==
          Status::kHbmUncorrectable);
  });
}

TEST_CASE("an aborted copy writes nothing any more once it has failed") {
  Platform platform;
  platform.run([&] {
    HostDma dma(platform.port);
    std::vector<std::uint8_t> data(8 << 20, 3), back(8 << 20);
    dma.to_chip(0, 0, data.data(), data.size());
    sc_core::sc_spawn([&] {
      sc_core::wait(sc_time(100, sc_core::SC_US));
      platform.port.write32(TERN_CORE_BASE + TERN_CORE_DMA_BASE + 3 * TERN_CORE_DMA_STRIDE +
                                Executable::kHostRing * TERN_REG_DMA_RING_TX_BASE_STRIDE +
                                TERN_REG_DMA_RING_ABORT,
                            1);
    });
    CHECK(status_of([&] { dma.from_chip(0, 0, back.data(), back.size()); }) == Status::kDmaAbort);
    // The same bus addresses, for something else.
    const std::vector<std::uint8_t> before(8 << 20, 0x11);
    std::vector<std::uint8_t> other = before;
    const auto pin = platform.port.memory().pin(other.data(), other.size());
    sc_core::wait(sc_time(2, sc_core::SC_MS));
    CHECK(other == before);
    dma.from_chip(0, 0, back.data(), back.size());
    CHECK(back == data);
  });
}

TEST_CASE("the chip reaches host memory only while it is pinned, and only reads what is constant") {
  Platform platform;
  platform.run([&] {
    // A ring of one pair, by hand: from HBM to bus address `to`.
    const auto write_to = [&](std::uint64_t to) {
      constexpr std::uint64_t kRing = 1 << 20;
      std::uint8_t tx[16], rx[16];
      DescriptorFields fields;
      fields.length = 64;
      fields.ring_id = 1;
      fields.first = fields.last = true;
      pack_descriptor(tx, fields);
      fields.address = TERN_HOST_BASE + to;
      pack_descriptor(rx, fields);
      platform.port.write(kRing, tx, sizeof tx);
      platform.port.write(kRing + 4096, rx, sizeof rx);
      const std::uint64_t regs = TERN_CORE_BASE + TERN_CORE_DMA_BASE;
      platform.port.write64(regs + TERN_REG_DMA_RING_TX_BASE, kRing);
      platform.port.write64(regs + TERN_REG_DMA_RING_RX_BASE, kRing + 4096);
      platform.port.write32(regs + TERN_REG_DMA_RING_SIZE, 32);
      platform.port.write32(regs + TERN_REG_DMA_RING_TAIL, 1);
      sc_core::wait(sc_time(20, sc_core::SC_US));
      return platform.port.read32(regs + TERN_REG_DMA_RING_STATUS);
    };
    const std::vector<std::uint8_t> pattern(64, 0x77);
    platform.port.write(0, pattern.data(), pattern.size());
    std::vector<std::uint8_t> open(64), closed(64);
    std::uint64_t address = 0;
    {
      const auto pin = platform.port.memory().pin(open.data(), open.size());
      address = pin.address();
      CHECK(write_to(address) == TERN_REG_DMA_RING_STATUS_IDLE);
      CHECK(open == pattern);
    }
    CHECK(write_to(address) == TERN_REG_DMA_RING_STATUS_STOPPED);
    const std::vector<std::uint8_t>& constant = closed;
    const auto pin = platform.port.memory().pin(static_cast<const void*>(constant.data()), 64);
    write_to(pin.address());
    CHECK(closed == std::vector<std::uint8_t>(64));
  });
}

TEST_CASE("the interrupt of a program comes behind what the chip has written to the host") {
  Platform platform;
  platform.run([&] {
    // Core 0 copies a megabyte to the host; the message of core 1, which fails at once, has the
    // link's latency to wait, and all that was sent before it.
    std::vector<std::uint8_t> data(1 << 20, 9), back(1 << 20);
    HostDma dma(platform.port);
    dma.to_chip(0, 0, data.data(), data.size());
    std::uint64_t in_front = 0, behind = 0;
    const auto message_after = [&] {
      const sc_time begin = sc_time_stamp();
      REQUIRE(platform.port.wait_message(1, begin + sc_time(1, sc_core::SC_MS)));
      return static_cast<std::uint64_t>((sc_time_stamp() - begin).to_seconds() * 1e9);
    };
    const std::uint64_t regs = TERN_CORE_BASE + TERN_CORE_STRIDE + TERN_CORE_REGS_BASE;
    platform.port.write32(TERN_CHIP_REGS_BASE + TERN_REG_CHIP_MSI_ENABLE, 2);
    const auto fail = [&] {
      platform.port.write32(regs + TERN_REG_CORE_IRQ_CLEAR, 1);
      platform.port.write64(regs + TERN_REG_CORE_QUEUE_BASE, TERN_HBM_STRIDE * 15);
      platform.port.write32(regs + TERN_REG_CORE_QUEUE_LENGTH, 1);
      platform.port.post32(regs + TERN_REG_CORE_QUEUE_START, 1);
    };
    fail();
    message_after();  // sets the vector up
    platform.runtime.reset(1);
    fail();
    in_front = message_after();
    platform.runtime.reset(1);
    auto copy = sc_core::sc_spawn([&] { dma.from_chip(0, 0, back.data(), back.size()); });
    sc_core::wait(sc_time(20, sc_core::SC_US));
    fail();
    behind = message_after();
    std::printf("message after %llu ns, with a copy under way after %llu ns\n",
                static_cast<unsigned long long>(in_front), static_cast<unsigned long long>(behind));
    CHECK(behind > in_front);
    if (!copy.terminated()) sc_core::wait(copy.terminated_event());
    CHECK(back == data);
  });
}

TEST_CASE("a program does not use the host's ring") {
  Platform platform;
  Executable program;
  program.name = "greedy";
  program.generated_rings[Executable::kHostRing] = {};
  platform.run([&] {
    REQUIRE_THROWS_WITH(platform.runtime.load(program, {}),
                        "program 'greedy': ring 15: a program has rings 0..14");
  });
}

}  // namespace tern::tb
