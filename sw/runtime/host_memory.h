// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <systemc>
#include <utility>

#include "sw/runtime/range_allocator.h"

namespace tern::runtime {

// The host's memory as a device on the bus finds it: memory of this process that is pinned, and the
// window of the interrupt controller, where messages arrive. Everything else does not exist.
class HostMemory : public sc_core::sc_module {
 public:
  // A write of four bytes here is a message interrupt; its data are the vector.
  static constexpr std::uint64_t kMessageWindow = 0xFEE00000, kMessageBytes = 0x100000;

  // Bus addresses; b_transport takes no time. transport_dbg with TLM_IGNORE_COMMAND returns how
  // many of the bytes exist.
  tlm_utils::simple_target_socket<HostMemory> socket;

  HostMemory(sc_core::sc_module_name name, std::function<void(unsigned)> message);

  // Memory that devices may access as long as the object lives: it frees the bus addresses.
  class Pin {
   public:
    Pin() = default;
    Pin(Pin&& other) noexcept { *this = std::move(other); }
    Pin& operator=(Pin&& other) noexcept;
    ~Pin() { reset(); }
    void reset();
    std::uint64_t address() const { return address_; }  // on the bus, a multiple of 4 KiB

   private:
    friend class HostMemory;
    Pin(HostMemory& owner, std::uint64_t address) : owner_(&owner), address_(address) {}
    HostMemory* owner_ = nullptr;
    std::uint64_t address_ = 0;
  };
  // RunError if no bus addresses are left.
  Pin pin(void* data, std::uint64_t bytes);
  // Devices may only read it.
  Pin pin(const void* data, std::uint64_t bytes);
  // Memory whose contents are made when they are read: read(offset, data, bytes).
  using Read = std::function<void(std::uint64_t, void*, std::size_t)>;
  Pin pin(Read read, std::uint64_t bytes);

  // A device has written.
  const sc_core::sc_event& written() const { return written_; }

 private:
  using Payload = tlm::tlm_generic_payload;
  struct Region {
    std::uint64_t bytes;
    const std::uint8_t* read;
    std::uint8_t* write;  // null: devices may only read
    Read make;            // in place of `read`
  };

  Pin add(std::uint64_t bytes, Region region);
  void transport(Payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(Payload& payload);
  // The region that holds all bytes; null: none does.
  const std::pair<const std::uint64_t, Region>* find(std::uint64_t address,
                                                     std::uint64_t bytes) const;

  const std::function<void(unsigned)> message_;
  RangeAllocator addresses_;
  std::map<std::uint64_t, Region> regions_;  // by bus address
  sc_core::sc_event written_;
};

}  // namespace tern::runtime
