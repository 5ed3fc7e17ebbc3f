// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <systemc>
#include <utility>

#include "sw/config/chip_config.h"
#include "systemc/pcie/config_space.h"

namespace tern::pcie {

// The chip as a PCIe function: BARs to its addresses, MSI-X, its requests to the host. Adds no time
// to accesses of the chip. README.md.
class Function : public sc_core::sc_module {
 public:
  // Offsets in the configuration space, 1, 2 or 4 bytes, aligned. transport_dbg takes no time, and
  // writes too: the platform's firmware has set up the bus before the simulation begins.
  tlm_utils::simple_target_socket<Function> config;
  // The host's reads and writes, bus addresses; nothing answers before memory space is enabled.
  // nb_transport posts a write to the chip.
  tlm_utils::simple_target_socket<Function> bus;
  tlm_utils::simple_initiator_socket<Function> chip;  // what hits a BAR, addresses of the chip
  // The chip's accesses to host memory and its messages: only while it may be a bus master.
  tlm_utils::simple_target_socket<Function> master;
  tlm_utils::simple_initiator_socket<Function> host;

  Function(sc_core::sc_module_name name, const ChipConfig& chip);

  // A message of the chip (systemc/chip/message_interrupts.h) has crossed the link.
  void message(unsigned vector);
  // Called by a function-level reset, whose configuration space is then as after power-on.
  void set_reset_handler(std::function<void()> handler) { reset_ = std::move(handler); }
  // A link that is down: the host's reads fail after the completion timeout, its writes are lost,
  // its reads of the configuration space return ones; the chip finds no host memory.
  void set_link(bool up) { link_up_ = up; }
  // For a snapshot.
  void archive_state(base::StateArchive& archive);
  bool link() const { return link_up_; }

  // Range C of the completion timeouts that a root port may choose (PCIe, device control 2).
  static constexpr double kCompletionTimeoutMs = 50;

 private:
  using Payload = tlm::tlm_generic_payload;

  void config_transport(Payload& payload, sc_core::sc_time& delay);
  unsigned config_dbg(Payload& payload);
  void bus_transport(Payload& payload, sc_core::sc_time& delay);
  tlm::tlm_sync_enum bus_post(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  unsigned bus_dbg(Payload& payload);
  void master_transport(Payload& payload, sc_core::sc_time& delay);
  unsigned master_dbg(Payload& payload);

  void reset_table();
  bool access_config(Payload& payload);
  // The chip's address of a bus address in a BAR; none: no BAR that leads to it.
  std::optional<std::uint64_t> translate(std::uint64_t address, std::uint64_t bytes) const;
  bool in_table(std::uint64_t address, std::uint64_t bytes) const;
  void access_table(Payload& payload);
  void send_pending();
  void send(unsigned vector);

  const sc_core::sc_time latency_;
  ConfigSpace space_;
  std::array<std::uint32_t, kMessageBytes / 4> table_{};  // MSI-X: 4 words per vector
  std::uint64_t pending_ = 0;
  std::function<void()> reset_;
  bool link_up_ = true;
};

}  // namespace tern::pcie
