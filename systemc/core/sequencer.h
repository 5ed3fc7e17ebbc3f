// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <systemc>

#include "systemc/core/error_log.h"
#include "systemc/core/instruction_check.h"
#include "systemc/core/instruction_fetch.h"
#include "systemc/core/scalar_registers.h"
#include "systemc/core/semaphores.h"
#include "systemc/engines/queue_engine.h"
#include "systemc/trace/trace.h"

namespace tern {

// An instruction in words, for messages and traces ("matmul.cpp:42: nc_matmul"); may be empty.
using DescribeInstruction = std::function<std::string(unsigned queue, unsigned index)>;

// What the queues of a core share.
struct CoreContext {
  Semaphores semaphores;
  ErrorLog errors;
  CoreLimits limits;
  DescribeInstruction describe;
  trace::Bus* bus = nullptr;
  std::function<void()> status_changed;  // a queue started, stopped or failed
};

// One in-order queue: fetches, merges an `extend` into the instruction behind it, checks, waits,
// hands to its engine, updates semaphores on completion.
class Sequencer : public sc_core::sc_module, public CompletionSink {
 public:
  enum class Status : std::uint32_t { kIdle = 0, kRunning = 1, kHalted = 2, kError = 3 };

  Sequencer(sc_core::sc_module_name name, unsigned queue, CoreContext& context, QueueEngine& engine,
            InstructionFetch::Read read, sc_core::sc_time fetch_latency,
            const std::string& trace_process);

  // False while a program is running.
  bool start(std::uint64_t base, std::uint32_t length);
  Status status() const { return status_; }
  std::uint32_t pc() const { return pc_; }
  std::uint64_t completed_instructions() const { return completed_; }

  // What a running queue is waiting for, in words; empty if it is not running.
  std::string describe_stall() const;

  void inputs_read(unsigned index, const Operation& operation) override;
  void completed(unsigned index, const Operation& operation,
                 const sc_core::sc_time& begin) override;
  void failed(unsigned index, unsigned code, std::uint32_t detail) override;

 private:
  SC_HAS_PROCESS(Sequencer);
  void run();
  void run_program();
  const tern_instruction_t* fetch();
  bool fetch(Operation& operation);
  bool step(const Operation& operation);
  void trace_span(unsigned index, const tern_instruction_t& instruction,
                  const sc_core::sc_time& begin);
  void set_status(Status status);

  const unsigned queue_;
  CoreContext& context_;
  QueueEngine& engine_;
  InstructionFetch fetch_;
  ScalarRegisters registers_;
  trace::TrackId track_ = 0;

  Status status_ = Status::kIdle;
  bool active_ = false;  // also while a stopped queue lets its engine finish
  bool failed_ = false;
  unsigned failed_index_ = 0;
  std::uint64_t base_ = 0;
  std::uint32_t length_ = 0, pc_ = 0;
  unsigned opcode_ = 0;  // of the instruction at pc_, 0 until it has been fetched
  std::uint64_t completed_ = 0;
  sc_core::sc_time last_end_;  // end of the last span of the trace
  Semaphores::Waiter waiter_;
  sc_core::sc_event start_;
};

}  // namespace tern
