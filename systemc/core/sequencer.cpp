// SPDX-License-Identifier: Apache-2.0
#include "systemc/core/sequencer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "systemc/core/instruction_info.h"
#include "systemc/core/merge_extension.h"
#include "systemc/engines/tensor_engine.h"

namespace tern {

Sequencer::Sequencer(sc_core::sc_module_name name, unsigned queue, CoreContext& context,
                     QueueEngine& engine, InstructionFetch::Read read,
                     sc_core::sc_time fetch_latency, const std::string& trace_process)
    : sc_module(name),
      queue_(queue),
      context_(context),
      engine_(engine),
      fetch_(std::move(read), fetch_latency) {
  engine_.set_sink(this);
  if (context_.bus != nullptr) track_ = context_.bus->add_track(trace_process, queue_name(queue));
  SC_THREAD(run);
  set_stack_size(kDatapathStackBytes);
}

void Sequencer::set_status(Status status) {
  status_ = status;
  context_.status_changed();
}

bool Sequencer::start(std::uint64_t base, std::uint32_t length) {
  if (active_) return false;
  active_ = true;
  failed_ = false;
  base_ = base;
  length_ = length;
  pc_ = 0;
  opcode_ = 0;
  set_status(Status::kRunning);
  start_.notify(sc_core::SC_ZERO_TIME);
  return true;
}

void Sequencer::run() {
  for (;;) {
    while (!active_) wait(start_);
    run_program();
    // What was issued before an error still ends; after a halt nothing is left.
    engine_.drain();
    active_ = false;
  }
}

void Sequencer::run_program() {
  if (base_ % TERN_INSTRUCTION_BYTES != 0)
    return failed(0, TERN_ERROR_BUS, static_cast<std::uint32_t>(base_));
  fetch_.start(base_, length_);
  for (pc_ = 0; pc_ < length_; ++pc_) {
    opcode_ = 0;
    Operation operation;
    if (!fetch(operation) || !step(operation)) return;
  }
  failed(pc_, TERN_ERROR_ILLEGAL_OPCODE, 0);  // ran past the end without a halt
}

// The instruction at pc_; null when the program has ended there.
const tern_instruction_t* Sequencer::fetch() {
  const tern_instruction_t* instruction = fetch_.at(pc_);
  if (failed_) return nullptr;
  if (instruction == nullptr)
    failed(pc_, TERN_ERROR_BUS, static_cast<std::uint32_t>(fetch_.address(pc_)));
  return instruction;
}

// The instruction at pc_, with the `extend` in front of it if there is one: pc_ then moves to the
// instruction itself. False when the program has ended.
bool Sequencer::fetch(Operation& operation) {
  const tern_instruction_t* instruction = fetch();
  if (instruction == nullptr) return false;
  std::optional<InstructionFault> fault;
  if (instruction->header.opcode == TERN_OPCODE_EXTEND) {
    fault = check_extend(*instruction);
    if (!fault && pc_ + 1 >= length_) fault = InstructionFault{TERN_ERROR_CONTROL_FLOW, 0};
    if (!fault) {
      operation.extension = instruction->extend;
      ++pc_;
      instruction = fetch();
      if (instruction == nullptr) return false;
      // It extends work, not control.
      const unsigned opcode = instruction->header.opcode;
      if (opcode >= TERN_OPCODE_EXTEND && opcode <= TERN_OPCODE_LOOP) {
        --pc_;
        fault = InstructionFault{TERN_ERROR_CONTROL_FLOW, 0};
      }
    }
  }
  operation.instruction = *instruction;
  opcode_ = operation.opcode();
  if (!fault) fault = resolve_registers(operation, registers_);
  if (!fault) fault = check_instruction(operation, queue_, context_.limits);
  if (fault) failed(pc_, fault->code, fault->detail);
  return !fault;
}

// False when the program has ended.
bool Sequencer::step(const Operation& operation) {
  context_.semaphores.wait_for(operation.instruction.header, waiter_);
  if (failed_) return false;
  if (opcode_ != TERN_OPCODE_HALT) {
    engine_.execute(operation, pc_);
    return !failed_;
  }
  const sc_core::sc_time begin = sc_core::sc_time_stamp();
  engine_.drain();
  if (!failed_) completed(pc_, operation, begin);
  if (!failed_) set_status(Status::kHalted);
  return false;
}

// Updates at this moment are refused by check_instruction() so far.
void Sequencer::inputs_read(unsigned /*index*/, const Operation& /*operation*/) {}

void Sequencer::completed(unsigned index, const Operation& operation,
                          const sc_core::sc_time& begin) {
  const tern_instruction_t& instruction = operation.instruction;
  if (failed_ && index > failed_index_) return;  // behind a failed instruction: leaves no trace
  if (context_.bus != nullptr && context_.bus->enabled()) trace_span(index, instruction, begin);
  ++completed_;
  if (!context_.semaphores.update(instruction.header)) {
    failed(index, TERN_ERROR_SEMAPHORE_RANGE, instruction.header.upd_sem);
  }
}

void Sequencer::failed(unsigned index, unsigned code, std::uint32_t detail) {
  if (failed_) return;
  failed_ = true;
  failed_index_ = index;
  context_.errors.report(code, queue_, index, detail);
  Semaphores::release(waiter_);
  set_status(Status::kError);
}

// Instructions of an engine overlap; their spans do not: each begins where the one before it ended.
void Sequencer::trace_span(unsigned index, const tern_instruction_t& instruction,
                           const sc_core::sc_time& begin) {
  const std::string name = instruction_name(instruction.header.opcode);
  std::string args = instruction_args(instruction, index);
  args.pop_back();
  args += fmt::format(R"(,"start_ns":{:.3f})", begin.to_seconds() * 1e9);
  if (context_.describe)
    args += fmt::format(R"(,"source":{})", json_string(context_.describe(queue_, index)));
  args += '}';
  const sc_core::sc_time end = sc_core::sc_time_stamp();
  context_.bus->span({track_, name, std::max(begin, last_end_).value(), end.value(), args});
  last_end_ = end;
}

std::string Sequencer::describe_stall() const {
  if (status_ != Status::kRunning) return {};
  std::string text = fmt::format("{}: instruction {}", queue_name(queue_), pc_);
  if (opcode_ == 0) return text + " is being fetched";
  text += fmt::format(" ({}", instruction_name(opcode_));
  if (context_.describe) {
    const std::string origin = context_.describe(queue_, pc_);
    if (!origin.empty()) text += ", " + origin;
  }
  text += ')';
  if (waiter_.satisfied) return text + " is in execution";
  return text + fmt::format(" waits for semaphore {} {} {}, which is {}", waiter_.semaphore,
                            wait_condition_symbol(waiter_.condition), waiter_.operand,
                            context_.semaphores.value(waiter_.semaphore));
}

}  // namespace tern
