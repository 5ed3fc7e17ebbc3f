// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <systemc>
#include <vector>

#include "sw/spec/chip_address.h"
#include "sw/system/fabric.h"
#include "systemc/chip/link_port.h"
#include "systemc/fabric/transport.h"
#include "systemc/noc/traffic.h"

namespace tern::system {

// The place that addresses give a chip of the system; number: its node.
ChipPlace place_of_chip(const Fabric& fabric, unsigned number);

// What is between the link ports of chips: accesses as transfers of a Transport, there and back.
// README.md.
class ChipNetwork : public sc_core::sc_module, private LinkPort::Network {
 public:
  // UserError: the system has more racks, trays or chips of a tray than addresses can name.
  ChipNetwork(sc_core::sc_module_name name, const Fabric& fabric,
              std::unique_ptr<fabric::Transport> transport);

  // In elaboration. An access to a chip that has no port is an address error.
  void attach(unsigned chip, LinkPort& port);

  const fabric::Transport& transport() const { return *transport_; }
  // Accesses under way.
  std::size_t in_flight() const { return accesses_.size() - free_.size(); }

 private:
  SC_HAS_PROCESS(ChipNetwork);
  using Payload = tlm::tlm_generic_payload;

  // An access under way. It keeps its place in accesses_.
  // Itself the access at the chip that serves it, of the same bytes.
  struct Access : Payload {
    Payload* original = nullptr;  // of the chip it comes from
    Traffic* traffic = nullptr;   // its own extension
    std::uint32_t number = 0, source = 0, target = 0;
    bool answered = false;
  };

  void leave(LinkPort& port, Payload& payload) override;
  void served(LinkPort& port, Payload& payload) override;
  void step();
  void arrive(const fabric::Delivery& delivery);
  void begin(Access& access);
  void finish(Access& access);
  void refuse(LinkPort& port, Payload& payload);
  void send(const Access& access, std::uint32_t from, std::uint32_t to, std::uint64_t bytes);
  Access& new_access();
  void schedule();

  std::unique_ptr<fabric::Transport> transport_;
  std::vector<LinkPort*> ports_;  // by chip; null: none
  std::map<const LinkPort*, std::uint32_t> chips_;
  std::map<std::uint64_t, std::uint32_t> by_base_;  // chip_base() of the chips
  std::vector<std::uint64_t> bases_;
  std::deque<Access> accesses_;
  std::vector<Access*> free_;
  std::vector<fabric::Delivery> arrived_;
  sc_core::sc_event wake_;
};

}  // namespace tern::system
