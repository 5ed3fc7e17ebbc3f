// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <systemc>
#include <vector>

#include "systemc/noc/core_server.h"
#include "systemc/noc/network.h"
#include "systemc/noc/topology.h"
#include "systemc/noc/traffic.h"
#include "systemc/trace/latency_histogram.h"

namespace tern::noc {

// An initiator as the network sees it.
struct Initiator {
  std::string name;
  unsigned die = 0;
  Entrance entrance = Entrance::kInside;
  unsigned traffic_class = kTrafficClasses - 1;  // of transactions without Traffic
  // Takes BEGIN_RESP up to a hop before its time, in order, with the rest as the delay.
  bool early_answers = false;
};

// Latency of a class from end to end, pieces of up to kPieceBytes.
struct ClassTraffic {
  std::uint64_t reads = 0, writes = 0;
  std::uint64_t read_bytes = 0, write_bytes = 0;
  trace::LatencyHistogram read_latency, write_latency;
};

// The network of a chip: between DMA engines, instruction fetch and host on one side, HBM, cores,
// chip registers, the host's memory and other chips on the other. Addresses:
// docs/reference/address_map.md. Phases, formulas and limits: README.md.
//
// nb_transport: BEGIN_REQ is answered with END_REQ at once, BEGIN_RESP comes when all is done and
// ends the transaction. The initiator answers TLM_COMPLETED, or END_RESP later, which has no
// effect. b_transport: blocks the calling SC_THREAD; the delay is 0 afterwards. Errors: response
// status, and Traffic::fault with the first address concerned.
class Noc : public sc_core::sc_module, private Network::Receiver {
 public:
  // Accesses are split into pieces that do not cross a multiple of it.
  static constexpr unsigned kPieceBytes = 1024;
  // Pieces of one access that are in flight at once.
  static constexpr unsigned kWindow = 64;

  using Target = tlm_utils::simple_initiator_socket<Noc>;

  tlm_utils::multi_passthrough_target_socket<Noc> initiators;
  sc_core::sc_vector<Target> stacks;  // called with nb_transport, addresses unchanged
  sc_core::sc_vector<Target> cores;   // called with b_transport, offsets in the window
  Target registers;                   // of the chip; called with b_transport, offsets
  // The host's memory; as stacks. Unbound: nothing is there.
  tlm_utils::simple_initiator_socket_optional<Noc> host;
  // To other chips; as stacks. Shape::links_gb_per_s says whether there are any.
  tlm_utils::simple_initiator_socket_optional<Noc> links;

  Noc(sc_core::sc_module_name name, const NocConfig& config, const Shape& shape,
      trace::Bus* trace = nullptr);

  // Binds an initiator, in elaboration. Numbers count from 0; a lower one has priority where two
  // come in the same instant.
  unsigned attach(tlm::tlm_initiator_socket<>& socket, Initiator who);

  const Topology& topology() const { return topology_; }
  unsigned resources() const { return network_.resources(); }
  const Resource& resource(unsigned n) const { return network_.resource(n); }
  const ClassTraffic& traffic(unsigned traffic_class) const { return traffic_[traffic_class]; }
  void reset_statistics();

  // Pieces in the network, and at PSUM or registers.
  std::size_t in_flight() const { return transits_.size() - free_transits_.size(); }
  // None, and no interval of the trace is open.
  bool quiet() const { return in_flight() == 0 && network_.next() == UINT64_MAX; }
  // For a snapshot, while quiet().
  void archive_state(base::StateArchive& archive);

 private:
  using Payload = tlm::tlm_generic_payload;

  // An access of an initiator that is split into pieces of the network.
  struct Job {
    Payload* payload = nullptr;
    unsigned initiator = 0;
    bool blocking = false;
    std::uint64_t next = 0;  // first byte that has not left
    unsigned under_way = 0;
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
    MemoryFault fault = MemoryFault::kNone;
    std::uint64_t fault_address = 0;
    sc_core::sc_event done;
  };

  // A piece in flight.
  struct Transit : Message {
    Payload* payload = nullptr;
    Traffic* traffic = nullptr;
    Job* job = nullptr;  // null: the initiator's own payload
    Unit unit;
    std::uint32_t number = 0;  // its index in transits_
    std::uint32_t initiator = 0;
    std::uint64_t begin_fs = 0;
    bool responding = false;
    Payload own;  // the payload of a piece of a job, and its bytes: the caller may be destroyed
    std::array<std::uint8_t, kPieceBytes> bytes_of_own;
  };

  tlm::tlm_sync_enum nb_transport_fw(int initiator, Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  tlm::tlm_sync_enum memory_answer(Payload& payload, tlm::tlm_phase& phase,
                                   sc_core::sc_time& delay);
  void b_transport(int initiator, Payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(int initiator, Payload& payload);

  static tlm::tlm_response_status check(const Payload& payload);
  void enter(Transit& transit, std::uint64_t begin_fs);
  void send_piece(Job& job, std::uint64_t begin_fs);
  void end_job(Job& job);
  void abandon(Job& job);

  void delivered(Message& message, std::uint64_t now) override;
  void reach_unit(Transit& transit);
  void access(Transit& transit);  // a core or the chip registers
  void answer(Transit& transit, std::uint64_t fs, bool resident);
  void finish(Transit& transit, std::uint64_t now);

  Transit& new_transit();
  Job& new_job();
  void wake_up();
  void schedule();

  Network network_;
  Topology topology_;
  std::vector<Initiator> who_;
  std::vector<std::uint64_t> sequence_;  // per initiator
  std::deque<Transit> transits_;
  std::vector<Transit*> free_transits_;
  std::deque<Job> jobs_;
  std::vector<Job*> free_jobs_;
  std::deque<CoreServer> psum_servers_, register_servers_;
  std::array<ClassTraffic, kTrafficClasses> traffic_;
  sc_core::sc_event wake_;
  std::uint64_t wake_at_ = UINT64_MAX;
  bool running_ = false;
};

}  // namespace tern::noc
