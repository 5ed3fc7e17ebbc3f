// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include "systemc/hbm/stack.h"
#include "systemc/trace/trace.h"

namespace tern {

// The HBM stacks of a chip as TLM-2.0 targets: one socket for each stack, addresses those of the
// `hbm` regions of the address map ((stack << 36) + offset).
//
// nb_transport: four phases or fewer. END_REQ comes at once while the queues have room for the
// class of the request (extension Traffic, systemc/noc/traffic.h), else when they get it;
// BEGIN_RESP at completion (Answers). Any number of requests may be in flight, and responses come
// in order of completion. b_transport: for threads; returns when the access is done, with no delay
// left over. transport_dbg: no time. Errors: TLM_ADDRESS_ERROR_RESPONSE outside the stack, and
// TLM_GENERIC_ERROR_RESPONSE for uncorrectable bits; Traffic::fault has the kind and the address.
class HbmMemory : public sc_core::sc_module {
 public:
  struct StackCounters {
    std::uint64_t reads = 0, writes = 0;
    std::uint64_t read_bytes = 0, write_bytes = 0;
  };
  using Socket = tlm_utils::simple_target_socket_tagged<HbmMemory>;

  // When BEGIN_RESP is sent: at the time of the completion, or as soon as that time is certain. In
  // the second case the rest of the time is the annotated delay, so the order of the calls is not
  // that of the times.
  enum class Answers : std::uint8_t { kInTime, kEarly };

  sc_core::sc_vector<Socket> sockets;  // one per stack

  HbmMemory(sc_core::sc_module_name name, const hbm::Config& config,
            Answers answers = Answers::kInTime,
            const std::shared_ptr<NearMemory>& adders = make_near_memory_model());
  ~HbmMemory() override;

  unsigned stacks() const { return static_cast<unsigned>(ports_.size()); }
  const StackCounters& counters(unsigned stack) const;
  hbm::Stack& stack(unsigned stack);
  const hbm::Stack& stack(unsigned stack) const;
  std::uint64_t allocated_bytes() const;
  // A stack that is not ready, as before its training, refuses accesses as addresses that do not
  // exist; those under way end. At first all are ready.
  void set_ready(unsigned stack, bool ready);
  bool ready(unsigned stack) const;
  // Told of each burst with wrong bits that is found: stack, offset, whether it was corrected. With
  // answers sent early it is told early, too.
  using EccObserver = std::function<void(unsigned stack, std::uint64_t offset, bool corrected)>;
  void observe_ecc(const EccObserver& observer);

  // The first stack with requests in flight or stores that wait in its queues; none: it rests.
  std::optional<unsigned> busy_stack();
  // For a snapshot, while it rests.
  void archive_state(base::StateArchive& archive);

  // From now on all commands of the stacks are states of the trace: "hbm0", "pc3", row and column.
  void trace_to(trace::Bus* bus);

 private:
  struct Port;
  struct Transfer;

  tlm::tlm_sync_enum nb_transport_fw(int port, tlm::tlm_generic_payload& transaction,
                                     tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void b_transport(int port, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  unsigned transport_dbg(int port, tlm::tlm_generic_payload& transaction);

  // Sets the error response and returns false, or fills in the request.
  bool decode(const Port& port, tlm::tlm_generic_payload& transaction, hbm::Request* request) const;
  void serve(Port& port);
  void collect(Port& port);
  void complete(Port& port, const hbm::Completion& completion);
  void respond(Port& port);
  void finish_response(Port& port);
  void wake_at_next(Port& port);

  const bool by_class_, early_;
  std::vector<std::unique_ptr<Port>> ports_;
};

}  // namespace tern
