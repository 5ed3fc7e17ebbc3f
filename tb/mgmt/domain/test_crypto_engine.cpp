// SPDX-License-Identifier: Apache-2.0
// Oracles: the SHA-256 of sw/base, which is another implementation, and the example of RFC 6979.
#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "sw/base/sha256.h"
#include "systemc/mgmt/domain/crypto_engine.h"
#include "tb/common/seed.h"
#include "tb/image/p256_example.h"
#include "tb/mgmt/domain/word_bench.h"

using namespace tern;
using namespace tern::tb;

namespace {

// docs/reference/mgmt.md, crypto.
enum : unsigned {
  kSource = 0,
  kSourceHigh = 4,
  kLength = 8,
  kCommand = 12,
  kStatus = 16,
  kResult = 20,
  kDigest = 0x20,
  kKey = 0x40,
  kSignature = 0x80
};
constexpr std::uint32_t kHash = 1, kVerify = 2;
enum : std::uint32_t { kIdle, kBusy, kDone, kError };

struct Bench : WordBench {
  Bench()
      : memory(1 << 20),
        engine("crypto", {0.5, 80, 400'000}, [this](std::uint64_t from, void* to, std::size_t n) {
          if (from < kBase || from - kBase > memory.size() || n > memory.size() - (from - kBase))
            return false;
          std::memcpy(to, &memory[from - kBase], n);
          return true;
        }) {}
  void run(std::function<void()> body) { WordBench::run(engine, std::move(body)); }
  void start_hash(std::uint64_t address, std::uint32_t bytes) {
    put(kSource, static_cast<std::uint32_t>(address));
    put(kSourceHigh, static_cast<std::uint32_t>(address >> 32));
    put(kLength, bytes);
    put(kCommand, kHash);
  }
  std::string digest() {
    std::string text;
    for (unsigned i = 0; i < 32; ++i) {
      char byte[3];
      std::snprintf(byte, sizeof byte, "%02x", get(kDigest + (i & ~3u)) >> (i % 4 * 8) & 0xFF);
      text += byte;
    }
    return text;
  }
  void put_bytes(unsigned offset, const std::uint8_t* bytes, unsigned count) {
    for (unsigned i = 0; i < count; i += 4) {
      std::uint32_t word = 0;
      std::memcpy(&word, bytes + i, 4);
      put(offset + i, word);
    }
  }
  static constexpr std::uint64_t kBase = 0x180000000;
  std::vector<std::uint8_t> memory;
  mgmt::CryptoEngine engine;
};

}  // namespace

TEST_CASE("crypto: SHA-256 of random memory, and its time") {
  Bench bench;
  const std::uint64_t seed = test_seed();
  INFO("TERN_SEED=" << seed);
  std::mt19937_64 random(seed);
  for (std::uint8_t& byte : bench.memory) byte = static_cast<std::uint8_t>(random());
  bench.run([&] {
    CHECK(bench.get(kStatus) == kIdle);
    for (const std::uint32_t bytes : {0u, 1u, 55u, 56u, 63u, 64u, 119u, 120u, 4096u, 100'003u}) {
      const std::uint64_t at = random() % (bench.memory.size() - bytes);
      bench.start_hash(Bench::kBase + at, bytes);
      CHECK(bench.get(kStatus) == kBusy);
      // 80 cycles of 2 ns for each block of 64 bytes, with a bit and a length of 8 bytes after the
      // data.
      const std::uint32_t blocks = (bytes + 8) / 64 + 1;
      const double ns = 160.0 * blocks;
      CHECK(bench.get(kStatus, sc_core::sc_time(ns, sc_core::SC_NS) - moment()) == kBusy);
      wait(sc_core::sc_time(ns, sc_core::SC_NS));
      CHECK(bench.get(kStatus) == kDone);
      CHECK(bench.digest() == base::sha256(&bench.memory[at], bytes));
    }
  });
}

TEST_CASE("crypto: nothing shows or changes before it is done") {
  Bench bench;
  bench.run([&] {
    bench.put(kDigest, 0x1234);
    bench.start_hash(Bench::kBase, 3);
    CHECK(bench.get(kDigest) == 0x1234);
    bench.put(kDigest, 5);
    bench.put(kLength, 7);
    bench.put(kCommand, kVerify);
    CHECK(bench.get(kLength) == 3);
    CHECK(bench.get(kStatus) == kBusy);
    wait(us(1));
    CHECK(bench.digest() == base::sha256("\0\0\0", 3));
  });
}

TEST_CASE("crypto: addresses and lengths outside of memory, and unknown commands, are errors") {
  Bench bench;
  bench.run([&] {
    const std::uint64_t end = Bench::kBase + bench.memory.size();
    const struct {
      std::uint64_t address;
      std::uint32_t bytes;
    } cases[] = {{0, 4},
                 {end, 1},
                 {end - 3, 4},
                 {~0ULL, 2},
                 {Bench::kBase, 0xFFFFFFFF},
                 {Bench::kBase, (16 << 20) + 1},
                 {end - 1, 0xFFFFFFFF}};
    for (const auto& one : cases) {
      bench.start_hash(one.address, one.bytes);
      CHECK(bench.get(kStatus) == kError);
    }
    bench.start_hash(end - 4, 4);
    CHECK(bench.get(kStatus) == kBusy);
    wait(us(1));
    bench.put(kCommand, 3);
    CHECK(bench.get(kStatus) == kError);
  });
}

TEST_CASE("crypto: ECDSA P-256, the example of RFC 6979 and every byte of it changed") {
  Bench bench;
  bench.run([&] {
    const P256Example example;
    const auto verify = [&](const auto& key, const auto& signature, const auto& digest) {
      bench.put_bytes(kDigest, digest.data(), 32);
      bench.put_bytes(kKey, key.data(), 64);
      bench.put_bytes(kSignature, signature.data(), 64);
      bench.put(kCommand, kVerify);
      CHECK(bench.get(kStatus, us(800) - moment()) == kBusy);
      CHECK(bench.get(kResult, us(800) - moment()) == 0);
      wait(us(800));
      CHECK(bench.get(kStatus) == kDone);
      return bench.get(kResult) == 1;
    };
    CHECK(verify(example.key, example.signature, example.digest));
    for (std::size_t i = 0; i < 64; ++i) {
      INFO("byte " << i);
      auto key = example.key;
      key[i] ^= 1;
      CHECK_FALSE(verify(key, example.signature, example.digest));
      auto signature = example.signature;
      signature[i] ^= 0x80;
      CHECK_FALSE(verify(example.key, signature, example.digest));
      auto digest = example.digest;
      digest[i % 32] ^= 0x10;
      CHECK_FALSE(verify(example.key, example.signature, digest));
    }
    // Numbers out of range: zero, and the order of the curve or more.
    for (const std::uint8_t byte : {0x00, 0xFF}) {
      auto signature = example.signature;
      std::fill_n(signature.begin(), 32, byte);
      CHECK_FALSE(verify(example.key, signature, example.digest));
      signature = example.signature;
      std::fill_n(signature.begin() + 32, 32, byte);
      CHECK_FALSE(verify(example.key, signature, example.digest));
      auto key = example.key;
      key.fill(byte);
      CHECK_FALSE(verify(key, example.signature, example.digest));
    }
  });
}

TEST_CASE("crypto: a snapshot continues at another time") {
  Bench bench;
  bench.run([&] {
    bench.start_hash(Bench::kBase, 64 * 1000);
    wait(us(100));
    const auto state = bench.engine.save();
    wait(us(1000));
    bench.engine.reset();
    CHECK(bench.get(kStatus) == kIdle);
    bench.engine.restore(state);
    const sc_core::sc_time rest = sc_core::sc_time(160 * 1001, sc_core::SC_NS) - us(100);
    CHECK(bench.get(kStatus, rest - moment()) == kBusy);
    CHECK(bench.get(kStatus, rest) == kDone);
  });
}
