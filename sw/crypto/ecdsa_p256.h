// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sw/crypto/sha256.h"

// ECDSA over the curve P-256 (FIPS 186-4), by Mbed TLS. Numbers are 32 bytes, big endian.
namespace tern::crypto {

using PublicKey = std::array<std::uint8_t, 64>;  // X, Y
using Signature = std::array<std::uint8_t, 64>;  // R, S

// False also for a point that is not on the curve, and for numbers out of range.
bool verify(const PublicKey& key, const Signature& signature, const Digest& digest);

// A private key with its public one.
class KeyPair {
 public:
  // Of a PEM file without a password ("EC PRIVATE KEY" or "PRIVATE KEY"). Throws UserError
  // "FILE: ...".
  static KeyPair from_file(const std::string& path);
  // Of the number; throws UserError if it is none.
  explicit KeyPair(const std::array<std::uint8_t, 32>& secret);

  const PublicKey& public_key() const { return public_key_; }
  // Deterministic (RFC 6979): the same image has the same signature.
  Signature sign(const Digest& digest) const;

 private:
  std::array<std::uint8_t, 32> secret_;
  PublicKey public_key_;
};

}  // namespace tern::crypto
