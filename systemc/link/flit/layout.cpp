// SPDX-License-Identifier: Apache-2.0
#include "systemc/link/flit/layout.h"

namespace tern::flit {
namespace {

constexpr std::uint64_t kPolynomial = TERN_LINK_CRC_POLYNOMIAL;

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
  const auto field = [](auto value, unsigned lsb) {
    return static_cast<std::uint64_t>(value) << lsb;
  };
  put(flit, kTlpBytes, TERN_LINK_DLP_BYTES,
      field(dlp.usage, TERN_LINK_DLP_USAGE_LSB) | field(dlp.prior, TERN_LINK_DLP_PRIOR_LSB) |
          field(dlp.command, TERN_LINK_DLP_COMMAND_LSB) |
          field(dlp.number, TERN_LINK_DLP_SEQUENCE_NUMBER_LSB) |
          field(dlp.cls, TERN_LINK_DLP_CLS_LSB) | field(dlp.kind, TERN_LINK_DLP_KIND_LSB) |
          field(dlp.head_credits, TERN_LINK_DLP_HEAD_CREDITS_LSB) |
          field(dlp.data_credits, TERN_LINK_DLP_DATA_CREDITS_LSB));
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
  const std::uint64_t bits = get(flit, kTlpBytes, TERN_LINK_DLP_BYTES);
  const auto field = [bits](unsigned lsb, unsigned width) {
    return static_cast<unsigned>(bits >> lsb) & ((1u << width) - 1);
  };
  Dlp dlp;
  dlp.usage = static_cast<Usage>(field(TERN_LINK_DLP_USAGE_LSB, TERN_LINK_DLP_USAGE_WIDTH));
  dlp.prior = field(TERN_LINK_DLP_PRIOR_LSB, TERN_LINK_DLP_PRIOR_WIDTH) != 0;
  dlp.command = static_cast<Command>(field(TERN_LINK_DLP_COMMAND_LSB, TERN_LINK_DLP_COMMAND_WIDTH));
  dlp.number = field(TERN_LINK_DLP_SEQUENCE_NUMBER_LSB, TERN_LINK_DLP_SEQUENCE_NUMBER_WIDTH);
  dlp.cls = field(TERN_LINK_DLP_CLS_LSB, TERN_LINK_DLP_CLS_WIDTH);
  dlp.kind = static_cast<Kind>(field(TERN_LINK_DLP_KIND_LSB, TERN_LINK_DLP_KIND_WIDTH));
  dlp.head_credits = field(TERN_LINK_DLP_HEAD_CREDITS_LSB, TERN_LINK_DLP_HEAD_CREDITS_WIDTH);
  dlp.data_credits = field(TERN_LINK_DLP_DATA_CREDITS_LSB, TERN_LINK_DLP_DATA_CREDITS_WIDTH);
  return dlp;
}

}  // namespace tern::flit
