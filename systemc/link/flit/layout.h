// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sw/spec/generated/link.h"

// Layout of a flit: rtl/link/README.md.
namespace tern::flit {

constexpr unsigned kClasses = TERN_LINK_CLASSES;
constexpr unsigned kLanes = TERN_LINK_LANES, kSpares = TERN_LINK_SPARES;
constexpr unsigned kPhysical = kLanes + kSpares;
constexpr std::size_t kTlpDwords = TERN_LINK_TLP_DWORDS, kTlpBytes = 4 * kTlpDwords;
constexpr std::size_t kBodyBytes = kTlpBytes + TERN_LINK_DLP_BYTES;  // what the CRC covers
constexpr std::size_t kFlitBytes = kBodyBytes + TERN_LINK_CRC_BYTES + TERN_LINK_FEC_BYTES;
constexpr unsigned kHeadDwords = TERN_LINK_HEAD_DWORDS, kMaxData = TERN_LINK_MAX_DATA;
// Sequence numbers begin with 1.
constexpr unsigned kLastNumber = (1u << TERN_LINK_DLP_SEQUENCE_NUMBER_WIDTH) - 1;
constexpr unsigned kHeadCreditMask = (1u << TERN_LINK_DLP_HEAD_CREDITS_WIDTH) - 1;
constexpr unsigned kDataCreditMask = (1u << TERN_LINK_DLP_DATA_CREDITS_WIDTH) - 1;

using FlitBytes = std::array<std::uint8_t, kFlitBytes>;
using TlpPart = std::array<std::uint32_t, kTlpDwords>;

enum class Usage : std::uint8_t {
  kIdle = TERN_LINK_USAGE_IDLE,
  kNop = TERN_LINK_USAGE_NOP,
  kPayload = TERN_LINK_USAGE_PAYLOAD
};
enum class Command : std::uint8_t {
  kExplicit = TERN_LINK_COMMAND_EXPLICIT,
  kAck = TERN_LINK_COMMAND_ACK,
  kNak = TERN_LINK_COMMAND_NAK
};
enum class Kind : std::uint8_t {
  kInitFirst = TERN_LINK_KIND_INIT_FIRST,
  kUpdate = TERN_LINK_KIND_UPDATE,
  kInitSecond = TERN_LINK_KIND_INIT_SECOND
};

// The link-layer field.
struct Dlp {
  Usage usage = Usage::kNop;
  bool prior = false;  // the flit before was a payload flit, or stated a number
  Command command = Command::kAck;
  unsigned number = 0;
  Kind kind = Kind::kInitFirst;
  unsigned cls = 0, head_credits = 0, data_credits = 0;
};

// Data credits of a packet.
constexpr unsigned data_units(unsigned dwords) {
  return (dwords + TERN_LINK_DATA_CREDIT_DWORDS - 1) / TERN_LINK_DATA_CREDIT_DWORDS;
}

std::uint64_t flit_crc(const FlitBytes& flit);

// With CRC.
FlitBytes encode(const TlpPart& tlp, const Dlp& dlp);

bool crc_is_right(const FlitBytes& flit);
TlpPart tlp_of(const FlitBytes& flit);
Dlp dlp_of(const FlitBytes& flit);

}  // namespace tern::flit
