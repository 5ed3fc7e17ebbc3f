// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstring>

#include "sw/base/user_error.h"
#include "sw/image/firmware_image.h"
#include "systemc/mgmt/board/board_config.h"
#include "tb/common/temp_folder.h"

using namespace tern;
using namespace tern::tb;
using mgmt::BoardConfig;
using mgmt::load_board_config;

namespace {

BoardConfig of(const std::string& text) {
  const TempFolder folder;
  return load_board_config(folder.put("board.yaml", text).string());
}

// The message for a file, without its name.
std::string refusal(const std::string& text) {
  const TempFolder folder;
  const std::string file = folder.put("board.yaml", text).string();
  try {
    load_board_config(file);
  } catch (const UserError& error) {
    const std::string message = error.what();
    return message.rfind(file, 0) == 0 ? message.substr(file.size()) : message;
  }
  return "";
}

}  // namespace

TEST_CASE("domain config: the preset tern, and none in mgmt") {
  CHECK_FALSE(load_board_config("mgmt").management);
  const BoardConfig board = load_board_config("tern");
  REQUIRE(board.management);
  const mgmt::DomainConfig& c = *board.management;
  CHECK(c.hbm_stacks == 4);
  CHECK(c.cores == 8);
  CHECK(c.dies == 2);
  CHECK(c.fuses[TERN_MGMT_OTP_ROLLBACK] == 1);
  CHECK(c.fuses[TERN_MGMT_OTP_LIFE_CYCLE] == 1);
  CHECK(c.training[0].us == 4000);
  CHECK(c.training[7].us == 4000);
  CHECK(c.training[TERN_MGMT_UNIT_DIE].margin == 280);
  CHECK(c.sensors.size() == 10);
  CHECK(c.has_unit(3));
  CHECK_FALSE(c.has_unit(4));
  CHECK(c.has_unit(TERN_MGMT_UNIT_LINK + 3));
  CHECK_FALSE(c.has_unit(TERN_MGMT_UNIT_LINK + 4));
}

TEST_CASE("domain config: the fuses of the preset hold the hash of the test key") {
  const auto hash = image::key_hash(crypto::KeyPair::from_file(TERN_TEST_KEY).public_key());
  const mgmt::BoardConfig board = load_board_config("tern");
  CHECK(std::memcmp(&board.management->fuses[TERN_MGMT_OTP_KEY_HASH], hash.data(), 32) == 0);
}

TEST_CASE("domain config: a file changes what it names") {
  const BoardConfig board =
      of("preset: tern\nmanagement:\n  otp: {rollback: 40, life_cycle: returned}\n  chip:\n"
         "    cores: 32\n    faults:\n      - {unit: hbm1, fail_attempts: 2}\n      - {unit: die, "
         "dead: "
         "true}\n      - {unit: link3, dead: true}\n    events:\n      - {at_us: 12.5, error: "
         "hang, unit: 3, "
         "address: 0x1000}\n");
  const mgmt::DomainConfig& c = *board.management;
  CHECK(c.fuses[TERN_MGMT_OTP_ROLLBACK] == 0xFFFFFFFF);
  CHECK(c.fuses[TERN_MGMT_OTP_ROLLBACK + 1] == 0xFF);
  CHECK(c.fuses[TERN_MGMT_OTP_LIFE_CYCLE] == 3);
  CHECK(c.fuses[0] != 0);
  CHECK(c.cores == 32);
  CHECK(c.training[1].fail_attempts == 2);
  CHECK(c.training[TERN_MGMT_UNIT_DIE].dead);
  CHECK(c.training[TERN_MGMT_UNIT_LINK + 3].dead);
  REQUIRE(c.events.size() == 1);
  CHECK(c.events[0].at_us == 12.5);
  CHECK(c.events[0].error.error == TERN_ERROR_CLASS_HANG);
  CHECK(c.events[0].error.unit == 3);
  CHECK(c.events[0].error.address == 0x1000);
  CHECK(c.events[0].error.count == 1);
  CHECK(fingerprint(c) != fingerprint(*load_board_config("tern").management));
  CHECK(of("management: {}\n").management);
}

TEST_CASE("domain config: what cannot be is refused with its line and key") {
  const std::string head = "preset: tern\nmanagement:\n";
  const struct {
    std::string text, says;
  } cases[] = {
      {"  otp: {key_hash: 12}\n", ":3: key 'management.otp.key_hash': expected 64"},
      {"  otp: {rollback: 65}\n", ":3: key 'management.otp.rollback'"},
      {"  otp: {life_cycle: lost}\n", ":3: key 'management.otp.life_cycle': expected one of test"},
      {"  chip: {cores: 33}\n", ":3: key 'management.chip.cores'"},
      {"  chip: {hbm_stacks: 0}\n", ":3: key 'management.chip.hbm_stacks'"},
      {"  chip: {faults: [{unit: hbm4}]}\n", "a unit of the chip such as hbm0"},
      {"  chip: {faults: [{dead: true}]}\n", "unit"},
      {"  chip: {events: [{at_us: -1, error: hang}]}\n", "at_us"},
      {"  chip: {events: [{at_us: 1, error: oops}]}\n", "expected one of ecc_corrected"},
      {"  chip: {core: 3}\n", "did you mean 'cores'"},
      {"  power: {max_step: 0}\n", "max_step"},
      {"  power: {interval_us: 0}\n", "interval_us"},
      {"  crypto: {clock_ghz: 0}\n", "clock_ghz"},
      {"  sensors: [{name: a, kind: smell, idle: 0, full: 0, low: 0, high: 0}]\n", "smell"},
      {"  sensors: [{name: a, kind: power}]\n", "idle"},
      {"  sensors: 3\n", "sensors"},
  };
  for (const auto& one : cases) {
    const std::string message = refusal(head + one.text);
    INFO(one.text << message);
    CHECK(message.find(one.says) != std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
  }
  CHECK(refusal("preset: tern\nplic_sources: 24\n").find("sources up to 25") != std::string::npos);
  CHECK(refusal("preset: tern\nisa: rv32imac\n").find("requires rv64") != std::string::npos);
  std::string many = "  sensors:\n";
  for (int i = 0; i < 33; ++i)
    many += "    - {name: a, kind: power, idle: 0, full: 0, low: 0, high: 0}\n";
  CHECK(refusal(head + many).find("at most 32 sensors") != std::string::npos);
}
