// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <systemc>

#include "sw/spec/generated/registers.h"
#include "systemc/core/control_unit.h"
#include "systemc/core/error_log.h"
#include "systemc/core/instruction_check.h"
#include "systemc/core/instruction_fetch.h"
#include "systemc/core/semaphores.h"
#include "systemc/engines/ports/clock_domain.h"
#include "systemc/engines/ports/queue_engine.h"
#include "systemc/engines/ports/sbuf_access.h"
#include "systemc/trace/trace.h"

namespace tern {

// An instruction in words, for messages and traces ("matmul.cpp:42: nc_matmul"); may be empty.
using DescribeInstruction = std::function<std::string(unsigned queue, unsigned index)>;

// What the queues of a core share.
struct CoreContext {
  Semaphores semaphores;
  ErrorLog errors;
  CoreLimits limits;
  ControlConfig control;
  SbufAccess sbuf;
  DescribeInstruction describe;
  trace::Bus* bus = nullptr;
  std::function<void()> status_changed;  // a queue started, stopped or failed
  std::function<void(unsigned queue, std::uint32_t index)> halted;
  std::function<bool()> at_rest;  // no engine is busy and no DMA transfer is in flight
};

// One in-order queue: fetches, merges an `extend` into the next instruction, checks, waits,
// executes control itself and hands work to its engine, updates semaphores.
class Sequencer : public sc_core::sc_module, public CompletionSink {
 public:
  enum class Status : std::uint32_t {
    kIdle = TERN_REG_CORE_QUEUE_STATUS_IDLE,
    kRunning = TERN_REG_CORE_QUEUE_STATUS_RUNNING,
    kHalted = TERN_REG_CORE_QUEUE_STATUS_HALTED,
    kError = TERN_REG_CORE_QUEUE_STATUS_ERROR,
    kStopping = TERN_REG_CORE_QUEUE_STATUS_STOPPING,
  };
  // This many control instructions in a row without work between them are an endless loop.
  static constexpr std::uint32_t kMaxControl = 1u << 20;

  Sequencer(sc_core::sc_module_name name, unsigned queue, CoreContext& context, QueueEngine& engine,
            double clock_ghz, MemoryRead::Send fetch, sc_core::sc_time fetch_latency,
            const std::string& trace_process);

  // False while a program is running.
  bool start(std::uint64_t base, std::uint32_t length);
  // Stops the program: what has been issued still ends, without a trace. Then the queue is idle.
  void reset();
  // For fault injection. The program stands still before its next instruction, and looks as if it
  // ran, until a reset or its start anew.
  void hang() { hung_ = true; }
  // From now on the queue works on one instruction at a time, and for this many times longer than
  // its engine; 1: as before.
  void throttle(double factor) { throttle_ = factor; }

  // Not even what has been issued is under way.
  bool at_rest() const { return !active_; }
  Status status() const { return status_; }
  std::uint32_t pc() const { return unit_.flow.pc(); }
  // Since the start; an `extend` counts as one.
  std::uint64_t executed_instructions() const { return executed_; }
  // Time covered by its instructions in execution so far, without waits; all programs.
  std::uint64_t busy_fs() const { return busy_fs_; }
  // Running and blocked at a semaphore; null otherwise.
  const Semaphores::Waiter* waiting() const {
    return status_ == Status::kRunning && !waiter_.satisfied ? &waiter_ : nullptr;
  }
  std::uint32_t scalar_register(unsigned index) const { return unit_.registers[index]; }

  // For a snapshot, while at_rest().
  void archive_state(base::StateArchive& archive);

  // What a running queue is waiting for, in words; empty if it is not running.
  std::string describe_stall() const;

  void inputs_read(unsigned index, const Operation& operation) override;
  void completed(unsigned index, const Operation& operation,
                 const sc_core::sc_time& begin) override;
  void failed(unsigned index, const Operation& operation, unsigned code, std::uint32_t detail,
              std::optional<std::uint32_t> value) override {
    if (value) context_.errors.note_program(0, 0, *value);
    fail(index, operation.sequence, code, detail);
  }

 private:
  SC_HAS_PROCESS(Sequencer);
  void run();
  void run_program();
  const tern_instruction_t* fetch(std::uint32_t index);
  bool fetch(Operation& operation);
  bool step(Operation& operation);
  bool work(const Operation& operation);
  bool control(const Operation& operation);
  // The instruction at pc() is refused; what was issued before it completes.
  void stop(const InstructionFault& fault) { fail(pc(), sequence_, fault.code, fault.detail); }
  void fail(unsigned index, std::uint64_t sequence, unsigned code, std::uint32_t detail);
  void update(unsigned index, const Operation& operation, unsigned moment);
  bool leaves_no_trace(const Operation& operation) const {
    return abandoned_ || (failed_ && operation.sequence > failed_sequence_);
  }
  // A state of this queue in the trace: a number or a text.
  bool shows_states() const;
  template <typename Value>
  void show(const char* name, const Value& value) const;
  void trace_span(unsigned index, const Operation& operation, const sc_core::sc_time& begin,
                  const sc_core::sc_time& span_begin);
  void set_status(Status status);

  const unsigned queue_;
  CoreContext& context_;
  QueueEngine& engine_;
  const ClockDomain clock_;
  InstructionFetch fetch_;
  ControlUnit unit_;
  std::uint64_t free_cycle_ = 0;   // when the sequencer is free: it runs ahead of its engine
  std::uint32_t control_run_ = 0;  // control instructions since the last work
  trace::TrackId track_ = 0;

  Status status_ = Status::kIdle;
  bool active_ = false;  // also while a stopped queue lets its engine finish
  bool failed_ = false;
  bool abandoned_ = false;  // by reset(), until nothing is left
  bool hung_ = false;
  double throttle_ = 1;
  std::uint64_t failed_sequence_ = 0;
  std::uint64_t sequence_ = 0;  // of the next work
  std::uint64_t base_ = 0;
  std::uint32_t length_ = 0;
  unsigned opcode_ = 0;  // of the instruction at pc(), 0 until it has been fetched
  std::uint64_t executed_ = 0;
  sc_core::sc_time last_end_;  // of an instruction
  std::uint64_t busy_fs_ = 0;
  Semaphores::Waiter waiter_;
  sc_core::sc_event start_, freed_;
};

}  // namespace tern
