// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sw/base/user_error.h"
#include "systemc/mgmt/board/board_config.h"
#include "tb/common/temp_folder.h"

using namespace tern;
using mgmt::BoardConfig;

namespace {

std::string complaint(const std::string& text) {
  const tb::TempFolder folder;
  const std::string file = folder.put("b.yaml", text).string();
  try {
    mgmt::load_board_config(file);
  } catch (const UserError& error) {
    const std::string what = error.what();
    return what.rfind(file, 0) == 0 ? what.substr(file.size()) : what;
  }
  return "";
}

}  // namespace

TEST_CASE("board: the preset, and a file that differs from it") {
  const BoardConfig preset = mgmt::load_board_config("mgmt");
  CHECK(preset.harts == 1);
  CHECK(preset.instruction_fs() == 1'000'000);
  CHECK(preset.quantum_fs() == 10'000'000'000);
  CHECK(preset.ram_bytes == 256u << 20);
  CHECK(preset.hart().xlen == 64);
  CHECK(preset.hart().doubles);
  const tb::TempFolder folder;
  const BoardConfig own = mgmt::load_board_config(
      folder
          .put("b.yaml",
               "preset: mgmt\nname: own\nharts: 8\nisa: rv32imac\nmodes: mu\nclock_ghz: 1.4\n"
               "cpi: 2\nquantum_us: 0.2\ntimebase_hz: 1000000\nram_mib: 2048\nplic_sources: 11\n"
               "uart: {clock_hz: 1, baud_timing: true, poll_us: 2}\n")
          .string());
  CHECK(own.name == "own");
  CHECK(own.harts == 8);
  CHECK(own.instruction_fs() == 1'428'571);
  CHECK(own.hart().xlen == 32);
  CHECK(own.hart().atomics);
  CHECK(own.hart().compressed);
  CHECK_FALSE(own.hart().floats);
  CHECK(own.hart().user);
  CHECK_FALSE(own.hart().supervisor);
  CHECK(own.baud_timing);
}

TEST_CASE("board: faults with their line") {
  CHECK(complaint("harts: 0\n") == ":1: key 'harts': expected a whole number from 1 to 8, got '0'");
  CHECK(complaint("uart:\n  poll_us: 0\n").find(":2: key 'uart.poll_us'") == 0);
  CHECK(complaint("preset: other\n") ==
        ":1: key 'preset': expected one of mgmt, tern, got 'other'");
  for (const char* isa :
       {"rv64", "rv64i", "rv64gc", "rv64imd", "rv64imca", "rv64imaa", "RV64IM", "rv128im", "im"}) {
    INFO(isa);
    CHECK(complaint("isa: " + std::string(isa) + "\n").find(":1: key 'isa': expected rv32") == 0);
  }
  for (const char* isa : {"rv64im", "rv32imc", "rv64imafdc", "rv64imaf"}) {
    INFO(isa);
    CHECK(complaint("isa: " + std::string(isa) + "\n").empty());
  }
  CHECK(complaint("isa: rv32im\nram_mib: 2049\n") == ": 2049 MiB of memory: rv32im reaches 2048");
  CHECK(complaint("quantum_us: 0.05\n") ==
        ": a quantum of 0.05 us: expected at least 100 instructions, 0.1 us");
  CHECK(complaint("timebase_hz: 3\n").find(": timebase of 3 Hz") == 0);
  CHECK(complaint("[1\n").find(": not YAML") != std::string::npos);
}
