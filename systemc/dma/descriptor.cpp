// SPDX-License-Identifier: Apache-2.0
#include "systemc/dma/descriptor.h"

#include <fmt/format.h>

#include <cstring>

#include "sw/spec/generated/isa.h"
#include "sw/spec/generated/registers.h"

namespace tern::dma {

namespace {

constexpr std::uint32_t mask(unsigned lsb, unsigned width) {
  return ((1u << width) - 1) << lsb;
}

constexpr std::uint32_t kUsedBits = mask(TERN_DESC_LENGTH_LSB, TERN_DESC_LENGTH_WIDTH) |
                                    mask(TERN_DESC_RING_ID_LSB, TERN_DESC_RING_ID_WIDTH) |
                                    mask(TERN_DESC_FIRST_LSB, 1) | mask(TERN_DESC_LAST_LSB, 1) |
                                    mask(TERN_DESC_INT_EN_LSB, 1) | mask(TERN_DESC_DMB_LSB, 1);

const char* text(Fault fault) {
  switch (fault) {
    case Fault::kNone:
      return "no fault";
    case Fault::kPhase:
      return "ring_id is not the phase of this pass through the ring";
    case Fault::kReserved:
      return "a reserved bit is set";
    case Fault::kFirst:
      return "`first` is missing at the start of a packet or set inside one";
    case Fault::kLastMismatch:
      return "`last` differs between source and destination";
    case Fault::kTooLong:
      return "the packet has too many descriptors";
    case Fault::kSums:
      return "source and destination lengths of the packet differ";
    case Fault::kMeta:
      return "only plain copies (meta = 0) are modelled";
    case Fault::kIntEn:
      return "completion interrupts (int_en) are not modelled";
    case Fault::kBase:
      return "the ring has no size, or a base that is not 256-byte aligned";
    case Fault::kSize:
      return "ring size: expected a multiple of 16 from 32 to 2^24-16";
    case Fault::kOverrun:
      return "more descriptor pairs released than the ring holds";
  }
  return "unknown fault";
}

}  // namespace

Descriptor decode(const std::uint8_t* bytes) {
  std::uint32_t word[2];
  Descriptor d;
  std::memcpy(word, bytes, sizeof word);
  std::memcpy(&d.address, bytes + 4 * TERN_DESC_ADDRESS_WORD, sizeof d.address);
  const std::uint32_t control = word[TERN_DESC_LENGTH_WORD];
  d.length = (control >> TERN_DESC_LENGTH_LSB) & mask(0, TERN_DESC_LENGTH_WIDTH);
  if (d.length == 0) d.length = TERN_DESCRIPTOR_MAX_LENGTH;
  d.meta = word[TERN_DESC_META_WORD];
  d.ring_id = (control >> TERN_DESC_RING_ID_LSB) & mask(0, TERN_DESC_RING_ID_WIDTH);
  d.first = ((control >> TERN_DESC_FIRST_LSB) & 1) != 0;
  d.last = ((control >> TERN_DESC_LAST_LSB) & 1) != 0;
  d.int_en = ((control >> TERN_DESC_INT_EN_LSB) & 1) != 0;
  d.dmb = ((control >> TERN_DESC_DMB_LSB) & 1) != 0;
  d.reserved_clear = (control & ~kUsedBits) == 0;
  return d;
}

unsigned error_code(Fault fault) {
  switch (fault) {
    case Fault::kNone:
      return TERN_ERROR_NONE;
    case Fault::kMeta:
    case Fault::kIntEn:
      return TERN_ERROR_NOT_MODELLED;
    case Fault::kBase:
    case Fault::kSize:
    case Fault::kOverrun:
      return TERN_ERROR_ILLEGAL_FIELD;
    default:
      return TERN_ERROR_DMA_DESCRIPTOR;
  }
}

std::uint64_t error_detail(Fault fault, std::uint64_t position) {
  return (static_cast<std::uint64_t>(fault) << 24) | (position & 0xffffff);
}

std::string describe(std::uint64_t detail) {
  return fmt::format("descriptor {}: {}", detail & 0xffffff,
                     text(static_cast<Fault>(detail >> 24)));
}

}  // namespace tern::dma
