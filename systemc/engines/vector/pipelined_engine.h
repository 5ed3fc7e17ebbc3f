// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <systemc>
#include <utility>

#include "sw/config/chip_config.h"
#include "systemc/engines/ports/clock_domain.h"
#include "systemc/engines/ports/queue_engine.h"
#include "systemc/engines/ports/service_outcome.h"
#include "systemc/engines/vector/elementwise.h"
#include "systemc/engines/vector/instruction_interval.h"
#include "systemc/engines/vector/memory_ports.h"

namespace tern {

// The Vector, Scalar, GpSimd and Sync engines: one instruction occupies the engine for its interval
// and completes latency_cycles later, so that the next one overlaps it. Without an Elementwise
// unit it only starts DMA.
class PipelinedEngine : public sc_core::sc_module, public QueueEngine {
 public:
  // Executes an instruction that Elementwise does not. May block the calling thread.
  using Serve = std::function<ServiceOutcome(const tern_instruction_t&)>;

  PipelinedEngine(sc_core::sc_module_name name, unsigned queue, const CoreConfig& config,
                  MemoryPorts& ports, Serve serve,
                  std::unique_ptr<Elementwise> elementwise = nullptr);

  void set_sink(CompletionSink* sink) override { sink_ = sink; }
  void begin_program() override { tables_.reset(); }
  void execute(const Operation& operation, unsigned index) override;
  void drain() override;
  bool idle() const override { return pending_.empty(); }
  // For a snapshot, while no instruction executes.
  void archive_state(base::StateArchive& archive) {
    if (elementwise_) elementwise_->archive_state(archive);
  }

 private:
  SC_HAS_PROCESS(PipelinedEngine);
  struct Pending {
    unsigned index;
    Operation operation;
    sc_core::sc_time begin, end;
  };
  // Returns the cycle in which the engine is free again; none after a failure.
  std::optional<std::uint64_t> perform(const Operation& operation, unsigned index,
                                       const IntervalRules& rules);
  void complete_due();
  // Cycles until the tables that the instruction needs are in the engine.
  std::uint64_t load_tables(const Operation& operation);

  const unsigned queue_;
  const EngineConfig config_;
  const IntervalRules rules_;
  const std::uint64_t table_load_cycles_;
  std::optional<unsigned> tables_;  // in the engine; a program loads its own
  const ClockDomain clock_;
  MemoryPorts& ports_;
  const Serve serve_;
  const std::unique_ptr<Elementwise> elementwise_;
  CompletionSink* sink_ = nullptr;
  std::deque<Pending> pending_;  // ordered by end
  sc_core::sc_event due_, drained_;
};

}  // namespace tern
