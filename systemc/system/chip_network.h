// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <tuple>
#include <vector>

#include "sw/spec/chip_address.h"
#include "sw/system/fabric.h"
#include "systemc/chip/link_port.h"
#include "systemc/fabric/transport.h"
#include "systemc/noc/traffic.h"
#include "systemc/system/departure.h"

namespace tern::system {

// The place that addresses give a chip of the system; number: its node.
ChipPlace place_of_chip(const Fabric& fabric, unsigned number);

// Time, target, source, class, stream: what arrives at one instant arrives in this order.
using ArrivalKey =
    std::tuple<fabric::Time, std::uint32_t, std::uint32_t, std::uint8_t, std::uint32_t>;

// What is between the link ports of chips: accesses as transfers of a Transport, there and back.
// README.md.
class ChipNetwork : public sc_core::sc_module, private LinkPort::Network {
 public:
  // UserError: the system has more racks, trays or chips of a tray than addresses can name.
  // rank: of this process, where several simulate the system together.
  ChipNetwork(sc_core::sc_module_name name, const Fabric& fabric,
              std::unique_ptr<fabric::Transport> transport, unsigned rank = 0);

  // In elaboration. An access to a chip that nobody has is an address error.
  void attach(unsigned chip, LinkPort& port);
  // The chip is another process's. From now on time passes in windows. UserError: links may fail,
  // and then nothing is known a window before.
  void attach_elsewhere(unsigned chip);

  const fabric::Transport& transport() const { return *transport_; }
  // Accesses under way.
  std::size_t in_flight() const { return accesses_.size() - free_.size(); }
  // Of the transfers to which no way was left.
  const std::optional<fabric::Delivery>& first_loss() const { return first_loss_; }

  // Of a process of several. What has left its chips since the last call, as bytes.
  std::string take_departures();
  // The departures of all processes, its own included, up to `until`, before which this process has
  // simulated everything. `until`: at most next_time() + window() of the last call.
  void insert(const std::vector<std::string>& departures, fabric::Time until);
  // The next time at which something arrives or happens between the chips, after insert().
  fabric::Time next_time() const;
  // Nothing that is sent at an instant or later can arrive in less than this after it.
  fabric::Time window() const { return transport_->lookahead(); }

 private:
  SC_HAS_PROCESS(ChipNetwork);
  using Payload = tlm::tlm_generic_payload;

  // An access under way. It keeps its place in accesses_.
  // Itself the access at the chip that serves it, of the same bytes.
  struct Access : Payload {
    Payload* original = nullptr;  // of the chip it comes from; null: of another process
    Traffic* traffic = nullptr;   // its own extension
    std::uint32_t number = 0, source = 0, target = 0;
    std::uint64_t tag = 0;  // of its transfers
    std::uint32_t stream = 0;
    bool answered = false;
    std::vector<unsigned char> bytes;  // of one of another process
  };

  void leave(LinkPort& port, Payload& payload) override;
  void served(LinkPort& port, Payload& payload) override;
  void step();
  void advance_before(fabric::Time time);
  void arrive(const fabric::Delivery& delivery);
  void begin(Access& access);
  void finish(Access& access);
  void refuse(LinkPort& port, Payload& payload);
  void send(Access& access, std::uint32_t from, std::uint32_t to, std::uint64_t bytes);
  void enter(const Departure& departure);
  Access& new_access();
  void release(Access& access);
  Access* access_of(const fabric::Transfer& transfer);
  void schedule();

  const unsigned rank_;
  std::unique_ptr<fabric::Transport> transport_;
  std::vector<LinkPort*> ports_;  // by chip; null: none here
  std::vector<bool> elsewhere_;   // by chip: another process has it
  bool alone_ = true;
  std::map<const LinkPort*, std::uint32_t> chips_;
  std::map<std::uint64_t, std::uint32_t> by_base_;  // chip_base() of the chips
  std::vector<std::uint64_t> bases_;
  std::deque<Access> accesses_;
  std::vector<Access*> free_;
  std::map<std::uint64_t, Access*> foreign_;  // of other processes, by tag
  // What will arrive, in the order in which it does.
  std::multimap<ArrivalKey, fabric::Delivery> coming_;
  std::vector<Departure> departures_;
  std::vector<fabric::Delivery> arrived_;
  std::optional<fabric::Delivery> first_loss_;
  sc_core::sc_event wake_;
};

}  // namespace tern::system
