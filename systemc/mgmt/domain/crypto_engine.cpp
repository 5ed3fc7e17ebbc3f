// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/domain/crypto_engine.h"

#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "sw/crypto/ecdsa_p256.h"

namespace tern::mgmt {

namespace {

constexpr RegisterArray kDigest{TERN_REG_CRYPTO_DIGEST, TERN_REG_CRYPTO_DIGEST_STRIDE,
                                TERN_REG_CRYPTO_DIGEST_COUNT};
constexpr RegisterArray kKey{TERN_REG_CRYPTO_PUBLIC_KEY, TERN_REG_CRYPTO_PUBLIC_KEY_STRIDE,
                             TERN_REG_CRYPTO_PUBLIC_KEY_COUNT};
constexpr RegisterArray kSignature{TERN_REG_CRYPTO_SIGNATURE, TERN_REG_CRYPTO_SIGNATURE_STRIDE,
                                   TERN_REG_CRYPTO_SIGNATURE_COUNT};
constexpr std::uint64_t kBlockBytes = 64, kPaddingBytes = 9;

// Words hold bytes in the order of memory, as the hart and this host have them.
template <typename Bytes, typename Words>
Bytes bytes_of(const Words& words) {
  Bytes bytes;
  static_assert(sizeof bytes == sizeof words);
  std::memcpy(bytes.data(), words.data(), sizeof words);
  return bytes;
}

}  // namespace

CryptoEngine::CryptoEngine(sc_core::sc_module_name name, const Config& config, Reader reader)
    : WordDevice(name), config_(config), reader_(std::move(reader)) {}

sc_core::sc_time CryptoEngine::cycles(std::uint64_t count) const {
  constexpr double kFsPerNs = 1e6;
  return sc_core::sc_time::from_value(static_cast<std::uint64_t>(
      std::llround(static_cast<double>(count) / config_.clock_ghz * kFsPerNs)));
}

sc_core::sc_time CryptoEngine::hash_time(std::uint64_t bytes) const {
  const std::uint64_t blocks = (bytes + kPaddingBytes + kBlockBytes - 1) / kBlockBytes;
  return cycles(blocks * config_.hash_block_cycles);
}

sc_core::sc_time CryptoEngine::verify_time() const {
  return cycles(config_.verify_cycles);
}

std::uint32_t CryptoEngine::word(std::uint64_t offset, const sc_core::sc_time& at) const {
  const bool over = state_.status == TERN_CRYPTO_STATUS_BUSY && at >= until_;
  if (const auto i = kDigest.at(offset)) return over ? state_.new_digest[*i] : state_.digest[*i];
  if (const auto i = kKey.at(offset)) return state_.public_key[*i];
  if (const auto i = kSignature.at(offset)) return state_.signature[*i];
  switch (offset) {
    case TERN_REG_CRYPTO_SOURCE_LOW:
      return static_cast<std::uint32_t>(state_.source);
    case TERN_REG_CRYPTO_SOURCE_HIGH:
      return static_cast<std::uint32_t>(state_.source >> 32);
    case TERN_REG_CRYPTO_LENGTH:
      return state_.length;
    case TERN_REG_CRYPTO_STATUS:
      return over ? TERN_CRYPTO_STATUS_DONE : state_.status;
    case TERN_REG_CRYPTO_RESULT:
      return over ? state_.new_result : state_.result;
    default:
      return 0;
  }
}

void CryptoEngine::before_access(const sc_core::sc_time& at) {
  if (state_.status != TERN_CRYPTO_STATUS_BUSY || at < until_) return;
  state_.status = TERN_CRYPTO_STATUS_DONE;
  state_.digest = state_.new_digest;
  state_.result = state_.new_result;
}

void CryptoEngine::set_word(std::uint64_t offset, std::uint32_t value, const sc_core::sc_time& at) {
  if (state_.status == TERN_CRYPTO_STATUS_BUSY) return;
  if (const auto i = kDigest.at(offset)) state_.digest[*i] = value;
  if (const auto i = kKey.at(offset)) state_.public_key[*i] = value;
  if (const auto i = kSignature.at(offset)) state_.signature[*i] = value;
  switch (offset) {
    case TERN_REG_CRYPTO_SOURCE_LOW:
      state_.source = (state_.source >> 32 << 32) | value;
      break;
    case TERN_REG_CRYPTO_SOURCE_HIGH:
      state_.source = (state_.source & 0xFFFFFFFF) | std::uint64_t{value} << 32;
      break;
    case TERN_REG_CRYPTO_LENGTH:
      state_.length = value;
      break;
    case TERN_REG_CRYPTO_COMMAND:
      state_.result = 0;
      state_.status = TERN_CRYPTO_STATUS_ERROR;
      if (value == TERN_REG_CRYPTO_COMMAND_SHA256) start_hash(at);
      if (value == TERN_REG_CRYPTO_COMMAND_VERIFY) start_verify(at);
      break;
    default:
      break;
  }
}

// The bytes are those of now.
void CryptoEngine::start_hash(const sc_core::sc_time& at) {
  if (state_.length > kMaxLength) return;
  std::vector<std::uint8_t> bytes(state_.length);
  if (!reader_(state_.source, bytes.data(), bytes.size())) return;
  state_.new_digest = bytes_of<Digest>(crypto::sha256(bytes.data(), bytes.size()));
  state_.new_result = 0;
  state_.status = TERN_CRYPTO_STATUS_BUSY;
  until_ = at + hash_time(bytes.size());
}

void CryptoEngine::start_verify(const sc_core::sc_time& at) {
  const bool valid = crypto::verify(bytes_of<crypto::PublicKey>(state_.public_key),
                                    bytes_of<crypto::Signature>(state_.signature),
                                    bytes_of<crypto::Digest>(state_.digest));
  state_.new_digest = state_.digest;
  state_.new_result = valid ? 1 : 0;
  state_.status = TERN_CRYPTO_STATUS_BUSY;
  until_ = at + verify_time();
}

CryptoEngine::State CryptoEngine::save() const {
  State state = state_;
  state.busy = remaining(until_);
  return state;
}

void CryptoEngine::restore(const State& state) {
  state_ = state;
  until_ = sc_core::sc_time_stamp() + state.busy;
}

}  // namespace tern::mgmt
