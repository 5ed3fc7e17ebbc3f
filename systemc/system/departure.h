// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sw/spec/memory_access.h"
#include "systemc/fabric/transport.h"

namespace tern::system {

// A transfer that has left a chip, with what another process needs to serve it.
struct Departure {
  fabric::Transfer transfer;
  fabric::Time at = 0;
  bool answer = false;
  bool write = false;         // the access
  std::uint64_t address = 0;  // of a request, in the chip
  std::uint32_t length = 0;   // bytes of the access
  WriteOp op = WriteOp::kStore;
  std::int32_t status = 0;  // of an answer
  MemoryFault fault = MemoryFault::kNone;
  std::uint64_t fault_address = 0;
  std::string bytes;  // of a write on its way there, of a read on its way back
};

std::string bytes_of(std::vector<Departure>& departures);
// Appends. Throws UserError: not what bytes_of() made.
void departures_of(std::string_view bytes, std::vector<Departure>* departures);

}  // namespace tern::system
