// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstdint>
#include <systemc>

#include "sw/base/state_archive.h"
#include "sw/runtime/host_memory.h"

namespace tern::runtime {

// The host's side of the chip, a PCIe function: reads and writes through its BARs, interrupts, the
// memory that the chip reaches. Addresses are the chip's. Calls take simulated time and must run in
// a SystemC thread.
class HostPort : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<HostPort> socket;  // bus addresses
  tlm_utils::simple_initiator_socket<HostPort> config;  // the function's configuration space
  sc_core::sc_in<bool> irq;

  explicit HostPort(sc_core::sc_module_name name);

  // Any length; moved in pieces of kChunk.
  void write(std::uint64_t address, const void* data, std::uint64_t bytes);
  void read(std::uint64_t address, void* data, std::uint64_t bytes);
  void write32(std::uint64_t address, std::uint32_t value) { write(address, &value, sizeof value); }
  std::uint32_t read32(std::uint64_t address);
  // A 64-bit register: two words, low first.
  void write64(std::uint64_t address, std::uint64_t value);

  // Posted: returns at once, and an error is lost. What follows arrives later.
  void post32(std::uint64_t address, std::uint32_t value);
  void post64(std::uint64_t address, std::uint64_t value);

  // A register by the debug path: takes no simulated time, changes nothing. False if the chip does
  // not answer.
  bool peek32(std::uint64_t address, std::uint32_t* value);

  // Waits until the interrupt line is high, at most until `deadline`; false if it is still low.
  bool wait_irq(const sc_core::sc_time& deadline);

  // Waits for a message interrupt of this vector and takes it, at most until `deadline`; false if
  // none has come. Vectors: register msi_enable of the chip. The first wait for a vector sets it up
  // (MSI-X); a message that came before it waits.
  bool wait_message(unsigned vector, const sc_core::sc_time& deadline);

  // Takes all that have come.
  void forget_messages(unsigned vector) { messages_.at(vector) = 0; }

  HostMemory& memory() { return memory_; }

  // A function-level reset: all cores are reset, what was under way to the host is lost, the
  // function is set up again. Memories of the chip keep their contents.
  void reset_function();

  // For a snapshot: messages that have not been taken, vectors that are set up. The bus is set up
  // in the same way in every process.
  void archive_state(base::StateArchive& archive) {
    archive.each(messages_);
    archive.number(vectors_);
  }

  static constexpr std::uint64_t kChunk = std::uint64_t{1} << 20;

 private:
  struct Window {
    std::uint64_t base = 0, bytes = 0;
  };

  void start_of_simulation() override { set_up_bus(); }
  // What the platform's firmware does before the simulation begins, and after a reset of the
  // function: sizes of the BARs, their addresses, memory space and bus mastering on.
  void set_up_bus();
  std::uint32_t config_dbg(unsigned offset, unsigned bytes, bool write, std::uint32_t value = 0);
  void config_write(unsigned offset, unsigned bytes, std::uint32_t value);
  // The bus address that leads to an address of the chip; kNowhere: none does.
  std::uint64_t on_bus(std::uint64_t address, std::uint64_t bytes) const;
  static constexpr std::uint64_t kNowhere = UINT64_MAX;

  void transfer(tlm::tlm_command command, std::uint64_t address, unsigned char* data,
                std::uint64_t bytes);
  void transfer_bus(tlm::tlm_command command, std::uint64_t bus_address, std::uint64_t address,
                    unsigned char* data, std::uint64_t bytes);
  void set_up_vector(unsigned vector);

  HostMemory memory_;
  Window control_, table_, hbm_;
  std::array<std::uint32_t, 64> messages_{};  // by vector: arrived, not taken
  std::uint64_t vectors_ = 0;                 // that are set up
  sc_core::sc_event message_arrived_;
};

}  // namespace tern::runtime
