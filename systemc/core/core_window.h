// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "systemc/core/core_registers.h"
#include "systemc/core/core_services.h"
#include "systemc/core/sbuf.h"
#include "systemc/engines/tensor/tensor_engine.h"
#include "systemc/memory/near_memory.h"

namespace tern {

// Decodes the offsets of a core's window (docs/reference/address_map.md): SBUF, PSUM, the core's
// registers, those of its DMA engines.
class CoreWindow {
 public:
  using Payload = tlm::tlm_generic_payload;

  // adders: next to SBUF; psum_debug: the datapath transfers PSUM data without simulated time.
  CoreWindow(Sbuf& sbuf, std::unique_ptr<NearMemory> adders, TensorEngine& tensor, bool psum_debug,
             CoreRegisters& registers, CoreServices& services);

  // Called by an SC_THREAD.
  void b_transport(Payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(Payload& payload);

 private:
  // Forwards a register access to one DMA engine.
  struct DmaPort {
    explicit DmaPort(const char* name) : socket(name) {}
    tlm_utils::simple_initiator_socket<DmaPort> socket;
  };

  tlm::tlm_response_status access(Payload& payload, sc_core::sc_time& delay);
  tlm::tlm_response_status access_sbuf(Payload& payload);
  tlm::tlm_response_status access_psum(Payload& payload, bool debug);
  tlm::tlm_response_status access_registers(Payload& payload, std::uint64_t offset, bool debug);
  tlm::tlm_response_status access_dma(Payload& payload, std::uint64_t offset,
                                      sc_core::sc_time& delay);
  void note_ring_registers(const Payload& payload, std::uint64_t offset);

  Sbuf& sbuf_;
  const std::unique_ptr<NearMemory> adders_;
  TensorEngine& tensor_;
  const bool psum_debug_;
  CoreRegisters& registers_;
  CoreServices& services_;
  std::vector<std::unique_ptr<DmaPort>> dma_ports_;
};

}  // namespace tern
