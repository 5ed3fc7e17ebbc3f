// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "sw/config/chip_config.h"
#include "systemc/chip/chip_health.h"
#include "systemc/chip/host_port.h"
#include "systemc/chip/link_port.h"
#include "systemc/chip/message_interrupts.h"
#include "systemc/core/neuron_core.h"
#include "systemc/hbm/hbm_memory.h"
#include "systemc/noc/noc.h"
#include "systemc/pcie/bus_master.h"
#include "systemc/pcie/host_link.h"
#include "systemc/trace/trace.h"

namespace tern {

struct ChipOptions {
  // For every core, with the back ends that the configuration chooses for it; the names of
  // instructions, the log and the runner of programs only for program_core.
  CoreOptions core;
  // An instruction of any core in words; without it core.describe.
  std::function<std::string(unsigned core, unsigned queue, unsigned index)> describe;
  unsigned program_core = 0;
  double links_gb_per_s = 0;  // of all links to other chips, per direction; 0: it has none
};

// The host's side of a management core: registers firmware_phase and mailbox_* of the chip.
class ManagementPort {
 public:
  virtual ~ManagementPort() = default;
  // False: no such register, or it cannot be read or written.
  virtual bool read(std::uint64_t offset, std::uint32_t* value) = 0;
  virtual bool write(std::uint64_t offset, std::uint32_t value) = 0;
  // For a snapshot of the chip.
  virtual void archive_state(base::StateArchive& archive) = 0;
};

// A chip: cores, HBM, network, host link and the chip registers. Simulation (simulation.h) must
// exist before it.
class Chip : public sc_core::sc_module {
 public:
  tlm::tlm_target_socket<> host;  // chip-local addresses; call from an SC_THREAD
  sc_core::sc_out<bool> irq;      // a core is done or in error
  // To the memory of the host, bus addresses (systemc/pcie/bus_master.h). Unbound: none.
  tlm::tlm_initiator_socket<32, tlm::tlm_base_protocol_types, 1, sc_core::SC_ZERO_OR_MORE_BOUND>
      host_memory;

  Chip(sc_core::sc_module_name name, const ChipConfig& config, const ChipOptions& options,
       trace::Bus* trace);

  const ChipConfig& config() const { return config_; }
  unsigned cores() const { return static_cast<unsigned>(cores_.size()); }
  NeuronCore& core(unsigned n) { return *cores_.at(n); }
  const NeuronCore& core(unsigned n) const { return *cores_.at(n); }
  HbmMemory& hbm() { return hbm_; }
  const HbmMemory& hbm() const { return hbm_; }
  noc::Noc& noc() { return noc_; }
  const noc::Noc& noc() const { return noc_; }
  const HostPort& host_port() const { return host_port_; }
  const pcie::BusMaster& bus_master() const { return bus_master_; }
  // Every core rests: it runs nothing, or waits for what only comes from outside.
  bool waits() const;
  ChipHealth& health() { return *health_; }
  MessageInterrupts& messages() { return messages_; }
  // Null: it has no links to other chips.
  LinkPort* links() { return links_.get(); }
  // Null: the chip has no management core. It must outlive the simulation.
  void attach_management(ManagementPort* port) { management_ = port; }
  // A register, or memory, over the host's debug path: no time, no effect. False: nothing answers.
  bool peek(std::uint64_t address, void* data, unsigned bytes);
  // What every running queue waits for, for messages about a stalled program; empty when none runs.
  std::string describe_stall() const;

  // What keeps a snapshot from being taken, in words: a block with its back end in RTL, a program
  // that runs, a transfer in flight. Empty: nothing.
  std::string in_flight();
  // For a snapshot, in an SC_THREAD, while nothing does: everything that lives on. Restored, at the
  // simulated time of the save; takes delta cycles. UserError for what is damaged: then this chip
  // is not to be used any more.
  void archive_state(base::StateArchive& archive);

  void start_of_simulation() override;

 private:
  void registers_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  unsigned registers_dbg(tlm::tlm_generic_payload& transaction);
  bool read_register(std::uint64_t offset, std::uint32_t& value) const;
  tlm::tlm_response_status write_register(std::uint64_t offset, std::uint32_t value);
  tlm::tlm_response_status access_registers(const tlm::tlm_generic_payload& transaction);
  void drive_irq();

  const ChipConfig config_;
  trace::Bus* const trace_;
  noc::Noc noc_;
  HbmMemory hbm_;
  pcie::HostLink host_link_;
  HostPort host_port_;
  pcie::BusMaster bus_master_;
  tlm_utils::simple_target_socket<Chip> registers_;
  std::vector<std::unique_ptr<NeuronCore>> cores_;
  sc_core::sc_vector<sc_core::sc_signal<bool>> core_irqs_;
  std::unique_ptr<ChipHealth> health_;
  MessageInterrupts messages_;
  std::unique_ptr<LinkPort> links_;
  ManagementPort* management_ = nullptr;
};

}  // namespace tern
