// SPDX-License-Identifier: Apache-2.0
#include "sw/base/sha256.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <vector>

#include "sw/base/input_file.h"
#include "sw/base/text.h"
#include "sw/base/user_error.h"

namespace tern::base {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kBlock = 64;

// Fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t rotated(std::uint32_t x, unsigned by) {
  return (x >> by) | (x << (32 - by));
}

class Sha256 {
 public:
  void add(const std::uint8_t* data, std::size_t bytes) {
    total_ += bytes;
    while (bytes > 0) {
      const std::size_t take = std::min(bytes, kBlock - filled_);
      std::memcpy(&buffer_[filled_], data, take);
      filled_ += take;
      data += take;
      bytes -= take;
      if (filled_ == kBlock) block();
    }
  }

  std::string hex() {
    const std::uint64_t bits = total_ * 8;
    const std::uint8_t one = 0x80, zero = 0;
    add(&one, 1);
    while (filled_ != kBlock - 8) add(&zero, 1);
    std::array<std::uint8_t, 8> length{};
    for (unsigned i = 0; i < 8; ++i) length[i] = static_cast<std::uint8_t>(bits >> (56 - 8 * i));
    add(length.data(), length.size());
    std::string text;
    for (const std::uint32_t word : state_) {
      for (int shift = 28; shift >= 0; shift -= 4)
        text += "0123456789abcdef"[(word >> static_cast<unsigned>(shift)) & 15];
    }
    return text;
  }

 private:
  void block() {
    filled_ = 0;
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 16; ++i) {
      for (std::size_t b = 0; b < 4; ++b) w[i] = w[i] << 8 | buffer_[4 * i + b];
    }
    for (std::size_t i = 16; i < 64; ++i) {
      const std::uint32_t a = w[i - 15], b = w[i - 2];
      w[i] = w[i - 16] + w[i - 7] + (rotated(a, 7) ^ rotated(a, 18) ^ (a >> 3)) +
             (rotated(b, 17) ^ rotated(b, 19) ^ (b >> 10));
    }
    std::array<std::uint32_t, 8> s = state_;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t e = s[4], a = s[0];
      const std::uint32_t t1 = s[7] + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) +
                               ((e & s[5]) ^ (~e & s[6])) + kRound[i] + w[i];
      const std::uint32_t t2 = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) +
                               ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
      s = {t1 + t2, s[0], s[1], s[2], s[3] + t1, s[4], s[5], s[6]};
    }
    for (std::size_t i = 0; i < 8; ++i) state_[i] += s[i];
  }

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, kBlock> buffer_{};
  std::size_t filled_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace

std::string sha256(const void* data, std::size_t bytes) {
  Sha256 hash;
  hash.add(static_cast<const std::uint8_t*>(data), bytes);
  return hash.hex();
}

std::string file_sha256(const fs::path& path) {
  std::ifstream stream = open_input(path);
  std::vector<char> chunk(std::size_t{1} << 16);
  Sha256 hash;
  while (stream) {
    stream.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    hash.add(reinterpret_cast<const std::uint8_t*>(chunk.data()),
             static_cast<std::size_t>(stream.gcount()));
  }
  return hash.hex();
}

void check_sha256(const fs::path& folder, const fs::path& list, const std::string& remedy) {
  constexpr std::size_t kDigits = 64;
  std::ifstream stream = open_input(list);
  std::string line;
  for (unsigned number = 1; std::getline(stream, line); ++number) {
    if (line.empty()) continue;
    if (line.size() < kDigits + 3 || line.compare(kDigits, 2, "  ") != 0) {
      throw UserError(list.string() + ":" + std::to_string(number) +
                      ": expected 64 digits, two blanks and a file's name, got " + printable(line));
    }
    const fs::path file = folder / line.substr(kDigits + 2);
    if (!fs::exists(file)) throw UserError(file.string() + ": no such file" + remedy);
    if (file_sha256(file) != line.substr(0, kDigits))
      throw UserError(file.string() + ": is not the expected file (SHA-256)" + remedy);
  }
}

}  // namespace tern::base
