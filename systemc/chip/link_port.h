// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstddef>
#include <systemc>

namespace tern {

// The end of all links of a chip: accesses of its network to other chips, and theirs to it. What is
// between two of them is the network of chips (systemc/system), in which time passes; here none
// does.
class LinkPort : public sc_core::sc_module {
 public:
  using Payload = tlm::tlm_generic_payload;

  class Network {
   public:
    virtual ~Network() = default;
    // An access that leaves a chip, addresses of the system. LinkPort::answer() ends it.
    virtual void leave(LinkPort& port, Payload& payload) = 0;
    // One that has entered, and is done.
    virtual void served(LinkPort& port, Payload& payload) = 0;
  };

  tlm_utils::simple_target_socket<LinkPort> chip;  // from the chip's network, nb_transport
  tlm::tlm_initiator_socket<> bus;                 // into it

  explicit LinkPort(sc_core::sc_module_name name);

  void connect(Network* network) { network_ = network; }
  // Ends an access that has left, with the payload's status, now.
  void answer(Payload& payload);
  // An access of another chip begins here; addresses of this chip. It has an extension Traffic and
  // stays in a kilobyte.
  void enter(Payload& payload);

  std::size_t in_flight() const { return in_flight_; }

 private:
  // The initiator's side of `bus`.
  class Backward : public tlm::tlm_bw_transport_if<> {
   public:
    explicit Backward(LinkPort& port) : port_(port) {}
    tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

   private:
    LinkPort& port_;
  };

  tlm::tlm_sync_enum transport(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);

  Network* network_ = nullptr;
  Backward backward_;
  std::size_t in_flight_ = 0;
};

}  // namespace tern
