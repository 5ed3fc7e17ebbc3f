// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sw/spec/generated/address_map.h"
#include "tb/mgmt/firmware/firmware_bench.h"

using namespace tern;
using namespace tern::tb;

namespace {

constexpr std::uint32_t kControl = TERN_MGMT_CONTROL_BASE;

}  // namespace

TEST_CASE("mailbox: the CRC is CRC-32C") {
  // The check value of the catalogue of CRC algorithms.
  CHECK(FirmwareBench::crc32c("123456789") == 0xE3069283);
}

TEST_CASE("mailbox: registers are read by message, one to a hundred") {
  FirmwareBench bench;
  bench.boot();
  const auto id = bench.request(TERN_COMMAND_READ_REGISTERS, {kControl});
  CHECK(id.status == TERN_MAILBOX_STATUS_OK);
  CHECK(id.payload.size() == 4);
  CHECK(id.word(0) == 0x544D4754);
  std::vector<std::uint32_t> addresses(100);
  for (std::uint32_t i = 0; i < 100; ++i) addresses[i] = TERN_MGMT_OTP_BASE + 4 * (i % 16);
  const auto fuses = bench.request(TERN_COMMAND_READ_REGISTERS, addresses);
  REQUIRE(fuses.payload.size() == 400);
  for (std::uint32_t i = 0; i < 100; ++i)
    CHECK(fuses.word(i) == bench.config.management->fuses[i % 16]);
  addresses.push_back(kControl);
  CHECK(bench.request(TERN_COMMAND_READ_REGISTERS, addresses).status == TERN_MAILBOX_STATUS_SIZE);
  CHECK(bench.request(TERN_COMMAND_READ_REGISTERS).status == TERN_MAILBOX_STATUS_SIZE);
}

TEST_CASE("mailbox: addresses that nobody may read by message are refused") {
  FirmwareBench bench;
  bench.boot();
  for (const std::uint32_t address :
       {0u, 0x1000u, 0x0C200004u /* PLIC claim */, 0x10000000u, 0x18001010u, 0x18004000u,
        0x18005000u, 0x18008000u, kControl + 1, kControl + 2, kControl + 3, 0x80000000u,
        0xFFFFFFFCu, 0x17FFFFFCu}) {
    INFO(std::hex << address);
    CHECK(bench.request(TERN_COMMAND_READ_REGISTERS, {address}).status ==
          TERN_MAILBOX_STATUS_ARGUMENT);
    CHECK(bench.request(TERN_COMMAND_READ_REGISTERS, {kControl, address}).status ==
          TERN_MAILBOX_STATUS_ARGUMENT);
  }
  for (const std::uint32_t address :
       {0x18000000u, 0x18000FFCu, 0x18003FFCu, 0x18006000u, 0x18007FFCu})
    CHECK(bench.request(TERN_COMMAND_READ_REGISTERS, {address}).status == TERN_MAILBOX_STATUS_OK);
}

TEST_CASE("mailbox: sizes, commands, sequences and CRCs that are wrong have their status") {
  FirmwareBench bench;
  bench.boot();
  const auto status = [&](const std::string& bytes) {
    const auto reply = bench.send(bytes);
    CHECK(reply.crc_matches);
    CHECK(reply.sequence == static_cast<std::uint8_t>(bytes[0]));
    if (reply.status != TERN_MAILBOX_STATUS_OK) CHECK(reply.payload.empty());
    return reply.status;
  };
  const auto message = FirmwareBench::message;
  const auto words = FirmwareBench::words;
  CHECK(status(message(1, 0, "")) == TERN_MAILBOX_STATUS_UNKNOWN);
  CHECK(status(message(255, 12, "")) == TERN_MAILBOX_STATUS_UNKNOWN);
  CHECK(status(message(255, 255, words({1, 2, 3}))) == TERN_MAILBOX_STATUS_UNKNOWN);
  CHECK(status(message(0, 1, "")) == TERN_MAILBOX_STATUS_ARGUMENT);
  for (const unsigned command : {1u, 2u, 4u, 7u, 10u})
    CHECK(status(message(3, static_cast<std::uint8_t>(command), words({0}))) ==
          TERN_MAILBOX_STATUS_SIZE);
  for (const unsigned command : {3u, 5u, 6u, 8u, 9u, 11u}) {
    const auto code = static_cast<std::uint8_t>(command);
    CHECK(status(message(4, code, "")) == TERN_MAILBOX_STATUS_SIZE);
    CHECK(status(message(4, code, "abc")) == TERN_MAILBOX_STATUS_SIZE);
    CHECK(status(message(4, code, "abcde")) == TERN_MAILBOX_STATUS_SIZE);
  }
  std::string longest = message(9, 1, std::string(1016, 'x'));
  CHECK(status(longest) == TERN_MAILBOX_STATUS_SIZE);  // of the command
  longest[2] = static_cast<char>(0xF9);                // 1017: of the buffer
  CHECK(status(longest) == TERN_MAILBOX_STATUS_SIZE);
  longest[2] = longest[3] = static_cast<char>(0xFF);
  CHECK(status(longest) == TERN_MAILBOX_STATUS_SIZE);
  std::string good = message(7, 4, "");
  for (std::size_t byte = 1; byte < 8; ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      if (byte == 3 || (byte == 2 && bit > 1)) continue;  // a size outside of what was sent
      std::string bad = good;
      bad[byte] = static_cast<char>(bad[byte] ^ 1 << bit);
      CHECK(status(bad) == TERN_MAILBOX_STATUS_CRC);
    }
  }
  CHECK(status(good) == TERN_MAILBOX_STATUS_OK);
}

TEST_CASE("mailbox: a host that does not take its response delays only itself") {
  FirmwareBench bench;
  bench.boot();
  mgmt::Mailbox& box = bench.domain().mailbox();
  const auto put = [&](const std::string& bytes) {
    for (unsigned i = 0; i < bytes.size() / 4; ++i) {
      std::uint32_t word = 0;
      std::memcpy(&word, &bytes[4 * i], 4);
      box.host_write(i, word);
    }
    return box.host_ring();
  };
  CHECK(put(FirmwareBench::message(1, TERN_COMMAND_GET_STATUS, "")));
  bench.run(1);
  CHECK(put(FirmwareBench::message(2, TERN_COMMAND_GET_STATUS, "")));
  for (int i = 0; i < 1000; ++i) CHECK_FALSE(box.host_ring());
  bench.run(300);  // longer than the watchdog's patience
  CHECK(bench.board.resets() == 0);
  CHECK((box.host_read(0) & 0xFF) == 1);
  box.host_take();
  bench.run(1);
  CHECK((box.host_read(0) & 0xFF) == 2);
  box.host_take();
  CHECK(bench.request(TERN_COMMAND_GET_VERSION).status == TERN_MAILBOX_STATUS_OK);
}

TEST_CASE("mailbox: a request before the firmware is ready is answered when it is") {
  FirmwareBench bench;
  const std::string bytes = FirmwareBench::message(5, TERN_COMMAND_GET_VERSION, "");
  mgmt::Mailbox& box = bench.domain().mailbox();
  for (unsigned i = 0; i < 2; ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, &bytes[4 * i], 4);
    box.host_write(i, word);
  }
  box.host_ring();
  bench.boot();
  CHECK(bench.last_phase() == TERN_PHASE_READY);
  bench.run(1);
  CHECK(box.host_status() == TERN_REG_MAILBOX_STATUS_RESPONSE_MASK);
  CHECK((box.host_read(0) & 0xFFFF) == 5);
}

TEST_CASE("mailbox: the time of an answer") {
  FirmwareBench bench;
  bench.boot();
  for (const std::uint8_t command : {TERN_COMMAND_GET_VERSION, TERN_COMMAND_GET_STATUS}) {
    const sc_core::sc_time begin = sc_core::sc_time_stamp();
    bench.request(command);
    // Copies of the buffer, CRCs bit by bit, and up to two quanta of 10 us; an instruction is 1 ns.
    CHECK((sc_core::sc_time_stamp() - begin).to_seconds() * 1e6 <= 60);
  }
}
