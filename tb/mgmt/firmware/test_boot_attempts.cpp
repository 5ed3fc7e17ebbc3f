// SPDX-License-Identifier: Apache-2.0
// Images that are signed, and start, and do not come to the end of the bring-up.
#include <catch2/catch.hpp>
#include <random>

#include "sw/image/firmware_image.h"
#include "tb/common/seed.h"
#include "tb/mgmt/firmware/firmware_bench.h"

using namespace tern;
using namespace tern::tb;

namespace {

std::string image_of(const std::vector<std::uint32_t>& words, std::uint32_t security_version) {
  image::Description d;
  d.name = "test";
  d.security_version = security_version;
  d.load_address = d.entry = 0x80020000;
  return image::make_image(FirmwareBench::words(words), d,
                           crypto::KeyPair::from_file(TERN_TEST_KEY));
}

// A program that sleeps forever: wfi, and a jump to it.
std::string sleeping_image(std::uint32_t security_version) {
  return image_of({0x10500073, 0xFFDFF06F}, security_version);
}

tern_boot_data data_of(FirmwareBench& bench) {
  tern_boot_data data;
  std::memcpy(&data, bench.domain().flash().data() + TERN_MGMT_FLASH_DATA, sizeof data);
  return data;
}

}  // namespace

TEST_CASE("attempts: an image that hangs is started three times, then the other slot") {
  FirmwareBench bench;
  bench.put_slot(1, sleeping_image(9));
  const mgmt::BoardStop stop = bench.boot(10'000);
  INFO(bench.terminal.output());
  CHECK(stop.kind == mgmt::BoardStop::Kind::kRequest);
  CHECK(bench.last_phase() == TERN_PHASE_READY);
  CHECK(bench.board.resets() == 3);
  // Each start: two stages of 500 ms of the ROM's watchdog.
  CHECK(bench.phases.back().us >= 3e6);
  CHECK(bench.phases.back().us <= 3e6 + 4 * 1100 + 6000);
  CHECK(bench.printed("rom: slot B did not come to its end 3 times"));
  CHECK(bench.boot_error(1) == TERN_BOOT_ERROR_ATTEMPTS);
  CHECK(bench.request(TERN_COMMAND_GET_VERSION).word(3) == 0);
  CHECK(bench.request(TERN_COMMAND_GET_STATUS).as<tern_status_reply>().reset_cause ==
        TERN_RESET_CAUSE_WATCHDOG);
  // The fuses are those of the image that works.
  CHECK(bench.domain().otp().fuses()[TERN_MGMT_OTP_ROLLBACK] == 1);
}

TEST_CASE("attempts: an image that faults at once is given up, too") {
  FirmwareBench bench;
  bench.put_slot(1, image_of({0, 0}, 9));  // no instructions
  bench.boot(10'000);
  INFO(bench.terminal.output());
  CHECK(bench.last_phase() == TERN_PHASE_READY);
  CHECK(bench.board.resets() == 3);
  CHECK(bench.printed("rom: slot B did not come to its end 3 times"));
}

TEST_CASE("attempts: if the other slot is bad, the image is started nevertheless") {
  FirmwareBench bench;
  bench.put_slot(0, "");
  bench.put_slot(1, sleeping_image(9));
  bench.boot(5500);
  INFO(bench.terminal.output());
  CHECK(bench.board.resets() == 5);
  CHECK(bench.last_phase() == TERN_PHASE_VERIFY);
  CHECK(bench.boot_error(0) == TERN_BOOT_ERROR_EMPTY);
}

TEST_CASE("attempts: good starts are counted as such, also beyond the bits of a word") {
  FirmwareBench bench;
  for (unsigned i = 1; i <= 40; ++i) {
    INFO("start " << i);
    bench.restart();
    bench.boot();
    REQUIRE(bench.last_phase() == TERN_PHASE_READY);
    REQUIRE(bench.boot_error(0) == TERN_BOOT_ERROR_NONE);
    const tern_boot_data data = data_of(bench);
    const unsigned cleared = i <= 32 ? i : i - 32;
    const auto expected = static_cast<std::uint32_t>(~((std::uint64_t{1} << cleared) - 1));
    REQUIRE(data.tries[0] == expected);
    REQUIRE(data.good[0] == expected);
    REQUIRE(data.tries[1] == 0xFFFFFFFF);
  }
}

TEST_CASE("attempts: boot data of any kind do not keep good images from starting") {
  FirmwareBench bench;
  const std::uint64_t seed = test_seed();
  INFO("TERN_SEED=" << seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 50; ++i) {
    for (unsigned byte = 0; byte < 16; ++byte)
      bench.domain().flash().data()[TERN_MGMT_FLASH_DATA + byte] =
          static_cast<std::uint8_t>(random() % 4 == 0 ? 0 : random());
    bench.restart();
    bench.boot();
    REQUIRE(bench.last_phase() == TERN_PHASE_READY);
  }
}
