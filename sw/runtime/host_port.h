// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstdint>
#include <systemc>

#include "sw/base/state_archive.h"

namespace tern::runtime {

// The host's side of the chip's host port: reads, writes and the interrupt line. Calls take
// simulated time and must run in a SystemC thread.
class HostPort : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<HostPort> socket;
  sc_core::sc_in<bool> irq;

  explicit HostPort(sc_core::sc_module_name name);

  // Any length; moved in pieces of kChunk.
  void write(std::uint64_t address, const void* data, std::uint64_t bytes);
  void read(std::uint64_t address, void* data, std::uint64_t bytes);
  void write32(std::uint64_t address, std::uint32_t value) { write(address, &value, sizeof value); }
  std::uint32_t read32(std::uint64_t address);
  // A 64-bit register: two words, low first.
  void write64(std::uint64_t address, std::uint64_t value);

  // A register by the debug path: takes no simulated time, changes nothing. False if the chip does
  // not answer.
  bool peek32(std::uint64_t address, std::uint32_t* value);

  // Waits until the interrupt line is high, at most until `deadline`; false if it is still low.
  bool wait_irq(const sc_core::sc_time& deadline);

  // A message interrupt has arrived. Vectors: register msi_enable of the chip.
  void message(unsigned vector);
  // Waits for one of this vector and takes it, at most until `deadline`; false if none has come.
  bool wait_message(unsigned vector, const sc_core::sc_time& deadline);

  // For a snapshot: messages that have not been taken.
  void archive_state(base::StateArchive& archive) { archive.each(messages_); }

  static constexpr std::uint64_t kChunk = std::uint64_t{1} << 20;

 private:
  void transfer(tlm::tlm_command command, std::uint64_t address, unsigned char* data,
                std::uint64_t bytes);

  std::array<std::uint32_t, 64> messages_{};  // by vector: arrived, not taken
  sc_core::sc_event message_arrived_;
};

}  // namespace tern::runtime
