// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

// Layout of a flit: rtl/link/README.md.
namespace tern::flit {

constexpr unsigned kClasses = 4;
constexpr unsigned kLanes = 64, kSpares = 16, kPhysical = kLanes + kSpares;
constexpr std::size_t kFlitBytes = 256, kTlpDwords = 59, kTlpBytes = 4 * kTlpDwords;
constexpr std::size_t kBodyBytes = kTlpBytes + 6;  // what the CRC covers
constexpr unsigned kHeadDwords = 4, kMaxData = 64;
constexpr unsigned kLastNumber = 1023;  // of sequence numbers, which begin with 1
constexpr unsigned kHeadCreditMask = 0xff, kDataCreditMask = 0xfff;

using FlitBytes = std::array<std::uint8_t, kFlitBytes>;
using TlpPart = std::array<std::uint32_t, kTlpDwords>;

enum class Usage : std::uint8_t { kIdle, kNop, kPayload };
enum class Command : std::uint8_t { kExplicit, kAck, kNak, kSelectiveNak };
// Upper six bits of a type.
enum class Kind : std::uint8_t { kInitFirst = 0x10, kUpdate = 0x20, kInitSecond = 0x30 };

// The link-layer field.
struct Dlp {
  Usage usage = Usage::kNop;
  bool prior = false;
  Command command = Command::kAck;
  unsigned number = 0;
  Kind kind = Kind::kInitFirst;
  unsigned cls = 0, head_credits = 0, data_credits = 0;
};

// Data credits of a packet: units of 16 bytes.
constexpr unsigned data_units(unsigned dwords) {
  return (dwords + 3) / 4;
}

std::uint64_t flit_crc(const FlitBytes& flit);

// With CRC.
FlitBytes encode(const TlpPart& tlp, const Dlp& dlp);

bool crc_is_right(const FlitBytes& flit);
TlpPart tlp_of(const FlitBytes& flit);
Dlp dlp_of(const FlitBytes& flit);

}  // namespace tern::flit
