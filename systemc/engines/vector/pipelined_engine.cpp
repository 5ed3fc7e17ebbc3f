// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/vector/pipelined_engine.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "systemc/engines/ports/engine_fault.h"
#include "systemc/engines/tensor/tensor_datapath.h"
#include "systemc/engines/vector/activation_tables.h"

namespace tern {

namespace {

constexpr unsigned kPsumBankBytes = TensorShape().bank_columns * sizeof(float);

const EngineConfig& engine_config(const CoreConfig& config, unsigned queue) {
  switch (queue) {
    case TERN_QUEUE_VECTOR:
      return config.vector;
    case TERN_QUEUE_SCALAR:
      return config.scalar;
    case TERN_QUEUE_GPSIMD:
      return config.gpsimd;
    default:
      return config.sync;
  }
}

}  // namespace

PipelinedEngine::PipelinedEngine(sc_core::sc_module_name name, unsigned queue,
                                 const CoreConfig& config, MemoryPorts& ports, Serve serve,
                                 std::unique_ptr<Elementwise> elementwise)
    : sc_module(name),
      queue_(queue),
      config_(engine_config(config, queue)),
      rules_{config_.min_interval,
             config.scalar_features.double_rate,
             config_.exp_per_cycle,
             config.vector_features,
             true,
             config_.overhead_cycles},
      table_load_cycles_(queue == TERN_QUEUE_SCALAR ? static_cast<std::uint64_t>(std::ceil(
                                                          config.table_load_ns * config_.clock_ghz))
                                                    : 0),
      clock_(config_.clock_ghz),
      ports_(ports),
      serve_(std::move(serve)),
      elementwise_(std::move(elementwise)) {
  SC_METHOD(complete_due);
  sensitive << due_;
  dont_initialize();
}

std::optional<std::uint64_t> PipelinedEngine::perform(const Operation& operation, unsigned index,
                                                      const IntervalRules& rules) {
  const std::uint64_t start = clock_.now();
  ServiceOutcome outcome;
  if (Elementwise::executes(operation.opcode())) {
    try {
      // May wait for PSUM: that time counts inside the interval.
      elementwise_->run(operation, index, [&] {
        clock_.wait_for(start + instruction_interval(operation, queue_, rules));
      });
    } catch (const EngineFault& fault) {
      outcome = {fault.code, fault.detail};
    }
  } else {
    outcome = serve_(operation.instruction);
  }
  if (outcome.error != TERN_ERROR_NONE) {
    sink_->failed(index, operation, outcome.error, outcome.detail);
    return std::nullopt;
  }
  if (outcome.cycles) {
    return clock_.now() + std::max<std::uint64_t>(*outcome.cycles, config_.min_interval);
  }
  const std::uint64_t interval = instruction_interval(operation, queue_, rules);
  return std::max(start + load_tables(operation) + interval, clock_.now());
}

std::uint64_t PipelinedEngine::load_tables(const Operation& operation) {
  const std::optional<unsigned> needed = activation_tables(operation);
  if (table_load_cycles_ == 0 || !needed || needed == tables_) return 0;
  tables_ = needed;
  return table_load_cycles_;
}

void PipelinedEngine::execute(const Operation& operation, unsigned index) {
  // Vector does not wait for the path it shares with GpSimd: without it, it runs at the plain rate.
  MemoryPorts::Set needs = needed_ports(operation, queue_, kPsumBankBytes);
  IntervalRules rules = rules_;
  if (performance_mode(operation, queue_, rules_) > 1) {
    rules.shared_bus = ports_.is_free(MemoryPorts::kSharedBus);
    if (rules.shared_bus) needs |= MemoryPorts::kSharedBus;
  }
  const MemoryPorts::Claim claim(ports_, needs);
  clock_.wait_for(clock_.now());
  const sc_core::sc_time begin = sc_core::sc_time_stamp();
  const std::optional<std::uint64_t> performed = perform(operation, index, rules);
  if (!performed) return;
  const std::uint64_t free = *performed;
  const bool was_empty = pending_.empty();
  const sc_core::sc_time end = clock_.time_of(free + config_.latency_cycles);
  pending_.push_back({index, operation, begin, end});
  if (was_empty) due_.notify(end - sc_core::sc_time_stamp());
  clock_.wait_for(free);
  sink_->inputs_read(index, operation);
}

void PipelinedEngine::complete_due() {
  const sc_core::sc_time now = sc_core::sc_time_stamp();
  while (!pending_.empty() && pending_.front().end <= now) {
    const Pending& front = pending_.front();
    sink_->completed(front.index, front.operation, front.begin);
    pending_.pop_front();
  }
  if (pending_.empty()) {
    drained_.notify(sc_core::SC_ZERO_TIME);
  } else {
    due_.notify(pending_.front().end - now);
  }
}

void PipelinedEngine::drain() {
  while (!pending_.empty()) wait(drained_);
}

}  // namespace tern
