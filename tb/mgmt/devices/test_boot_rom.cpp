// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <catch2/catch.hpp>
#include <map>

#include "sw/base/user_error.h"
#include "systemc/mgmt/devices/boot_rom.h"
#include "tb/mgmt/devices/device_bench.h"

using namespace tern;
using namespace tern::tb;
using mgmt::BootConfig;
using mgmt::BootRom;

namespace {

constexpr std::uint64_t kBase = 0x1000;

// The few instructions of RV32I and RV64I that a reset vector consists of, from the manual. Runs
// until a jump leaves the ROM.
struct TinyHart {
  DeviceBench& bench;
  unsigned xlen;
  std::uint64_t hart_id;
  std::array<std::uint64_t, 32> x{};
  std::uint64_t pc = kBase;

  std::uint64_t fit(std::uint64_t value) const { return xlen == 64 ? value : value & 0xFFFFFFFF; }
  void run() {
    for (unsigned steps = 0; pc >= kBase && pc < kBase + 0xF000; ++steps) {
      REQUIRE(steps < 100);
      step(static_cast<std::uint32_t>(bench.get(pc - kBase, 4)));
      x[0] = 0;
    }
  }
  void step(std::uint32_t word) {
    const unsigned rd = word >> 7 & 31, rs1 = word >> 15 & 31, funct3 = word >> 12 & 7;
    const auto immediate = static_cast<std::uint64_t>(static_cast<std::int32_t>(word) >> 20);
    std::uint64_t next = pc + 4;
    switch (word & 0x7F) {
      case 0x17:  // auipc
        x[rd] = fit(pc + static_cast<std::uint64_t>(static_cast<std::int32_t>(word & 0xFFFFF000)));
        break;
      case 0x13:
        REQUIRE(funct3 == 0);  // addi
        x[rd] = fit(x[rs1] + immediate);
        break;
      case 0x03:
        REQUIRE(funct3 == (xlen == 64 ? 3U : 2U));  // ld, lw
        x[rd] = bench.get(fit(x[rs1] + immediate) - kBase, xlen / 8);
        break;
      case 0x73:
        REQUIRE(funct3 == 2);  // csrrs
        REQUIRE(rs1 == 0);
        REQUIRE((word >> 20) == 0xF14);  // mhartid
        x[rd] = hart_id;
        break;
      case 0x67:
        REQUIRE(funct3 == 0);  // jalr
        next = fit(x[rs1] + immediate) & ~std::uint64_t{1};
        if (rd != 0) x[rd] = pc + 4;
        break;
      default:
        FAIL("unexpected instruction " << std::hex << word);
    }
    pc = next;
  }
};

void check_boot(const BootConfig& config, std::uint64_t hart_id) {
  DeviceBench bench(DeviceBench::bench_name());
  BootRom rom("rom", config);
  bench.run(rom, [&] {
    TinyHart hart{bench, config.xlen, hart_id};
    hart.run();
    CHECK(hart.pc == config.start);
    CHECK(hart.x[10] == hart_id);
    CHECK(hart.x[11] == config.device_tree);
    // struct fw_dynamic_info of OpenSBI: long each.
    const unsigned word = config.xlen / 8;
    const std::uint64_t info = hart.x[12] - kBase;
    CHECK(info % word == 0);
    const std::array<std::uint64_t, 6> expected = {0x4942534F,       2, config.next,
                                                   config.next_mode, 0, config.boot_hart};
    for (unsigned i = 0; i < expected.size(); ++i) {
      CHECK(bench.get(info + i * word, word) == expected[i]);
    }
  });
}

}  // namespace

TEST_CASE("boot ROM: a hart of 64 bits arrives at the start address with its arguments") {
  BootConfig config;
  config.start = 0x123456789ABCDEF0;
  config.device_tree = 0xFFFFFFFF88200000;
  config.next = 0x8000000080200000;
  config.next_mode = 1;
  config.boot_hart = 3;
  check_boot(config, 5);
}

TEST_CASE("boot ROM: a hart of 32 bits arrives at the start address with its arguments") {
  BootConfig config;
  config.xlen = 32;
  config.start = 0x80000000;
  config.device_tree = 0xFFFFFFF8;
  config.next = 0x80400000;
  config.next_mode = 3;
  check_boot(config, 0);
}

TEST_CASE("boot ROM: reads of any size, no writes, no addresses beyond 32 bits") {
  DeviceBench bench(DeviceBench::bench_name());
  BootRom rom("rom", BootConfig{});
  REQUIRE(rom.bytes().size() == 0xF000);
  bench.run(rom, [&] {
    for (const unsigned size : {1U, 2U, 4U, 8U}) {
      for (std::uint64_t at = 0; at < 128; at += size) {
        const std::uint64_t value = bench.get(at, size);
        for (unsigned i = 0; i < size; ++i) CHECK((value >> 8 * i & 0xFF) == rom.bytes()[at + i]);
        CHECK(bench.look(at, size) == value);
        CHECK(bench.write(at, size, 0) == tlm::TLM_COMMAND_ERROR_RESPONSE);
      }
      CHECK(bench.read(0xF000, size).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
      CHECK(bench.read(0xF000 - size, size).value == 0);
    }
    CHECK(bench.read(2, 4).status == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(bench.read(0, 3).status == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(bench.read(0, 16).status == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(bench.read(0, 0).status == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(bench.read(~std::uint64_t{7}, 8).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
  BootConfig config;
  config.xlen = 32;
  config.device_tree = 0x100000000;
  CHECK_THROWS_WITH(mgmt::boot_code(config), "boot ROM: 0x100000000 does not fit into 32 bits");
  config.xlen = 128;
  CHECK_THROWS_AS(mgmt::boot_code(config), UserError);
}

TEST_CASE("boot ROM: any content that has room") {
  DeviceBench bench(DeviceBench::bench_name());
  BootRom rom("rom", std::vector<std::uint8_t>{1, 2, 3, 4, 5});
  CHECK_NOTHROW(BootRom("full", std::vector<std::uint8_t>(0xF000)));
  CHECK_THROWS_AS(BootRom("more", std::vector<std::uint8_t>(0xF001)), UserError);
  bench.run(rom, [&] {
    CHECK(bench.get(0, 8) == 0x0504030201);
    CHECK(bench.get(0xEFF8, 8) == 0);
  });
}
