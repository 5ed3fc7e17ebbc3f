// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "sw/spec/generated/mgmt.h"
#include "systemc/mgmt/domain/word_device.h"

namespace tern::mgmt {

// SHA-256 and ECDSA P-256. Times: README.md.
class CryptoEngine : public WordDevice {
 public:
  // Bytes of memory or flash; false: not all of them are there.
  using Reader = std::function<bool(std::uint64_t address, void* data, std::size_t bytes)>;
  struct Config {
    double clock_ghz = 0.5;
    std::uint64_t hash_block_cycles = 80, verify_cycles = 400'000;
  };
  using Digest = std::array<std::uint32_t, TERN_REG_CRYPTO_DIGEST_COUNT>;
  using Pair = std::array<std::uint32_t, TERN_REG_CRYPTO_PUBLIC_KEY_COUNT>;
  struct State {
    std::uint64_t source = 0;
    std::uint32_t length = 0;
    Digest digest = {};
    Pair public_key = {}, signature = {};
    // Of the newest command; they show when it is done.
    std::uint32_t status = TERN_CRYPTO_STATUS_IDLE, result = 0;
    Digest new_digest = {};
    std::uint32_t new_result = 0;
    sc_core::sc_time busy;  // from now on
  };
  static constexpr std::uint32_t kMaxLength = 16 << 20;  // more is an error

  CryptoEngine(sc_core::sc_module_name name, const Config& config, Reader reader);

  // How long a hash of these bytes and a verification take.
  sc_core::sc_time hash_time(std::uint64_t bytes) const;
  sc_core::sc_time verify_time() const;

  void reset() { restore({}); }
  State save() const;
  void restore(const State& state);

 private:
  std::uint32_t word(std::uint64_t offset, const sc_core::sc_time& at) const override;
  void set_word(std::uint64_t offset, std::uint32_t value, const sc_core::sc_time& at) override;
  void before_access(const sc_core::sc_time& at) override;
  void start_hash(const sc_core::sc_time& at);
  void start_verify(const sc_core::sc_time& at);
  sc_core::sc_time cycles(std::uint64_t count) const;

  const Config config_;
  const Reader reader_;
  State state_;
  sc_core::sc_time until_;
};

}  // namespace tern::mgmt
