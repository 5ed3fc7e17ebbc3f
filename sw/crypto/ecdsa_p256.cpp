// SPDX-License-Identifier: Apache-2.0
#include "sw/crypto/ecdsa_p256.h"

#include <mbedtls/ecdsa.h>
#include <mbedtls/pk.h>
#include <mbedtls/version.h>

#include <filesystem>

#include "sw/base/input_file.h"
#include "sw/base/user_error.h"

namespace tern::crypto {

namespace {

constexpr std::size_t kNumber = 32;
constexpr std::size_t kUncompressed = 1 + 2 * kNumber;  // a point: 4, X, Y
constexpr std::uintmax_t kMostKeyBytes = 64 << 10;

// The library's objects, freed at the end.
struct Curve {
  Curve() {
    mbedtls_ecp_group_init(&group);
    check(mbedtls_ecp_group_load(&group, MBEDTLS_ECP_DP_SECP256R1));
  }
  ~Curve() { mbedtls_ecp_group_free(&group); }
  Curve(const Curve&) = delete;
  Curve& operator=(const Curve&) = delete;

  static void check(int result) {
    if (result != 0) throw RunError("ECDSA: the library refused");
  }
  mbedtls_ecp_group group;
};

struct Number {
  Number() { mbedtls_mpi_init(&value); }
  explicit Number(const std::uint8_t* bytes) : Number() {
    Curve::check(mbedtls_mpi_read_binary(&value, bytes, kNumber));
  }
  ~Number() { mbedtls_mpi_free(&value); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;

  void write(std::uint8_t* bytes) const {
    Curve::check(mbedtls_mpi_write_binary(&value, bytes, kNumber));
  }
  mbedtls_mpi value;
};

struct Point {
  Point() { mbedtls_ecp_point_init(&value); }
  ~Point() { mbedtls_ecp_point_free(&value); }
  Point(const Point&) = delete;
  Point& operator=(const Point&) = delete;
  mbedtls_ecp_point value;
};

struct ParsedKey {
  ParsedKey() { mbedtls_pk_init(&value); }
  ~ParsedKey() { mbedtls_pk_free(&value); }
  ParsedKey(const ParsedKey&) = delete;
  ParsedKey& operator=(const ParsedKey&) = delete;
  mbedtls_pk_context value;
};

// Side channels are no concern of a signing tool for tests; the library still asks for blinding.
int no_random(void* /*state*/, unsigned char* out, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<unsigned char>(i + 1);
  return 0;
}

// The private number of a parsed key; false: it is not one of P-256.
bool read_secret(const mbedtls_pk_context& parsed, std::array<std::uint8_t, kNumber>& secret) {
  if (mbedtls_pk_can_do(&parsed, MBEDTLS_PK_ECKEY) == 0) return false;
  const mbedtls_ecp_keypair* key = mbedtls_pk_ec(parsed);
#if MBEDTLS_VERSION_MAJOR >= 3
  Curve curve;
  Number d;
  Point point;
  if (mbedtls_ecp_export(key, &curve.group, &d.value, &point.value) != 0 ||
      curve.group.id != MBEDTLS_ECP_DP_SECP256R1)
    return false;
  d.write(secret.data());
#else
  if (key->grp.id != MBEDTLS_ECP_DP_SECP256R1) return false;
  Curve::check(mbedtls_mpi_write_binary(&key->d, secret.data(), secret.size()));
#endif
  return true;
}

}  // namespace

bool verify(const PublicKey& key, const Signature& signature, const Digest& digest) {
  Curve curve;
  Point point;
  std::array<std::uint8_t, kUncompressed> uncompressed = {0x04};
  std::copy(key.begin(), key.end(), uncompressed.begin() + 1);
  if (mbedtls_ecp_point_read_binary(&curve.group, &point.value, uncompressed.data(),
                                    uncompressed.size()) != 0 ||
      mbedtls_ecp_check_pubkey(&curve.group, &point.value) != 0)
    return false;
  const Number r(signature.data()), s(signature.data() + kNumber);
  return mbedtls_ecdsa_verify(&curve.group, digest.data(), digest.size(), &point.value, &r.value,
                              &s.value) == 0;
}

KeyPair::KeyPair(const std::array<std::uint8_t, 32>& secret) : secret_(secret) {
  Curve curve;
  const Number d(secret.data());
  if (mbedtls_ecp_check_privkey(&curve.group, &d.value) != 0)
    throw UserError("a private key of P-256 is a number from 1 to the order of the curve");
  Point point;
  Curve::check(
      mbedtls_ecp_mul(&curve.group, &point.value, &d.value, &curve.group.G, no_random, nullptr));
  std::array<std::uint8_t, kUncompressed> bytes = {};
  std::size_t written = 0;
  Curve::check(mbedtls_ecp_point_write_binary(&curve.group, &point.value,
                                              MBEDTLS_ECP_PF_UNCOMPRESSED, &written, bytes.data(),
                                              bytes.size()));
  std::copy(bytes.begin() + 1, bytes.end(), public_key_.begin());
}

KeyPair KeyPair::from_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::file_size(path, error) > kMostKeyBytes && !error)
    throw UserError(path + ": too large for a key");
  const std::string text = base::read_input(path);
  ParsedKey parsed;
  // The library wants the final 0 of a PEM text counted.
  const auto* pem = reinterpret_cast<const unsigned char*>(text.c_str());
  const std::size_t bytes = text.size() + 1;
#if MBEDTLS_VERSION_MAJOR >= 3
  const int result =
      mbedtls_pk_parse_key(&parsed.value, pem, bytes, nullptr, 0, no_random, nullptr);
#else
  const int result = mbedtls_pk_parse_key(&parsed.value, pem, bytes, nullptr, 0);
#endif
  std::array<std::uint8_t, kNumber> secret = {};
  if (result != 0 || !read_secret(parsed.value, secret))
    throw UserError(path + ": expected a private key of P-256 in PEM, without a password");
  return KeyPair(secret);
}

Signature KeyPair::sign(const Digest& digest) const {
  Curve curve;
  const Number d(secret_.data());
  Number r, s;
  Curve::check(mbedtls_ecdsa_sign_det_ext(&curve.group, &r.value, &s.value, &d.value, digest.data(),
                                          digest.size(), MBEDTLS_MD_SHA256, no_random, nullptr));
  Signature signature;
  r.write(signature.data());
  s.write(signature.data() + kNumber);
  return signature;
}

}  // namespace tern::crypto
