// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <systemc>

#include "sw/base/state_archive.h"
#include "sw/config/chip_config.h"

namespace tern {

// The chip's end of the host link. b_transport blocks its caller until the access is done, so an
// access reaches the chip at the simulated time at which it would arrive. Long ones travel in
// pieces. Formula: README.md.
class HostPort : public sc_core::sc_module {
 public:
  static constexpr unsigned kPieceBytes = 64 * 1024;

  struct Counters {
    std::uint64_t reads = 0, writes = 0;
    std::uint64_t read_bytes = 0, write_bytes = 0;
  };

  tlm_utils::simple_target_socket<HostPort> host;
  tlm_utils::simple_initiator_socket<HostPort> bus;

  HostPort(sc_core::sc_module_name name, const HostLinkConfig& config);
  const Counters& counters() const { return counters_; }
  // Accesses that have not ended.
  unsigned in_flight() const { return in_flight_; }
  // For a snapshot, while there are none.
  void archive_state(base::StateArchive& archive);

 private:
  using Payload = tlm::tlm_generic_payload;

  void b_transport(Payload& transaction, sc_core::sc_time& delay);
  unsigned transport_dbg(Payload& transaction) { return bus->transport_dbg(transaction); }
  tlm::tlm_response_status read(Payload& transaction);
  tlm::tlm_response_status write(Payload& transaction);
  tlm::tlm_response_status forward(const Payload& whole, unsigned at, unsigned bytes,
                                   std::uint64_t& done_fs);
  static void wait_until(std::uint64_t time_fs);

  const double gb_per_s_;
  const std::uint64_t latency_fs_;
  std::uint64_t to_chip_free_fs_ = 0, to_host_free_fs_ = 0;  // one direction each
  Counters counters_;
  unsigned in_flight_ = 0;
};

}  // namespace tern
