// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <deque>
#include <systemc>
#include <vector>

#include "sw/base/state_archive.h"
#include "systemc/pcie/host_link.h"

namespace tern {

// The chip's end of the host link. b_transport blocks its caller until the access is done, so an
// access reaches the chip at the simulated time at which it would arrive. Long ones travel in
// pieces. nb_transport posts a write: it returns at once, nobody hears of an error, and what the
// host does afterwards arrives afterwards. Formula: README.md.
class HostPort : public sc_core::sc_module {
 public:
  static constexpr unsigned kPieceBytes = 64 * 1024;

  struct Counters {
    std::uint64_t reads = 0, writes = 0;
    std::uint64_t read_bytes = 0, write_bytes = 0;
  };

  tlm_utils::simple_target_socket<HostPort> host;
  tlm_utils::simple_initiator_socket<HostPort> bus;

  HostPort(sc_core::sc_module_name name, pcie::HostLink& link);
  const Counters& counters() const { return counters_; }
  // Accesses that have not ended.
  unsigned in_flight() const { return in_flight_ + static_cast<unsigned>(posted_.size()); }
  // For a snapshot, while there are none.
  void archive_state(base::StateArchive& archive);

 private:
  SC_HAS_PROCESS(HostPort);
  using Payload = tlm::tlm_generic_payload;

  void b_transport(Payload& transaction, sc_core::sc_time& delay);
  tlm::tlm_sync_enum post(Payload& transaction, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void forward_posted();
  void wait_for_posted();
  unsigned transport_dbg(Payload& transaction) { return bus->transport_dbg(transaction); }
  tlm::tlm_response_status read(Payload& transaction);
  tlm::tlm_response_status write(Payload& transaction);
  tlm::tlm_response_status forward(const Payload& whole, unsigned at, unsigned bytes,
                                   std::uint64_t& done_fs);
  static void wait_until(std::uint64_t time_fs);

  struct Posted {
    std::uint64_t at_fs, address;
    std::vector<unsigned char> bytes;
  };

  pcie::HostLink& link_;
  std::deque<Posted> posted_;
  sc_core::sc_event post_, all_forwarded_;
  Counters counters_;
  unsigned in_flight_ = 0;
};

}  // namespace tern
