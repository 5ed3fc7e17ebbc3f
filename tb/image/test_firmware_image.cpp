// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstring>

#include "sw/base/user_error.h"
#include "sw/image/firmware_image.h"
#include "tb/image/p256_example.h"

using namespace tern;
using namespace tern::tb;
using image::Description;

namespace {

constexpr std::uint64_t kLoad = 0x80020000;

Description described() {
  Description d;
  d.name = "test";
  d.security_version = 3;
  d.version = image::packed_version("1.2.3");
  d.load_address = d.entry = kLoad;
  return d;
}

std::string made(const std::string& payload, const Description& d = described()) {
  return image::make_image(payload, d, crypto::KeyPair(P256Example().secret));
}

// Numbers at their documented offsets (docs/reference/mgmt.md, manifest).
std::uint64_t number(const std::string& image, std::size_t offset, unsigned bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, &image[offset], bytes);
  return value;
}

}  // namespace

TEST_CASE("image: the manifest as documented, the payload padded to 8 bytes") {
  const std::string image = made("0123456789");
  REQUIRE(image.size() == 256 + 16);
  CHECK(image.substr(0, 4) == "TFW1");
  CHECK(number(image, 4, 4) == 1);
  CHECK(number(image, 8, 4) == 16);
  CHECK(number(image, 12, 4) == 3);
  CHECK(number(image, 16, 4) == 0x01020003);
  CHECK(number(image, 20, 4) == 0);
  CHECK(number(image, 24, 8) == kLoad);
  CHECK(number(image, 32, 8) == kLoad);
  CHECK(image.substr(96, 5) == std::string("test\0", 5));
  const P256Example example;
  CHECK(std::memcmp(&image[128], example.key.data(), 64) == 0);
  CHECK(image.substr(256) == std::string("0123456789\0\0\0\0\0\0", 16));
  CHECK(image == made("0123456789"));  // the same each time
  const image::Inspection found = image::inspect(image);
  CHECK(found.good());
  CHECK(found.key_hash == crypto::sha256(example.key.data(), 64));
}

TEST_CASE("image: a changed byte anywhere is noticed") {
  const std::string image = made(std::string(64, 'p'));
  for (std::size_t at = 4; at < image.size(); ++at) {
    std::string changed = image;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    INFO("byte " << at);
    CHECK_FALSE(image::inspect(changed).good());
  }
  for (std::size_t size = 256; size < image.size(); ++size)
    CHECK_FALSE(image::inspect(image.substr(0, size)).good());
  CHECK(image::inspect(image + "more").good());  // the rest of a slot
  CHECK_THROWS_AS(image::inspect(image.substr(0, 255)), UserError);
  CHECK_THROWS_AS(image::inspect(std::string(300, 'x')), UserError);
}

TEST_CASE("image: what the boot ROM would refuse is not made") {
  const auto refused = [](const std::string& payload, auto change) {
    Description d = described();
    change(d);
    CHECK_THROWS_AS(made(payload, d), UserError);
  };
  const std::string payload(64, 'p');
  const auto same = [](Description&) {};
  refused("", same);
  refused(std::string(0x80000 - 256 + 1, 'p'), same);
  CHECK_NOTHROW(made(std::string(0x80000 - 256, 'p')));
  refused(payload, [](Description& d) { d.load_address = d.entry = 0x80000000; });
  refused(payload, [](Description& d) { d.load_address += 4; });
  refused(payload, [](Description& d) { d.entry += 2; });
  refused(payload, [](Description& d) { d.entry += 64; });
  refused(payload, [](Description& d) { d.entry -= 4; });
  refused(payload, [](Description& d) { d.security_version = 65; });
  refused(payload, [](Description& d) { d.name = std::string(32, 'n'); });
  refused(payload, [](Description& d) { d.name = "a\n"; });
  refused(payload, [](Description& d) { d.name = ""; });
}

TEST_CASE("image: versions as text") {
  CHECK(image::packed_version("0.0.0") == 0);
  CHECK(image::packed_version("255.255.65535") == 0xFFFFFFFF);
  CHECK(image::version_text(0x01020003) == "1.2.3");
  for (const char* text : {"", "1", "1.2", "1.2.3.4", "1.2.x", "256.0.0", "1.256.0", "1.2.65536",
                           "-1.2.3", "1. 2.3", "1..3", "99999999999.0.0"}) {
    INFO(text);
    CHECK_THROWS_AS(image::packed_version(text), UserError);
  }
}
