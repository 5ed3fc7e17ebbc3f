// SPDX-License-Identifier: Apache-2.0
// What the boot ROM refuses.
#include <catch2/catch.hpp>
#include <random>

#include "sw/image/firmware_image.h"
#include "tb/common/seed.h"
#include "tb/image/p256_example.h"
#include "tb/mgmt/firmware/firmware_bench.h"

using namespace tern;
using namespace tern::tb;

namespace {

crypto::KeyPair test_key() {
  return crypto::KeyPair::from_file(TERN_TEST_KEY);
}

std::string payload() {
  return firmware::image().substr(TERN_MANIFEST_BYTES);
}

// The firmware with another manifest, signed.
std::string signed_image(const std::function<void(tern_manifest&)>& change,
                         const crypto::KeyPair& key = test_key()) {
  std::string image = firmware::image();
  tern_manifest manifest;
  std::memcpy(&manifest, image.data(), sizeof manifest);
  std::copy(key.public_key().begin(), key.public_key().end(), manifest.public_key);
  change(manifest);
  const auto signature = key.sign(crypto::sha256(&manifest, TERN_MGMT_MANIFEST_SIGNED));
  std::copy(signature.begin(), signature.end(), manifest.signature);
  std::memcpy(image.data(), &manifest, sizeof manifest);
  return image;
}

std::string of_version(std::uint32_t security_version) {
  return signed_image([&](tern_manifest& m) { m.security_version = security_version; });
}

bool is_class_of_damage(unsigned error) {
  return error == TERN_BOOT_ERROR_EMPTY || error == TERN_BOOT_ERROR_FORMAT ||
         error == TERN_BOOT_ERROR_KEY || error == TERN_BOOT_ERROR_SIGNATURE;
}

}  // namespace

TEST_CASE("images: each byte of the manifest changed in slot A, slot B boots") {
  FirmwareBench bench;
  const std::string good = firmware::image();
  const std::uint64_t seed = test_seed();
  INFO("TERN_SEED=" << seed);
  std::mt19937_64 random(seed);
  for (std::size_t at = 0; at < TERN_MANIFEST_BYTES; ++at) {
    INFO("byte " << at);
    std::string image = good;
    image[at] = static_cast<char>(image[at] ^ 1 << random() % 8);
    bench.put_slot(0, image);
    bench.restart();
    bench.boot();
    REQUIRE(bench.last_phase() == TERN_PHASE_READY);
    // A slot without a manifest, or of a lower version by its own account, is not tried first.
    const bool decides_order = at < 4 || (at >= 12 && at < 16);
    const unsigned error = bench.boot_error(0);
    REQUIRE((is_class_of_damage(error) || (decides_order && error == TERN_BOOT_ERROR_NONE)));
    REQUIRE(bench.boot_error(1) == TERN_BOOT_ERROR_NONE);
    REQUIRE(bench.request(TERN_COMMAND_GET_VERSION).word(3) == 1);
  }
}

TEST_CASE("images: bytes of the payload changed, first, last and between") {
  FirmwareBench bench;
  const std::string good = firmware::image();
  const std::uint64_t seed = test_seed();
  INFO("TERN_SEED=" << seed);
  std::mt19937_64 random(seed);
  std::vector<std::size_t> places = {TERN_MANIFEST_BYTES, good.size() - 1};
  for (int i = 0; i < 60; ++i)
    places.push_back(TERN_MANIFEST_BYTES + random() % (good.size() - TERN_MANIFEST_BYTES));
  for (const std::size_t at : places) {
    INFO("byte " << at);
    std::string image = good;
    image[at] = static_cast<char>(image[at] ^ 1 << random() % 8);
    bench.put_slot(0, image);
    bench.restart();
    bench.boot();
    REQUIRE(bench.last_phase() == TERN_PHASE_READY);
    REQUIRE(bench.boot_error(0) == TERN_BOOT_ERROR_SIGNATURE);
  }
}

TEST_CASE("images: both slots bad, the ROM shuts down with a class for each") {
  FirmwareBench bench;
  std::string damaged = firmware::image();
  damaged[5000] = static_cast<char>(damaged[5000] ^ 4);
  bench.put_slot(0, damaged);
  bench.put_slot(1, "");
  const mgmt::BoardStop stop = bench.boot();
  CHECK(stop.kind == mgmt::BoardStop::Kind::kFail);
  CHECK(stop.code == (TERN_BOOT_ERROR_EMPTY << 8 | TERN_BOOT_ERROR_SIGNATURE));
  CHECK(bench.last_phase() == TERN_PHASE_SHUTDOWN);
  CHECK(bench.printed("rom: shutdown, code 0104"));
  // Nothing of the refused payload is left in memory.
  std::string memory(payload().size(), 'x');
  REQUIRE(bench.board.peek(0x80020000, memory.data(), static_cast<unsigned>(memory.size())));
  CHECK(memory == std::string(memory.size(), '\0'));
  // No core has left reset.
  std::uint32_t held = 0;
  bench.board.peek(TERN_MGMT_CONTROL_BASE + TERN_REG_CONTROL_CORE_RESET, &held, 4);
  CHECK(held == 0xFF);
}

TEST_CASE("images: an image older than the fuses is refused, and good ones raise them") {
  FirmwareBench bench([](mgmt::BoardConfig& c) {
    c.management->fuses[TERN_MGMT_OTP_ROLLBACK] = 0x7;  // version 3
  });
  bench.put_slot(0, of_version(2));
  bench.put_slot(1, of_version(3));
  bench.boot();
  CHECK(bench.last_phase() == TERN_PHASE_READY);
  CHECK(bench.request(TERN_COMMAND_GET_VERSION).word(2) == 3);

  bench.put_slot(0, of_version(40));
  bench.restart();
  bench.boot();
  REQUIRE(bench.last_phase() == TERN_PHASE_READY);
  bench.run(5);
  CHECK(bench.domain().otp().fuses()[TERN_MGMT_OTP_ROLLBACK] == 0xFFFFFFFF);
  CHECK(bench.domain().otp().fuses()[TERN_MGMT_OTP_ROLLBACK + 1] == 0xFF);

  // What booted before does no longer.
  bench.put_slot(0, of_version(3));
  bench.put_slot(1, of_version(39));
  bench.restart();
  const mgmt::BoardStop stop = bench.boot();
  CHECK(stop.kind == mgmt::BoardStop::Kind::kFail);
  CHECK(stop.code == (TERN_BOOT_ERROR_ROLLBACK << 8 | TERN_BOOT_ERROR_ROLLBACK));
}

TEST_CASE("images: a bad image does not raise the fuses") {
  FirmwareBench bench;
  std::string image = of_version(64);
  image[300] = static_cast<char>(image[300] ^ 1);
  bench.put_slot(0, image);
  bench.boot();
  bench.run(5);
  CHECK(bench.boot_error(0) == TERN_BOOT_ERROR_SIGNATURE);
  CHECK(bench.domain().otp().fuses()[TERN_MGMT_OTP_ROLLBACK] == 1);
}

TEST_CASE("images: the slot with the higher security version is first") {
  FirmwareBench bench;
  for (const bool b : {true, false}) {
    bench.put_slot(b ? 1 : 0, of_version(9));
    bench.put_slot(b ? 0 : 1, of_version(8));
    bench.restart();
    bench.boot();
    const auto version = bench.request(TERN_COMMAND_GET_VERSION);
    CHECK(version.word(0) == 1);
    CHECK(version.word(1) == image::packed_version("1.0.0"));
    CHECK(version.word(2) == 9);
    CHECK(version.word(3) == (b ? 1 : 0));
    CHECK(bench.domain().control().boot_error() == 0);
    bench.domain().otp().restore({bench.config.management->fuses, 0, 0, false, false, {}});
  }
}

TEST_CASE("images: a good signature of another key does not help") {
  FirmwareBench bench(signed_image([](tern_manifest&) {}, crypto::KeyPair(P256Example().secret)));
  const mgmt::BoardStop stop = bench.boot();
  CHECK(stop.kind == mgmt::BoardStop::Kind::kFail);
  CHECK(stop.code == (TERN_BOOT_ERROR_KEY << 8 | TERN_BOOT_ERROR_KEY));
}

TEST_CASE("images: a returned part boots nothing") {
  FirmwareBench bench(
      [](mgmt::BoardConfig& c) { c.management->fuses[TERN_MGMT_OTP_LIFE_CYCLE] = 3; });
  const mgmt::BoardStop stop = bench.boot();
  CHECK(stop.kind == mgmt::BoardStop::Kind::kFail);
  CHECK(stop.code == (TERN_BOOT_ERROR_LIFE_CYCLE << 8 | TERN_BOOT_ERROR_LIFE_CYCLE));
}

// Signed by somebody who has the key: the ROM trusts no number for that.
TEST_CASE("images: lengths and addresses that cannot be, with a good signature") {
  FirmwareBench bench;
  constexpr std::uint64_t kEnd = 0x80000000 + (16 << 20);
  const std::vector<std::function<void(tern_manifest&)>> changes = {
      [](tern_manifest& m) { m.format = 2; },
      [](tern_manifest& m) { m.flags = 1; },
      [](tern_manifest& m) { m.reserved[23] = 1; },
      [](tern_manifest& m) { m.length = 0; },
      [](tern_manifest& m) { m.length += 4; },
      [](tern_manifest& m) { m.length = 0x80000; },
      [](tern_manifest& m) { m.length = 0xFFFFFFF8; },
      [](tern_manifest& m) { m.security_version = 65; },
      [](tern_manifest& m) { m.load_address = m.entry = 0; },
      [](tern_manifest& m) { m.load_address = m.entry = 0x1000; },
      [](tern_manifest& m) { m.load_address = m.entry = 0x8001FFF8; },
      [](tern_manifest& m) { m.load_address = m.entry = 0x80000000; },
      [](tern_manifest& m) { m.load_address = m.entry = 0x80020004; },
      [](tern_manifest& m) { m.load_address = m.entry = kEnd - 8; },
      [](tern_manifest& m) { m.load_address = m.entry = kEnd; },
      [](tern_manifest& m) { m.load_address = m.entry = ~std::uint64_t{7}; },
      [](tern_manifest& m) { m.load_address = m.entry = TERN_MGMT_FLASH_BASE; },
      [](tern_manifest& m) { m.entry = m.load_address - 4; },
      [](tern_manifest& m) { m.entry = m.load_address + m.length; },
      [](tern_manifest& m) { m.entry += 2; },
      [](tern_manifest& m) { m.entry = ~std::uint64_t{3}; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    INFO("change " << i);
    bench.put_slot(0, signed_image(changes[i]));
    bench.restart();
    bench.boot();
    REQUIRE(bench.last_phase() == TERN_PHASE_READY);
    REQUIRE(bench.boot_error(0) == TERN_BOOT_ERROR_FORMAT);
    REQUIRE(bench.boot_error(1) == TERN_BOOT_ERROR_NONE);
  }
}

// The first slot is all random, or begins like a manifest.
TEST_CASE("images: random bytes in a slot never stop the other one") {
  FirmwareBench bench;
  const std::uint64_t seed = test_seed();
  INFO("TERN_SEED=" << seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 100; ++i) {
    std::string image(1024, '\0');
    for (char& byte : image) byte = static_cast<char>(random());
    const std::string good = firmware::image();
    if (i % 2 == 1) image.replace(0, random() % 40, good, 0, 40).resize(1024);
    bench.put_slot(i / 2 % 2, image);
    bench.put_slot(1 - i / 2 % 2, good);
    bench.restart();
    bench.boot();
    REQUIRE(bench.last_phase() == TERN_PHASE_READY);
  }
}
