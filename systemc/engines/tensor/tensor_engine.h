// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <systemc>

#include "systemc/engines/ports/clock_domain.h"
#include "systemc/engines/ports/queue_engine.h"
#include "systemc/engines/tensor/psum_port.h"
#include "systemc/engines/tensor/tensor_datapath.h"
#include "systemc/engines/tensor/tensor_read_times.h"

namespace tern {

// What the queue has completed since its start, in cycles of the tensor clock. The counters of the
// datapath itself are TensorCounters.
struct TensorActivity {
  std::uint64_t load_stationary = 0, multiply_moving = 0, transpose = 0;  // without error
  std::uint64_t columns = 0;                                              // moving columns streamed
  std::uint64_t macs = 0;      // K * M * N summed, times the products that a mode packs into a row
  std::uint64_t capacity = 0;  // the same of whole arrays
  std::uint64_t busy_cycles = 0;                  // with a command accepted and not yet retired
  std::uint64_t first_cycle = 0, last_cycle = 0;  // first command accepted, last command retired

  // Moving columns streamed per cycle between the first and the last activity.
  double utilisation() const {
    return last_cycle > first_cycle
               ? static_cast<double>(columns) / static_cast<double>(last_cycle - first_cycle)
               : 0.0;
  }
};

// Stack of a thread that moves a datapath's clock, which every user of the engine may do: Verilated
// code keeps wide vectors there. Touched only as far as it is used.
constexpr std::size_t kDatapathStackBytes = 8 * 1024 * 1024;

// Runs a TensorDatapath in simulated time: its clock is stopped while it has no work.
class TensorEngine : public sc_core::sc_module, public QueueEngine, public PsumPort {
 public:
  TensorEngine(sc_core::sc_module_name name, double clock_ghz, TensorDatapath& datapath);

  void set_sink(CompletionSink* sink) override { sink_ = sink; }
  void execute(const Operation& operation, unsigned index) override;
  void drain() override;
  bool idle() const override { return in_flight_.empty(); }

  void transfer(const PsumTransfer& transfer) override;
  // Without simulated time: possible on a datapath whose PSUM transfers take none (the model) and
  // that no other user has locked; false otherwise.
  bool transfer_now(const PsumTransfer& transfer);

  // Index of the instruction that last carried a status tag.
  unsigned index_of_tag(std::uint32_t tag) const { return index_of_tag_[tag & 0xFF]; }
  const TensorActivity& counters() const { return counters_; }
  // Counts from here on; only between programs.
  void reset_counters() {
    counters_ = {};
    started_ = false;
  }

  // For a snapshot: nothing is in flight, and the next command would wait for nothing.
  bool rests_for_snapshot() const;
  // While it does.
  void archive_state(base::StateArchive& archive);

 private:
  SC_HAS_PROCESS(TensorEngine);
  struct InFlight {
    unsigned index;
    Operation operation;
    sc_core::sc_time begin;
    std::uint64_t cycle;  // of its push; a nop retires at the end of this cycle
    std::uint32_t tag;    // not of a nop
    // Operands may be overwritten from this cycle on; kIdle: the command will be rejected. Never
    // before those of earlier instructions.
    std::uint64_t read;
  };
  void run_clock();
  void catch_up(std::uint64_t cycle);
  void tell_reads();
  bool retire_one();
  bool is_due(std::uint64_t cycle) const {
    return clock_.time_of(cycle) <= sc_core::sc_time_stamp();
  }
  void retire(const InFlight& entry, TensorStatusCode code, std::uint64_t cycle);
  std::uint64_t next_wake() const;

  TensorDatapath& datapath_;
  const ClockDomain clock_;
  TensorReadTimes read_times_;
  CompletionSink* sink_ = nullptr;
  std::uint64_t last_read_ = 0;
  std::deque<InFlight> in_flight_;
  std::size_t told_ = 0;                     // of these: reported to the sink as read
  std::deque<std::uint64_t> awaited_reads_;  // cycles of those that update a semaphore then
  std::deque<TensorStatus> statuses_;        // out of the datapath, not yet retired
  std::uint32_t commands_ = 0;               // pushed so far
  std::array<unsigned, 256> index_of_tag_{};
  std::uint64_t next_issue_ = 0;  // first cycle in which the queue may issue again
  std::uint64_t last_retire_ = 0;
  bool started_ = false;  // a command has been accepted
  bool psum_in_use_ = false;
  sc_core::sc_event wake_, drained_, psum_done_, psum_free_;
  TensorActivity counters_;
};

}  // namespace tern
