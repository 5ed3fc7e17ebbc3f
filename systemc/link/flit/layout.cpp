// SPDX-License-Identifier: Apache-2.0
#include "systemc/link/flit/layout.h"

namespace tern::flit {
namespace {

constexpr std::uint64_t kPolynomial = 0x42F0E1EBA9EA3693;

std::array<std::uint64_t, 256> make_table() {
  std::array<std::uint64_t, 256> table{};
  for (unsigned i = 0; i < 256; ++i) {
    std::uint64_t rest = std::uint64_t{i} << 56;
    for (unsigned bit = 0; bit < 8; ++bit) {
      rest = (rest >> 63) != 0 ? rest << 1 ^ kPolynomial : rest << 1;
    }
    table[i] = rest;
  }
  return table;
}

std::uint64_t get(const FlitBytes& flit, std::size_t at, unsigned bytes) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) value |= std::uint64_t{flit[at + i]} << 8 * i;
  return value;
}

void put(FlitBytes& flit, std::size_t at, unsigned bytes, std::uint64_t value) {
  for (unsigned i = 0; i < bytes; ++i) flit[at + i] = static_cast<std::uint8_t>(value >> 8 * i);
}

}  // namespace

std::uint64_t flit_crc(const FlitBytes& flit) {
  static const std::array<std::uint64_t, 256> kTable = make_table();
  std::uint64_t rest = ~std::uint64_t{0};
  for (std::size_t word = 0; word < kBodyBytes; word += 8) {
    for (std::size_t i = 8; i-- > 0;) {  // the highest byte of a word first
      const std::uint8_t byte = word + i < kBodyBytes ? flit[word + i] : 0;
      rest = rest << 8 ^ kTable[rest >> 56 ^ byte];
    }
  }
  return ~rest;
}

FlitBytes encode(const TlpPart& tlp, const Dlp& dlp) {
  FlitBytes flit{};
  for (std::size_t i = 0; i < kTlpDwords; ++i) put(flit, 4 * i, 4, tlp[i]);
  const auto command = static_cast<unsigned>(dlp.command);
  put(flit, kTlpBytes, 2,
      static_cast<unsigned>(dlp.usage) | unsigned{dlp.prior} << 2 | command << 3 |
          dlp.number << 5);
  put(flit, kTlpBytes + 2, 4,
      static_cast<unsigned>(dlp.kind) << 2 | dlp.cls | dlp.head_credits << 8 |
          dlp.data_credits << 16);
  put(flit, kBodyBytes, 8, flit_crc(flit));
  return flit;
}

bool crc_is_right(const FlitBytes& flit) {
  return get(flit, kBodyBytes, 8) == flit_crc(flit);
}

TlpPart tlp_of(const FlitBytes& flit) {
  TlpPart tlp;
  for (std::size_t i = 0; i < kTlpDwords; ++i) {
    tlp[i] = static_cast<std::uint32_t>(get(flit, 4 * i, 4));
  }
  return tlp;
}

Dlp dlp_of(const FlitBytes& flit) {
  const std::uint64_t bits = get(flit, kTlpBytes, 6);
  Dlp dlp;
  dlp.usage = static_cast<Usage>(bits & 3);
  dlp.prior = (bits >> 2 & 1) != 0;
  dlp.command = static_cast<Command>(bits >> 3 & 3);
  dlp.number = static_cast<unsigned>(bits >> 5 & kLastNumber);
  dlp.cls = static_cast<unsigned>(bits >> 16 & 3);
  dlp.kind = static_cast<Kind>(bits >> 18 & 0x3f);
  dlp.head_credits = static_cast<unsigned>(bits >> 24 & kHeadCreditMask);
  dlp.data_credits = static_cast<unsigned>(bits >> 32 & kDataCreditMask);
  return dlp;
}

}  // namespace tern::flit
