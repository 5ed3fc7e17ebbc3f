// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <random>

#include "sw/base/user_error.h"
#include "sw/crypto/ecdsa_p256.h"
#include "tb/common/seed.h"
#include "tb/common/temp_folder.h"
#include "tb/image/p256_example.h"

using namespace tern;
using namespace tern::tb;

TEST_CASE("ecdsa: the example of RFC 6979: key, digest, signature") {
  const P256Example example;
  const crypto::KeyPair key(example.secret);
  CHECK(key.public_key() == example.key);
  CHECK(crypto::sha256(example.message.data(), example.message.size()) == example.digest);
  CHECK(key.sign(example.digest) == example.signature);
  CHECK(crypto::verify(example.key, example.signature, example.digest));
}

TEST_CASE("ecdsa: what random keys sign verifies, and nothing else does") {
  const std::uint64_t seed = test_seed();
  INFO("TERN_SEED=" << seed);
  std::mt19937_64 random(seed);
  const auto fill = [&](auto& bytes) {
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  };
  for (int i = 0; i < 20; ++i) {
    std::array<std::uint8_t, 32> secret;
    crypto::Digest digest;
    fill(secret);
    fill(digest);
    secret[0] &= 0x7F;  // below the order of the curve
    const crypto::KeyPair key(secret);
    crypto::Signature signature = key.sign(digest);
    CHECK(crypto::verify(key.public_key(), signature, digest));
    signature[random() % 64] ^= static_cast<std::uint8_t>(1 << random() % 8);
    CHECK_FALSE(crypto::verify(key.public_key(), signature, digest));
  }
}

TEST_CASE("ecdsa: keys that are none") {
  std::array<std::uint8_t, 32> number = {};
  CHECK_THROWS_AS(crypto::KeyPair(number), UserError);
  number.fill(0xFF);
  CHECK_THROWS_AS(crypto::KeyPair(number), UserError);

  CHECK_NOTHROW(crypto::KeyPair::from_file(TERN_TEST_KEY));
  const TempFolder folder;
  const std::string pem = read_bytes(TERN_TEST_KEY);
  const std::string texts[] = {"", "no key", pem.substr(0, pem.size() / 2),
                               std::string(1 << 20, 'A')};
  for (const std::string& text : texts) {
    const std::string file = folder.put("key.pem", text).string();
    try {
      (void)crypto::KeyPair::from_file(file);
      FAIL("accepted");
    } catch (const UserError& error) {
      CHECK(std::string(error.what()).rfind(file + ":", 0) == 0);
    }
  }
}
