// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sw/crypto/ecdsa_p256.h"
#include "sw/spec/generated/mgmt.h"

// Signed images of the management firmware: a manifest and a payload (docs/reference/mgmt.md).
namespace tern::image {

constexpr std::uint32_t kMostSecurityVersion = 32 * TERN_MGMT_OTP_ROLLBACK_WORDS;
constexpr std::size_t kMostPayload = TERN_MGMT_FLASH_SLOT - TERN_MANIFEST_BYTES;

// What the signer decides.
struct Description {
  std::string name = "firmware";  // up to 31 printable characters
  std::uint32_t security_version = 1;
  std::uint32_t version = 0;  // packed_version()
  std::uint64_t load_address = 0, entry = 0;
};

// "1.2.3" as major << 24 | minor << 16 | patch, and back. Throws UserError.
std::uint32_t packed_version(const std::string& text);
std::string version_text(std::uint32_t version);

// The signed image; the payload is padded to whole words of 8 bytes. Throws UserError for what the
// boot ROM would refuse.
std::string make_image(std::string payload, const Description& description,
                       const crypto::KeyPair& key);

// SHA-256 of a key, as the fuses hold it.
crypto::Digest key_hash(const crypto::PublicKey& key);

// What a reader of an image finds; nothing of it is trusted.
struct Inspection {
  tern_manifest manifest = {};
  std::string format_error;  // empty: lengths and addresses are possible
  bool digest_matches = false, signature_matches = false;
  crypto::Digest key_hash = {};
  bool good() const { return format_error.empty() && digest_matches && signature_matches; }
};
// Throws UserError if there is no manifest.
Inspection inspect(std::string_view image);

}  // namespace tern::image
