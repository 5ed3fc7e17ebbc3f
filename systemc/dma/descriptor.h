// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace tern::dma {

// One 16-byte descriptor (docs/reference/registers.md), unpacked.
struct Descriptor {
  std::uint64_t address = 0;
  std::uint32_t length = 0;  // 1 .. 65536
  std::uint32_t meta = 0;
  unsigned ring_id = 0;
  bool first = false, last = false, int_en = false, dmb = false;
  bool reserved_clear = true;
};

Descriptor decode(const std::uint8_t* bytes);

// Why a ring stopped, beside bus errors.
enum class Fault : unsigned {
  kNone = 0,
  kPhase,         // ring_id is not the phase of this pass through the ring
  kReserved,      // a reserved bit is set
  kFirst,         // `first` missing at the start of a packet, or set inside one
  kLastMismatch,  // `last` in one of the two rings only
  kTooLong,       // more descriptors in a packet than the engine takes
  kSums,          // source and destination lengths of a packet differ
  kMeta,          // an operation other than plain copy
  kIntEn,         // completion interrupts
  kBase,          // ring base not aligned, or no size set
  kSize,          // ring size against the rules
  kOverrun,       // more pairs released than the ring holds
};

// Error code of docs/reference/isa.md.
unsigned error_code(Fault fault);
// What the error handler gets: bits 31..24 the fault, bits 23..0 the position in the ring.
std::uint64_t error_detail(Fault fault, std::uint64_t position);
// For messages: "descriptor 17: phase (ring_id) is not the one of this pass".
std::string describe(std::uint64_t detail);

}  // namespace tern::dma
