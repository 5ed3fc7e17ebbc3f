// SPDX-License-Identifier: Apache-2.0
#include "systemc/core/sequencer.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "systemc/core/control_instructions.h"
#include "systemc/core/instruction_activity.h"
#include "systemc/core/instruction_info.h"
#include "systemc/core/instruction_registry.h"
#include "systemc/core/merge_extension.h"
#include "systemc/engines/instruction/instruction_set.h"
#include "systemc/engines/tensor/tensor_engine.h"

namespace tern {

Sequencer::Sequencer(sc_core::sc_module_name name, unsigned queue, CoreContext& context,
                     QueueEngine& engine, double clock_ghz, MemoryRead::Send fetch,
                     sc_core::sc_time fetch_latency, const std::string& trace_process)
    : sc_module(name),
      queue_(queue),
      context_(context),
      engine_(engine),
      clock_(clock_ghz),
      fetch_(std::move(fetch), fetch_latency) {
  engine_.set_sink(this);
  waiter_.queue = queue_;
  if (context_.bus != nullptr) track_ = context_.bus->add_track(trace_process, queue_name(queue));
  SC_THREAD(run);
  set_stack_size(kDatapathStackBytes);
}

void Sequencer::set_status(Status status) {
  status_ = status;
  static constexpr std::string_view kNames[] = {"idle", "running", "halted", "error", "stopping"};
  show("status", kNames[static_cast<unsigned>(status)]);
  context_.status_changed();
}

bool Sequencer::start(std::uint64_t base, std::uint32_t length) {
  if (active_) return false;
  active_ = true;
  failed_ = false;
  base_ = base;
  length_ = length;
  unit_ = {ProgramFlow(), ScalarRegisters(), context_.sbuf, context_.limits.sbuf_bytes};
  unit_.flow.start(length);
  opcode_ = 0;
  executed_ = 0;
  control_run_ = 0;
  free_cycle_ = 0;
  hung_ = false;
  set_status(Status::kRunning);
  start_.notify(sc_core::SC_ZERO_TIME);
  return true;
}

void Sequencer::reset() {
  if (!active_) return set_status(Status::kIdle);
  failed_ = abandoned_ = true;
  hung_ = false;
  freed_.notify(sc_core::SC_ZERO_TIME);
  Semaphores::release(waiter_);
  set_status(Status::kStopping);
}

void Sequencer::run() {
  for (;;) {
    while (!active_) wait(start_);
    run_program();
    // What was issued before an error still completes; after a halt nothing is left.
    engine_.drain();
    active_ = false;
    if (!abandoned_) continue;
    abandoned_ = false;
    set_status(Status::kIdle);
  }
}

void Sequencer::run_program() {
  if (base_ % TERN_INSTRUCTION_BYTES != 0)
    return stop({TERN_ERROR_BUS, static_cast<std::uint32_t>(base_)});
  fetch_.start(base_, length_);
  engine_.begin_program();
  while (!unit_.flow.ended()) {
    opcode_ = 0;
    Operation operation;
    if (!fetch(operation) || !step(operation)) return;
  }
  stop({TERN_ERROR_ILLEGAL_OPCODE, 0});  // ran past the end without a halt
}

// Null if it could not be read, or if the program has failed in the meantime.
const tern_instruction_t* Sequencer::fetch(std::uint32_t index) {
  const sc_core::sc_time asked = sc_core::sc_time_stamp();
  const tern_instruction_t* instruction = fetch_.at(index);
  if (sc_core::sc_time_stamp() != asked) free_cycle_ = clock_.now();
  if (instruction == nullptr)
    stop({fetch_.error(), static_cast<std::uint32_t>(fetch_.address(index))});
  return failed_ ? nullptr : instruction;
}

// The instruction at pc(), with the `extend` before it if there is one: pc() then moves to the
// instruction itself. False when the program has ended.
bool Sequencer::fetch(Operation& operation) {
  const tern_instruction_t* instruction = fetch(pc());
  if (instruction == nullptr) return false;
  operation.instruction = *instruction;
  std::optional<InstructionFault> fault;
  if (operation.opcode() == TERN_OPCODE_EXTEND) {
    operation.extension = instruction->extend;
    fault = check_instruction(operation, queue_, context_.limits);
    if (!fault && pc() + 1 < length_) {
      instruction = fetch(pc() + 1);
      if (instruction == nullptr) return false;
      // It extends work, not control.
      if (is_control(instruction->header.opcode))
        fault = InstructionFault{TERN_ERROR_CONTROL_FLOW, TERN_CONTROL_FAULT_EXTEND};
    }
    if (!fault) fault = unit_.flow.enter_extended();
    operation.instruction = *instruction;
    ++executed_;
  }
  opcode_ = operation.opcode();
  if (!fault) fault = resolve_registers(operation, unit_.registers);
  if (!fault) fault = check_instruction(operation, queue_, context_.limits);
  if (fault) stop(*fault);
  return !fault;
}

// False when the program has ended.
bool Sequencer::step(Operation& operation) {
  const tern_header_t& header = operation.instruction.header;
  operation.sequence = sequence_;
  const bool is_work = !is_control(opcode_);
  if (is_work) ++sequence_;
  const bool waits = shows_states() && header.wait_cond != TERN_WAIT_COND_NONE;
  if (shows_states()) show("next", fmt::format("{} #{}", instruction_name(opcode_), pc()));
  if (waits)
    show("waits_for",
         fmt::format("{}{} {} {}", header.wait_cond == TERN_WAIT_COND_EVENT ? 'e' : 's',
                     header.wait_sem, wait_condition_symbol(header.wait_cond), header.wait_value));
  context_.semaphores.wait_for(header, waiter_);
  if (waits) show("waits_for", std::string_view());
  while (hung_) wait(freed_);
  if (failed_) return false;
  if (shows_states()) show("instruction", std::uint64_t{pc()});
  return is_work ? work(operation) : control(operation);
}

bool Sequencer::work(const Operation& operation) {
  control_run_ = 0;
  free_cycle_ = clock_.now();
  ++executed_;
  if (opcode_ != TERN_OPCODE_HALT) {
    const sc_core::sc_time issued = sc_core::sc_time_stamp();
    engine_.execute(operation, pc());
    if (throttle_ > 1) {
      engine_.drain();
      wait((sc_core::sc_time_stamp() - issued) * (throttle_ - 1));
    }
    if (!failed_) unit_.next();
    return !failed_;
  }
  const sc_core::sc_time begin = sc_core::sc_time_stamp();
  engine_.drain();
  if (!failed_) inputs_read(pc(), operation);
  if (!failed_) completed(pc(), operation, begin);
  if (!failed_) {
    set_status(Status::kHalted);
    context_.halted(queue_, pc());
  }
  return false;
}

// Executed here, in time that is hidden as long as the engine is busy with earlier work. Accesses
// to semaphores and SBUF keep their position in the program.
bool Sequencer::control(const Operation& operation) {
  const tern_instruction_t& in = operation.instruction;
  if (++control_run_ > kMaxControl) {
    stop({TERN_ERROR_CONTROL_FLOW, TERN_CONTROL_FAULT_ENDLESS});
    return false;
  }
  const bool memory = instruction_spec(opcode_).body == InstructionBody::register_memory;
  const bool semaphores =
      in.header.wait_cond != TERN_WAIT_COND_NONE || in.header.upd_op != TERN_UPD_OP_NONE;
  if (memory || semaphores) free_cycle_ = std::max(free_cycle_, clock_.now());
  free_cycle_ += context_.control.cycles + (memory ? context_.control.sbuf_cycles : 0);
  clock_.wait_for(free_cycle_);
  if (failed_) return false;

  const std::uint32_t index = pc();
  if (const auto fault = instruction_table().find(opcode_)->control(unit_, in)) {
    stop(*fault);
    return false;
  }
  ++executed_;
  if (in.header.upd_op != TERN_UPD_OP_NONE) update(index, operation, in.header.upd_when);
  return !failed_;
}

void Sequencer::inputs_read(unsigned index, const Operation& operation) {
  if (!leaves_no_trace(operation)) update(index, operation, TERN_UPD_WHEN_READ);
}

void Sequencer::completed(unsigned index, const Operation& operation,
                          const sc_core::sc_time& begin) {
  if (leaves_no_trace(operation)) return;
  // Instructions of an engine overlap; their spans do not: each begins where the previous one
  // ended.
  const sc_core::sc_time span_begin = std::max(begin, last_end_);
  last_end_ = sc_core::sc_time_stamp();
  busy_fs_ += (last_end_ - span_begin).value();
  if (context_.bus != nullptr && context_.bus->enabled())
    trace_span(index, operation, begin, span_begin);
  update(index, operation, TERN_UPD_WHEN_COMPLETE);
}

// The update of an instruction, if it is due now.
void Sequencer::update(unsigned index, const Operation& operation, unsigned moment) {
  const tern_header_t& header = operation.instruction.header;
  if (header.upd_when != moment || context_.semaphores.update(header, queue_)) return;
  const bool event =
      header.upd_op == TERN_UPD_OP_SET_EVENT || header.upd_op == TERN_UPD_OP_CLEAR_EVENT;
  fail(index, operation.sequence, event ? TERN_ERROR_EVENT_REPEATED : TERN_ERROR_SEMAPHORE_RANGE,
       header.upd_sem);
}

void Sequencer::fail(unsigned index, std::uint64_t sequence, unsigned code, std::uint32_t detail) {
  if (failed_) return;
  failed_ = true;
  failed_sequence_ = sequence;
  context_.errors.report(code, queue_, index, detail);
  Semaphores::release(waiter_);
  set_status(Status::kError);
}

void Sequencer::trace_span(unsigned index, const Operation& operation,
                           const sc_core::sc_time& begin, const sc_core::sc_time& span_begin) {
  const std::string name = instruction_name(operation.opcode());
  std::string args = instruction_args(operation, index);
  args.pop_back();
  args += fmt::format(R"(,"start_ns":{:.3f})", begin.to_seconds() * 1e9);
  const std::string origin = context_.describe ? context_.describe(queue_, index) : std::string();
  if (!origin.empty()) args += fmt::format(R"(,"source":{})", json_string(origin));
  args += '}';
  const trace::Activity activity = instruction_activity(operation);
  context_.bus->span({track_, name, span_begin.value(), last_end_.value(), args, &activity});
}

bool Sequencer::shows_states() const {
  return context_.bus != nullptr && context_.bus->shows_states();
}

template <typename Value>
void Sequencer::show(const char* name, const Value& value) const {
  if (shows_states()) context_.bus->state(track_, name, sc_core::sc_time_stamp().value(), value);
}

std::string Sequencer::describe_stall() const {
  if (status_ != Status::kRunning) return {};
  std::string text = fmt::format("{}: instruction {}", queue_name(queue_), pc());
  if (opcode_ == 0) return text + " is being fetched";
  text += fmt::format(" ({}", instruction_name(opcode_));
  if (context_.describe) {
    const std::string origin = context_.describe(queue_, pc());
    if (!origin.empty()) text += ", " + origin;
  }
  text += ')';
  if (waiter_.satisfied) return text + " is in execution";
  const bool event = waiter_.semaphore >= Semaphores::kFirstEvent;
  return text + fmt::format(" waits for {} {} {} {}, which is {}", event ? "event" : "semaphore",
                            waiter_.semaphore % Semaphores::kFirstEvent,
                            wait_condition_symbol(waiter_.condition), waiter_.operand,
                            context_.semaphores.value(waiter_.semaphore));
}

}  // namespace tern
