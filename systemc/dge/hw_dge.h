// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <systemc>

#include "sw/base/state_archive.h"
#include "sw/config/chip_config.h"
#include "sw/spec/generated/isa.h"
#include "systemc/dge/ring_port.h"
#include "systemc/engines/ports/clock_domain.h"
#include "systemc/trace/trace.h"

namespace tern::dge {

// When a generator makes the pairs of a dma_copy. README.md.
struct GeneratorTiming {
  double latency_ns = 0;   // from its begin, before the first pair
  double run_ns = 0;       // and for each contiguous run
  double clock_ghz = 1;    // a pair in each cycle
  double gb_per_s = 0;     // of a stream of copies; 0: no such limit
  bool pipelined = false;  // the next one begins while the pairs of this one are made
};
GeneratorTiming hardware_timing(const DmaConfig& config);
// GpSimd's processors make them.
GeneratorTiming software_timing(const DmaConfig& config, double gpsimd_clock_ghz);

// A descriptor generator: the Sync and the Scalar queue have one each in hardware, GpSimd is one
// for its own queue. It processes one instruction at a time; the queue continues meanwhile.
class HwDge : public sc_core::sc_module {
 public:
  // Instructions it holds besides the current one: assumption.
  static constexpr std::size_t kDepth = 4;

  // The RingPort must outlive it. `track`: its name in the trace.
  HwDge(sc_core::sc_module_name name, const DmaConfig& config, unsigned core, RingPort& rings,
        trace::Bus* bus, const std::string& trace_process, const std::string& track);
  HwDge(sc_core::sc_module_name name, const GeneratorTiming& timing, unsigned core, RingPort& rings,
        trace::Bus* bus, const std::string& trace_process, const std::string& track);

  // Blocks the calling SC_THREAD while kDepth instructions wait.
  void execute(const tern_instr_dma_copy_t& instruction);
  bool idle() const { return waiting_.empty() && !busy_; }
  std::uint64_t pairs() const { return pairs_; }
  // For a snapshot, while idle().
  void archive_state(base::StateArchive& archive) { archive.number(pairs_); }

 private:
  SC_HAS_PROCESS(HwDge);
  struct Waiting {
    tern_instr_dma_copy_t instruction;
    sc_core::sc_time since;
  };
  void run();
  void make(const tern_instr_dma_copy_t& instruction);

  const unsigned core_;
  const GeneratorTiming timing_;
  const ClockDomain clock_;
  RingPort& rings_;
  trace::Bus* const bus_;
  trace::TrackId track_ = 0;
  std::deque<Waiting> waiting_;
  bool busy_ = false;
  std::uint64_t pairs_ = 0;   // made so far
  sc_core::sc_time free_at_;  // of one that is pipelined: the next may begin
  sc_core::sc_event arrived_, taken_;
};

}  // namespace tern::dge
