// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/vector/memory_ports.h"

#include <algorithm>

#include "sw/numerics/dtype.h"
#include "sw/spec/access_pattern.h"
#include "systemc/engines/vector/instruction_interval.h"

namespace tern {

namespace {

bool overlap(MemoryPorts::Set a, MemoryPorts::Set b) {
  return (a & b) != 0;
}

// Banks from the first to the last byte of a pattern.
MemoryPorts::Set banks(const AccessPattern& ap, unsigned element, unsigned bank_bytes) {
  if (!ap.psum || element == 0) return 0;
  const auto size = static_cast<std::int64_t>(element);
  const auto first = static_cast<unsigned>((ap.byte + size * ap.lowest()) / bank_bytes);
  const auto last = static_cast<unsigned>((ap.byte + size * (ap.highest() + 1) - 1) / bank_bytes);
  MemoryPorts::Set set = 0;
  for (unsigned bank = first; bank <= last; ++bank) set |= 1u << bank;
  return set;
}

MemoryPorts::Set banks(const AccessPattern& ap, std::uint8_t dtype, unsigned bank_bytes) {
  const auto size = numerics::dtype_size(static_cast<numerics::DType>(dtype));
  return banks(ap, static_cast<unsigned>(size), bank_bytes);
}

MemoryPorts::Set column_bank(std::uint32_t address, unsigned bank_bytes) {
  return banks(AccessPattern(tern_ap_t{address, 1, 1, 1, 0}), 4u, bank_bytes);
}

}  // namespace

MemoryPorts::Claim::Claim(MemoryPorts& ports, Set set) : ports_(ports) {
  place_ = ports_.claims_.insert(ports_.claims_.end(), set);
  const auto blocked = [&] {
    return std::any_of(ports_.claims_.begin(), place_,
                       [&](Set earlier) { return overlap(earlier, set); });
  };
  while (blocked()) sc_core::wait(ports_.released_);
}

MemoryPorts::Claim::~Claim() {
  ports_.claims_.erase(place_);
  ports_.released_.notify(sc_core::SC_ZERO_TIME);
}

bool MemoryPorts::is_free(Set set) const {
  return std::none_of(claims_.begin(), claims_.end(),
                      [&](Set claim) { return overlap(claim, set); });
}

MemoryPorts::Set needed_ports(const Operation& operation, unsigned queue, unsigned bank_bytes) {
  if (operation.opcode() < TERN_OPCODE_ACTIVATION) return 0;
  if (queue == TERN_QUEUE_GPSIMD) return MemoryPorts::kSharedBus;
  if (operation.opcode() == TERN_OPCODE_STREAM_SHUFFLE) {
    const tern_instr_shuffle_t& in = operation.instruction.shuffle;
    const auto row = [&](std::uint32_t address) {
      return banks(AccessPattern(tern_ap_t{address, in.num, 1, 1, 0}), in.dtype, bank_bytes);
    };
    return row(in.dst) | row(in.src);
  }
  if (!has_access_patterns(operation.opcode())) return 0;
  const auto& in = operation.instruction.elementwise;
  const auto& extension = operation.extension;
  return banks(AccessPattern(in.dst, extension.dst_outer), in.dst_dtype, bank_bytes) |
         banks(AccessPattern(in.src0, extension.src0_outer), in.src0_dtype, bank_bytes) |
         banks(AccessPattern(in.src1, extension.src1_outer), in.src1_dtype, bank_bytes) |
         column_bank(extension.scalar0, bank_bytes) | column_bank(extension.scalar1, bank_bytes) |
         column_bank(extension.reduce, bank_bytes);
}

}  // namespace tern
