// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <systemc>

#include "systemc/engines/ports/operation.h"

namespace tern {

// The paths to SBUF and PSUM that the Vector, Scalar and GpSimd engines of a core share. An
// instruction holds all it needs from its start to the end of its interval; waiting engines are
// served in the order of their requests.
class MemoryPorts {
 public:
  // Bits of a set of ports: one per PSUM bank, and the path to SBUF that Vector's performance modes
  // borrow from GpSimd.
  using Set = std::uint32_t;
  static constexpr Set kSharedBus = 1u << 31;

  // Blocks the calling SC_THREAD until the set is free; releases it at the end of its scope.
  class Claim {
   public:
    Claim(MemoryPorts& ports, Set set);
    ~Claim();
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;

   private:
    MemoryPorts& ports_;
    std::list<Set>::iterator place_;
  };

  bool is_free(Set set) const;

 private:
  std::list<Set> claims_;  // granted and waiting ones, in order
  sc_core::sc_event released_;
};

// The PSUM banks of an instruction's operands and columns, and GpSimd's path to SBUF.
MemoryPorts::Set needed_ports(const Operation& operation, unsigned queue, unsigned bank_bytes);

}  // namespace tern
