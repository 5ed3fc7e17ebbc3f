// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>

#include "sw/spec/memory_access.h"

namespace tern {

// Travels with a transaction from its initiator to the memory and back.
struct Traffic : tlm::tlm_extension<Traffic> {
  unsigned traffic_class = kTrafficClasses - 1;
  WriteOp op = WriteOp::kStore;
  unsigned initiator = 0;     // its number at the network, for statistics and traces; set there
  std::uint32_t transit = 0;  // the network's own, while the transaction is in flight
  // Set by the target together with an error response: the reason, and the first address concerned.
  MemoryFault fault = MemoryFault::kNone;
  std::uint64_t fault_address = 0;

  tlm_extension_base* clone() const override { return new Traffic(*this); }
  void copy_from(const tlm_extension_base& other) override {
    *this = static_cast<const Traffic&>(other);
  }
};

}  // namespace tern
