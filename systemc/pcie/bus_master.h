// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <deque>
#include <systemc>
#include <vector>

#include "sw/base/state_archive.h"
#include "systemc/noc/traffic.h"
#include "systemc/pcie/host_link.h"

namespace tern::pcie {

// The chip's accesses to the host's memory over the link. Formulas: README.md.
class BusMaster : public sc_core::sc_module {
 public:
  struct Counters {
    std::uint64_t reads = 0, writes = 0;
    std::uint64_t read_bytes = 0, write_bytes = 0;
  };

  // From the network, nb_transport, addresses of the region `host`. Answers may be early, with the
  // rest of their time as the delay.
  tlm_utils::simple_target_socket<BusMaster> chip;
  // To the host's memory, bus addresses: b_transport without time, at the time at which a request
  // or the last byte of a write is there. TLM_IGNORE_COMMAND by transport_dbg returns how many of
  // the bytes exist. Unbound: no host memory.
  tlm_utils::simple_initiator_socket_optional<BusMaster> memory;

  BusMaster(sc_core::sc_module_name name, HostLink& link);

  const Counters& counters() const { return counters_; }
  // Nothing is under way.
  bool idle() const { return requests_.empty() && writes_.empty(); }
  // For a snapshot, while that is so.
  void archive_state(base::StateArchive& archive);

 private:
  SC_HAS_PROCESS(BusMaster);
  using Payload = tlm::tlm_generic_payload;

  tlm::tlm_sync_enum transport(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  unsigned transport_dbg(Payload&) { return 0; }
  static tlm::tlm_sync_enum refuse(Payload& payload, MemoryFault fault);
  bool exists(std::uint64_t address, unsigned bytes);
  void arrive();
  void land();
  void answer(Payload& payload, std::uint64_t at_fs);

  struct Request {
    std::uint64_t at_fs;  // at the host
    Payload* payload;
  };
  struct Write {
    std::uint64_t at_fs, address;
    std::vector<unsigned char> bytes;
  };

  HostLink& link_;
  Counters counters_;
  // The latency is the same for all, so they arrive in order.
  std::deque<Request> requests_;
  std::deque<Write> writes_;
  sc_core::sc_event request_due_, write_due_;
};

}  // namespace tern::pcie
