// SPDX-License-Identifier: Apache-2.0
#include "sw/image/firmware_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "sw/spec/generated/address_map.h"

namespace tern::image {

namespace {

constexpr std::uint64_t kWord = 8, kInstruction = 4;
constexpr std::uint64_t kLeastAddress = TERN_MGMT_MEMORY_BASE + TERN_MGMT_ROM_SCRATCH;

// The rules of the boot ROM that do not depend on the part. Empty: they hold.
std::string misfit(const tern_manifest& m) {
  if (m.magic != TERN_MGMT_MANIFEST_MAGIC) return "no manifest: the first word is another one";
  if (m.format != TERN_MGMT_MANIFEST_FORMAT)
    return fmt::format("format {}, expected {}", m.format, TERN_MGMT_MANIFEST_FORMAT);
  if (m.length == 0 || m.length % kWord != 0 || m.length > kMostPayload)
    return fmt::format("a payload of {} bytes, expected a multiple of {} up to {}", m.length, kWord,
                       kMostPayload);
  if (m.security_version > kMostSecurityVersion)
    return fmt::format("security version {}, expected at most {}", m.security_version,
                       kMostSecurityVersion);
  if (m.load_address < kLeastAddress || m.load_address % kWord != 0)
    return fmt::format("load address {:#x}, expected a multiple of {} from {:#x}", m.load_address,
                       kWord, kLeastAddress);
  if (m.entry < m.load_address || m.entry - m.load_address >= m.length)
    return fmt::format("entry {:#x} outside of the payload", m.entry);
  if (m.entry % kInstruction != 0)
    return fmt::format("entry {:#x}, expected a multiple of {}", m.entry, kInstruction);
  const auto zero = [](std::uint8_t byte) { return byte == 0; };
  if (m.flags != 0 || !std::all_of(std::begin(m.reserved), std::end(m.reserved), zero))
    return "reserved fields that are not 0";
  return "";
}

crypto::Digest signed_digest(const tern_manifest& manifest) {
  return crypto::sha256(&manifest, TERN_MGMT_MANIFEST_SIGNED);
}

void check_name(const std::string& name) {
  const auto printable = [](unsigned char c) { return c >= ' ' && c <= '~'; };
  if (name.empty() || name.size() >= sizeof tern_manifest::name ||
      !std::all_of(name.begin(), name.end(), printable))
    throw UserError(fmt::format("name {}: expected 1 to {} printable characters",
                                base::printable(name), sizeof tern_manifest::name - 1));
}

}  // namespace

std::uint32_t packed_version(const std::string& text) {
  constexpr unsigned kMost[] = {255, 255, 65535};
  constexpr unsigned kShift[] = {24, 16, 0};
  std::uint32_t packed = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (unsigned i = 0; i < 3; ++i) {
    unsigned part = 0;
    const auto [rest, error] = std::from_chars(at, end, part);
    const bool last = i == 2;
    if (error != std::errc() || part > kMost[i] ||
        (last ? rest != end : rest == end || *rest != '.'))
      throw UserError(
          fmt::format("version {}: expected three numbers such as 1.2.3, up to "
                      "255.255.65535",
                      base::printable(text)));
    packed |= part << kShift[i];
    at = last ? rest : rest + 1;
  }
  return packed;
}

std::string version_text(std::uint32_t version) {
  return fmt::format("{}.{}.{}", version >> 24, version >> 16 & 0xFF, version & 0xFFFF);
}

crypto::Digest key_hash(const crypto::PublicKey& key) {
  return crypto::sha256(key.data(), key.size());
}

std::string make_image(std::string payload, const Description& description,
                       const crypto::KeyPair& key) {
  check_name(description.name);
  if (payload.size() > kMostPayload)
    throw UserError(fmt::format("a payload of {} bytes: a slot of the flash has room for {}",
                                payload.size(), kMostPayload));
  payload.resize((payload.size() + kWord - 1) / kWord * kWord);
  tern_manifest m = {};
  m.magic = TERN_MGMT_MANIFEST_MAGIC;
  m.format = TERN_MGMT_MANIFEST_FORMAT;
  m.length = static_cast<std::uint32_t>(payload.size());
  m.security_version = description.security_version;
  m.version = description.version;
  m.load_address = description.load_address;
  m.entry = description.entry;
  std::copy(description.name.begin(), description.name.end(), m.name);
  const crypto::Digest digest = crypto::sha256(payload.data(), payload.size());
  std::copy(digest.begin(), digest.end(), m.digest);
  std::copy(key.public_key().begin(), key.public_key().end(), m.public_key);
  if (const std::string wrong = misfit(m); !wrong.empty()) throw UserError(wrong);
  const crypto::Signature signature = key.sign(signed_digest(m));
  std::copy(signature.begin(), signature.end(), m.signature);
  return std::string(reinterpret_cast<const char*>(&m), sizeof m) + payload;
}

Inspection inspect(std::string_view image) {
  Inspection found;
  if (image.size() < sizeof found.manifest)
    throw UserError(fmt::format("{} bytes: shorter than a manifest", image.size()));
  std::memcpy(&found.manifest, image.data(), sizeof found.manifest);
  const tern_manifest& m = found.manifest;
  if (m.magic != TERN_MGMT_MANIFEST_MAGIC) throw UserError(misfit(m));
  found.format_error = misfit(m);
  const std::string_view payload = image.substr(sizeof m);
  if (found.format_error.empty() && m.length > payload.size())
    found.format_error =
        fmt::format("a payload of {} bytes, the file has {}", m.length, payload.size());
  crypto::PublicKey key;
  crypto::Signature signature;
  std::copy(std::begin(m.public_key), std::end(m.public_key), key.begin());
  std::copy(std::begin(m.signature), std::end(m.signature), signature.begin());
  found.key_hash = key_hash(key);
  found.signature_matches = crypto::verify(key, signature, signed_digest(m));
  if (found.format_error.empty()) {
    const crypto::Digest digest = crypto::sha256(payload.data(), m.length);
    found.digest_matches = std::equal(digest.begin(), digest.end(), std::begin(m.digest));
  }
  return found;
}

}  // namespace tern::image
