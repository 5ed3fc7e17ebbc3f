// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <systemc>

namespace tern {

// Decodes chip-local addresses (docs/reference/address_map.md) and forwards: HBM addresses
// unchanged, core windows and chip registers as offsets. Anything else gets
// TLM_ADDRESS_ERROR_RESPONSE.
class ChipBus : public sc_core::sc_module {
 public:
  using Target = tlm_utils::simple_initiator_socket<ChipBus>;

  tlm_utils::multi_passthrough_target_socket<ChipBus> initiators;
  Target hbm;
  Target registers;
  sc_core::sc_vector<Target> cores;

  ChipBus(sc_core::sc_module_name name, unsigned core_count);

 private:
  struct Route {
    Target* target = nullptr;
    std::uint64_t address = 0;
  };
  Route route(std::uint64_t address, std::uint64_t bytes);
  void b_transport(int initiator, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  unsigned transport_dbg(int initiator, tlm::tlm_generic_payload& transaction);
};

}  // namespace tern
