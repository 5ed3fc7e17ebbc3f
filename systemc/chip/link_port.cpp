// SPDX-License-Identifier: Apache-2.0
#include "systemc/chip/link_port.h"

#include "systemc/noc/traffic.h"

namespace tern {

LinkPort::LinkPort(sc_core::sc_module_name name)
    : sc_module(name), chip("chip"), bus("bus"), backward_(*this) {
  chip.register_nb_transport_fw(this, &LinkPort::transport);
  bus.bind(backward_);
}

tlm::tlm_sync_enum LinkPort::transport(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
  if (network_ == nullptr) {
    auto* traffic = payload.get_extension<Traffic>();
    traffic->fault = MemoryFault::kAddress;
    traffic->fault_address = payload.get_address();
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return tlm::TLM_COMPLETED;
  }
  ++in_flight_;
  network_->leave(*this, payload);
  return tlm::TLM_ACCEPTED;
}

void LinkPort::answer(Payload& payload) {
  --in_flight_;
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay;
  chip->nb_transport_bw(payload, phase, delay);
}

void LinkPort::enter(Payload& payload) {
  ++in_flight_;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  if (bus->nb_transport_fw(payload, phase, delay) != tlm::TLM_COMPLETED) return;
  --in_flight_;
  network_->served(*this, payload);
}

tlm::tlm_sync_enum LinkPort::Backward::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                                       sc_core::sc_time&) {
  if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
  --port_.in_flight_;
  port_.network_->served(port_, payload);
  return tlm::TLM_COMPLETED;
}

}  // namespace tern
