// SPDX-License-Identifier: Apache-2.0
// Loops whose number of iterations the program computes: every queue branches on its own registers.
#include "sw/base/user_error.h"
#include "sw/kernels/builder/builder_loops.h"

namespace tern::kernels {

namespace {

constexpr const char* kName = "dynamic loop";
constexpr unsigned kRepeatRegister = 59;

tern_instruction_t nop() {
  tern_instruction_t instruction{};
  instruction.header.opcode = TERN_OPCODE_NOP;
  return instruction;
}

void wait_for(unsigned semaphore, std::uint32_t value, tern_instruction_t* instruction) {
  instruction->header.wait_cond = TERN_WAIT_COND_GE;
  instruction->header.wait_sem = static_cast<std::uint8_t>(semaphore);
  instruction->header.wait_value = value;
}

void update(unsigned semaphore, unsigned op, std::uint32_t value, tern_instruction_t* instruction) {
  instruction->header.upd_sem = static_cast<std::uint8_t>(semaphore);
  instruction->header.upd_op = static_cast<std::uint8_t>(op);
  instruction->header.upd_value = static_cast<std::uint16_t>(value);
}

}  // namespace

std::vector<Event> BuilderCore::all_so_far() const {
  std::vector<Event> events;
  for (unsigned queue = 0; queue < TERN_QUEUE_COUNT; ++queue) {
    if (progress_[queue] > 0) events.push_back({progress_semaphore(queue), progress_[queue]});
    rings_.collect(queue, &events);
  }
  for (const Event& flag : flags_) {
    if (flag.value > 0) events.push_back(flag);
  }
  return events;
}

// Sync waits for all, the others for Sync.
void BuilderCore::meet(const char* name, SourceLine where) {
  tern_instruction_t lead = nop();
  const std::vector<Event> waits = waits_.reduce(TERN_QUEUE_SYNC, all_so_far());
  const Event done{progress_semaphore(TERN_QUEUE_SYNC), ++progress_[TERN_QUEUE_SYNC]};
  count_progress(TERN_QUEUE_SYNC, &lead);
  append_with_waits(TERN_QUEUE_SYNC, lead, name, waits, where);
  waits_.announce(TERN_QUEUE_SYNC, done);
  for (unsigned queue = 0; queue < kEngineQueues; ++queue) {
    if (queue == TERN_QUEUE_SYNC) continue;
    append_with_waits(queue, nop(), name, waits_.reduce(queue, {done}), where);
  }
}

void LoopCalls::begin_repeat(unsigned condition, unsigned a, unsigned b, std::uint32_t value,
                             SourceLine where) {
  if (iteration_ != nullptr) throw UserError(where.text() + ": " + kName + ": inside loop()");
  meet(kName, where);
  Repeat repeat;
  repeat.progress = progress_;
  repeat.rings = rings_;
  repeat.where = where;
  for (unsigned queue = 0; queue < kEngineQueues; ++queue) {
    repeat.branch[queue] = program_.queues[queue].size();
    tern_instruction_t branch{};
    branch.header.opcode = TERN_OPCODE_BRANCH;
    branch.branch.cond = static_cast<std::uint8_t>(condition);
    branch.branch.a = static_cast<std::uint8_t>(a);
    branch.branch.b = static_cast<std::uint8_t>(b);
    branch.branch.imm = value;
    append(queue, branch, kName, where);
  }
  repeated_ = true;
  repeats_.push_back(repeat);
  hazards_ = HazardMap();
  array_ = ArrayState();
}

// Sync waits until the body is complete and sets all counts back to what they were in front of it:
// so the waits of the body, and those after the loop, hold for any number of iterations.
void LoopCalls::end_repeat(unsigned counter, std::int32_t step, SourceLine where) {
  if (repeats_.empty()) throw UserError(where.text() + ": " + kName + ": none is open");
  const Repeat repeat = repeats_.back();
  std::vector<DmaRings::Counted> counts = rings_.counted_since(repeat.rings);
  for (unsigned queue = 0; queue < TERN_QUEUE_COUNT; ++queue) {
    if (progress_[queue] == repeat.progress[queue]) continue;
    counts.push_back(
        {{progress_semaphore(queue), progress_[queue]}, progress_[queue] - repeat.progress[queue]});
  }
  // Only then: until its last instruction is complete a queue may wait for any of them.
  std::vector<Event> ends;
  ends.reserve(counts.size());
  for (const DmaRings::Counted& count : counts) ends.push_back(count.done);
  append_with_waits(TERN_QUEUE_SYNC, nop(), kName, waits_.reduce(TERN_QUEUE_SYNC, ends), where);
  for (const DmaRings::Counted& count : counts) {
    if (count.more > UINT16_MAX) {
      throw UserError(repeat.where.text() + ": " + kName + ": its body has more than " +
                      std::to_string(UINT16_MAX) + " instructions of one queue");
    }
    tern_instruction_t reset = nop();
    update(count.done.semaphore, TERN_UPD_OP_SUB_IMM, count.more, &reset);
    append(TERN_QUEUE_SYNC, reset, kName, where);
  }
  // All go on when Sync has set back the last one: each counts how often it has gone on.
  tern_instruction_t release = nop(), go = nop();
  update(kRepeatSemaphore, TERN_UPD_OP_INC, 0, &release);
  append(TERN_QUEUE_SYNC, release, kName, where);
  register_alu(kAllQueues, TERN_REGISTER_OP_ADD, kRepeatRegister, kRepeatRegister, 0, 1, where);
  wait_for(kRepeatSemaphore, 0, &go);
  tern_instruction_t extend{};
  extend.header.opcode = TERN_OPCODE_EXTEND;
  extend.extend.wait_reg = kRepeatRegister;
  for (unsigned queue = 0; queue < kEngineQueues; ++queue) {
    append(queue, extend, kName, where);
    append(queue, go, kName, where);
  }
  if (counter != 0) {
    register_alu(kAllQueues, TERN_REGISTER_OP_ADD, counter, counter, 0,
                 static_cast<std::uint32_t>(step), where);
  }
  for (unsigned queue = 0; queue < kEngineQueues; ++queue) {
    auto& program = program_.queues[queue];
    tern_instruction_t back{};
    back.header.opcode = TERN_OPCODE_BRANCH;
    back.branch.cond = TERN_BRANCH_COND_ALWAYS;
    back.branch.target = -static_cast<std::int32_t>(program.size()) +
                         static_cast<std::int32_t>(repeat.branch[queue]);
    append(queue, back, kName, where);
    program[repeat.branch[queue]].branch.target =
        static_cast<std::int32_t>(program.size() - repeat.branch[queue]);
  }
  repeats_.pop_back();
  progress_ = repeat.progress;
  rings_.rewind(repeat.rings);
  hazards_ = HazardMap();
  waits_.restart(all_so_far());
  array_ = ArrayState();
}

}  // namespace tern::kernels
