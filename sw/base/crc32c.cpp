// SPDX-License-Identifier: Apache-2.0
#include "sw/base/crc32c.h"

#include <array>
#include <cstring>

namespace tern::base {

namespace {

constexpr std::uint32_t kPolynomial = 0x82F63B78;  // 0x1EDC6F41, reflected
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

// Table k: the effect of a byte on the remainder when k zero bytes follow it.
Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (unsigned k = 1; k < 8; ++k) {
    for (unsigned byte = 0; byte < 256; ++byte) {
      const std::uint32_t crc = tables[k - 1][byte];
      tables[k][byte] = (crc >> 8) ^ tables[0][crc & 0xFF];
    }
  }
  return tables;
}

}  // namespace

std::uint32_t crc32c(std::uint32_t crc, const std::uint8_t* data, std::size_t bytes) {
  static const Tables tables = make_tables();
  crc = ~crc;
  for (; bytes >= 8; bytes -= 8, data += 8) {
    std::uint64_t word;
    std::memcpy(&word, data, 8);
    word ^= crc;
    crc = 0;
    for (unsigned k = 0; k < 8; ++k) crc ^= tables[7 - k][(word >> (8 * k)) & 0xFF];
  }
  for (; bytes > 0; --bytes, ++data) crc = (crc >> 8) ^ tables[0][(crc ^ *data) & 0xFF];
  return ~crc;
}

}  // namespace tern::base
