// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <random>

#include "sw/base/user_error.h"
#include "systemc/mgmt/domain/flash.h"
#include "tb/common/seed.h"
#include "tb/mgmt/domain/word_bench.h"

using namespace tern;
using namespace tern::tb;

namespace {

// docs/reference/mgmt.md, flash.
enum : unsigned { kAddress = 0, kData = 4, kCommand = 8, kStatus = 12, kProtect = 16, kSize = 20 };
constexpr std::uint32_t kErase = 0xF1A50001, kProgram = 0xF1A50002;
constexpr std::uint32_t kBusy = 1, kError = 2;
constexpr std::uint32_t kSlot = 0x80000, kBytes = 0x110000;

struct Bench : WordBench {
  void run(std::function<void()> body) { WordBench::run(flash, std::move(body)); }
  // Status of a command, after it has ended.
  std::uint32_t command(std::uint32_t code, std::uint32_t address, std::uint32_t data = 0) {
    put(kAddress, address);
    put(kData, data);
    put(kCommand, code);
    const std::uint32_t status = get(kStatus);
    wait(us(1000));
    return status;
  }
  std::uint32_t stored(std::uint32_t address) const {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < 4; ++i) value |= std::uint32_t{flash.bytes()[address + i]} << 8 * i;
    return value;
  }
  mgmt::Flash flash{"flash", us(1000), us(10)};
};

}  // namespace

TEST_CASE("flash: erase sets a sector to ones, a program clears bits") {
  Bench bench;
  bench.run([&] {
    CHECK(bench.get(kSize) == kBytes);
    CHECK(bench.stored(0) == 0xFFFFFFFF);
    CHECK(bench.command(kProgram, 0x1004, 0x12345678) == kBusy);
    CHECK(bench.stored(0x1004) == 0x12345678);
    CHECK(bench.command(kProgram, 0x1004, 0xFFFF0000) == kBusy);
    CHECK(bench.stored(0x1004) == 0x12340000);
    CHECK(bench.command(kProgram, 0x2000, 1) == kBusy);
    CHECK(bench.command(kErase, 0x1FFC) == kBusy);  // the sector 0x1000
    CHECK(bench.stored(0x1004) == 0xFFFFFFFF);
    CHECK(bench.stored(0x2000) == 1);
    CHECK(bench.stored(0xFFC) == 0xFFFFFFFF);
  });
}

TEST_CASE("flash: a command takes its time, and another one must wait") {
  Bench bench;
  bench.run([&] {
    bench.put(kCommand, kErase);
    CHECK(bench.get(kStatus, us(1000) - moment()) == kBusy);
    CHECK(bench.get(kStatus, us(1000)) == 0);
    bench.put(kCommand, kProgram);
    CHECK(bench.get(kStatus) == (kBusy | kError));
    CHECK(bench.stored(0) == 0xFFFFFFFF);
    bench.put(kCommand, kProgram, us(1000));
    CHECK(bench.get(kStatus, us(1010) - moment()) == kBusy);
    CHECK(bench.get(kStatus, us(1010)) == 0);
    CHECK(bench.stored(0) == 0);
  });
}

TEST_CASE("flash: a protected slot, an address outside and a missing key are refused") {
  Bench bench;
  bench.run([&] {
    for (const std::uint32_t address : {kBytes, 0xFFFFFFFCu, 2u, 1u}) {
      CHECK(bench.command(kErase, address) == kError);
      CHECK(bench.command(kProgram, address) == kError);
    }
    CHECK(bench.command(2, 0) == kError);
    CHECK(bench.command(0xF1A50003, 0) == kError);
    bench.put(kProtect, 2);
    bench.put(kProtect, 0);  // stays
    CHECK(bench.get(kProtect) == 2);
    CHECK(bench.command(kProgram, kSlot) == kError);
    CHECK(bench.command(kErase, 2 * kSlot - 4) == kError);
    CHECK(bench.command(kProgram, kSlot - 4) == kBusy);
    CHECK(bench.command(kProgram, 2 * kSlot) == kBusy);
    CHECK(bench.command(kErase, kBytes - 4) == kBusy);
    bench.flash.reset();
    CHECK(bench.get(kProtect) == 0);
    CHECK(bench.stored(kSlot - 4) == 0);
    CHECK(bench.command(kProgram, kSlot) == kBusy);
  });
}

TEST_CASE("flash: random commands against an array of bytes") {
  Bench bench;
  const std::uint64_t seed = test_seed();
  INFO("TERN_SEED=" << seed);
  std::mt19937_64 random(seed);
  bench.run([&] {
    std::vector<std::uint8_t> expected(kBytes, 0xFF);
    for (int i = 0; i < 2000; ++i) {
      const auto address = static_cast<std::uint32_t>(random() % kBytes) & ~3u;
      const auto data = static_cast<std::uint32_t>(random());
      if (random() % 8 == 0) {
        bench.command(kErase, address);
        for (std::uint32_t k = 0; k < 4096; ++k) expected[address / 4096 * 4096 + k] = 0xFF;
      } else {
        bench.command(kProgram, address, data);
        for (unsigned k = 0; k < 4; ++k) expected[address + k] &= data >> 8 * k & 0xFF;
      }
    }
    CHECK(bench.flash.bytes() == expected);
  });
}

TEST_CASE("flash: images in slots, reads through the window, snapshots") {
  Bench bench;
  mgmt::FlashWindow window("window", bench.flash);
  TlmAccess bus("window_bus");
  bus.socket.bind(window.socket);
  const std::uint8_t* address = bench.flash.data();
  bench.run([&] {
    bench.flash.fill_slot(1, "image");
    char text[6] = {};
    CHECK(bus.debug(tlm::TLM_READ_COMMAND, kSlot, text, 5) == 5);
    CHECK(std::string(text) == "image");
    std::uint64_t word = 0;
    CHECK(bus.read(kSlot, &word, 8).status == tlm::TLM_OK_RESPONSE);
    CHECK(word == 0xFFFFFF6567616D69);
    CHECK(bus.write(kSlot, &word, 8).status == tlm::TLM_COMMAND_ERROR_RESPONSE);
    CHECK(bus.read(kBytes, &word, 4).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK_THROWS_AS(bench.flash.fill_slot(0, std::string(kSlot + 1, 'x')), UserError);
    bench.flash.fill_slot(0, std::string(kSlot, 'x'));
    CHECK(bench.stored(kSlot) == 0x67616D69);

    bench.put(kAddress, 2 * kSlot);
    bench.put(kCommand, kProgram);
    wait(us(4));
    auto state = bench.flash.save();
    wait(us(100));
    bench.command(kErase, 2 * kSlot);
    bench.flash.restore(state);
    CHECK(bench.stored(2 * kSlot) == 0);
    CHECK(bench.get(kStatus, us(6) - moment()) == kBusy);
    CHECK(bench.get(kStatus, us(6)) == 0);
    CHECK(bench.flash.data() == address);
    state.bytes = std::make_shared<const std::vector<std::uint8_t>>(8);
    CHECK_THROWS_AS(bench.flash.restore(state), RunError);
  });
}
