// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <systemc>

#include "systemc/engines/ports/operation.h"

namespace tern {

// Where an engine reports the result of an instruction (the queue's sequencer).
class CompletionSink {
 public:
  virtual ~CompletionSink() = default;
  // In program order, once each: all inputs have been read.
  virtual void inputs_read(unsigned index, const Operation& operation) = 0;
  // In program order, at the time of completion; `begin` is when the instruction started.
  virtual void completed(unsigned index, const Operation& operation,
                         const sc_core::sc_time& begin) = 0;
  // Instead of completed(). value: of EngineFault.
  virtual void failed(unsigned index, const Operation& operation, unsigned code,
                      std::uint32_t detail, std::optional<std::uint32_t> value = {}) = 0;
};

// Executes the instructions of one queue. The instructions have been checked and their wait
// condition holds.
class QueueEngine {
 public:
  virtual ~QueueEngine() = default;
  virtual void set_sink(CompletionSink* sink) = 0;
  // A program starts: it cannot know what an earlier one has left in the engine.
  virtual void begin_program() {}
  // Called by the sequencer's thread; returns when the next instruction may be fetched.
  virtual void execute(const Operation& operation, unsigned index) = 0;
  // Returns when everything executed so far is complete.
  virtual void drain() = 0;
  // Nothing is in execution.
  virtual bool idle() const = 0;
};

}  // namespace tern
