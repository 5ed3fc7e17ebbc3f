// SPDX-License-Identifier: Apache-2.0
// Random requests: each is answered, in time, with a good CRC; good ones work afterwards.
#include <catch2/catch.hpp>
#include <random>

#include "tb/common/seed.h"
#include "tb/mgmt/firmware/firmware_bench.h"

using namespace tern;
using namespace tern::tb;

namespace {

std::string random_bytes(std::mt19937_64& random, std::size_t count) {
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

// Noise; a good frame around noise; a good frame around words that may mean something.
std::string request(std::mt19937_64& random) {
  const auto code = static_cast<std::uint8_t>(random() % 16 == 0 ? random() : random() % 13);
  const auto sequence = static_cast<std::uint8_t>(random());
  switch (random() % 4) {
    case 0:
      return random_bytes(random, random() % 8 == 0 ? 1024 : 8 + random() % 64);
    case 1: {
      std::string bytes =
          FirmwareBench::message(sequence, code, random_bytes(random, random() % 40));
      bytes[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
      return bytes;
    }
    case 2:
      return FirmwareBench::message(sequence, code, random_bytes(random, random() % 1017));
    default: {
      std::vector<std::uint32_t> words(random() % 8 == 0 ? random() % 110 : 1);
      for (std::uint32_t& word : words) {
        const std::uint32_t pages = 0x18000000 + static_cast<std::uint32_t>(random() % 0x9000);
        const std::uint32_t choices[] = {pages & ~3u, static_cast<std::uint32_t>(random() % 20),
                                         static_cast<std::uint32_t>(random() % 1100),
                                         static_cast<std::uint32_t>(random())};
        word = choices[random() % 4];
      }
      return FirmwareBench::message(sequence, code, FirmwareBench::words(words));
    }
  }
}

}  // namespace

TEST_CASE("mailbox: 20,000 random requests, errors meanwhile, no hang, no reset") {
  FirmwareBench bench([](mgmt::BoardConfig& c) {
    for (auto& unit : c.management->training) unit.us = 10;  // many trainings of links
  });
  bench.boot();
  const std::uint64_t seed = test_seed();
  INFO("TERN_SEED=" << seed);
  std::mt19937_64 random(seed);
  std::uint32_t answered[6] = {};
  for (int i = 0; i < 20'000; ++i) {
    INFO("request " << i);
    if (random() % 64 == 0)
      bench.domain().raise({static_cast<std::uint8_t>(random() % 7),
                            static_cast<std::uint16_t>(random() % 12), random(), 1});
    std::string bytes = request(random);
    const auto reply = bench.send(bytes);
    REQUIRE(reply.crc_matches);
    REQUIRE(reply.sequence == static_cast<std::uint8_t>(bytes[0]));
    REQUIRE(reply.status < TERN_MAILBOX_STATUS_COUNT);
    if (reply.status != TERN_MAILBOX_STATUS_OK) REQUIRE(reply.payload.empty());
    ++answered[reply.status];
    if (i % 500 == 0)
      REQUIRE(bench.request(TERN_COMMAND_GET_VERSION).word(0) == TERN_MGMT_MAILBOX_VERSION);
  }
  CHECK(bench.board.resets() == 0);
  for (const std::uint32_t status :
       {TERN_MAILBOX_STATUS_OK, TERN_MAILBOX_STATUS_UNKNOWN, TERN_MAILBOX_STATUS_CRC,
        TERN_MAILBOX_STATUS_SIZE, TERN_MAILBOX_STATUS_ARGUMENT}) {
    INFO("status " << status);
    CHECK(answered[status] > 300);
  }
  const auto status = bench.request(TERN_COMMAND_GET_STATUS).as<tern_status_reply>();
  CHECK(status.phase == TERN_PHASE_READY);
  CHECK(status.reset_cause == TERN_RESET_CAUSE_POWER_ON);
}
