// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <systemc>

#include "systemc/riscv/physical_memory.h"

namespace tern::mgmt {

// The memory of the board. Harts reach it directly; others through the socket (offsets in it),
// which may stay unbound. Direct access by others (DMI) is for reads: a write must reset decoded
// instructions.
class Ram : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket_optional<Ram> socket;

  // Zeros. Throws UserError if the host has not got so much. written: others have changed it.
  Ram(sc_core::sc_module_name name, std::uint64_t base, std::uint64_t bytes,
      riscv::PhysicalMemory& memory, std::function<void()> written);

  std::uint64_t base() const { return base_; }
  std::uint64_t bytes() const { return bytes_; }
  const std::uint8_t* data() const { return data_.get(); }
  bool contains(std::uint64_t address, std::uint64_t bytes) const {
    return address >= base_ && address - base_ <= bytes_ && bytes <= bytes_ - (address - base_);
  }
  // By address, inside: contains().
  void read(std::uint64_t address, void* data, std::size_t bytes) const;
  void write(std::uint64_t address, const void* data, std::size_t bytes);
  void clear(std::uint64_t address, std::size_t bytes);
  // All of it, which costs no memory of the host from then on. Not reported to a PageKeeper.
  void clear_all();

 private:
  struct Unmap {  // pages that nobody writes cost no memory of the host
    std::size_t bytes = 0;
    void operator()(std::uint8_t* data) const;
  };
  using Data = std::unique_ptr<std::uint8_t[], Unmap>;
  static Data zeros(std::uint64_t bytes);

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);

  const std::uint64_t base_, bytes_;
  riscv::PhysicalMemory& memory_;
  const std::function<void()> written_;
  Data data_;
};

}  // namespace tern::mgmt
