// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/builder/loop_writer.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "sw/base/user_error.h"

namespace tern::kernels {

namespace {

// Iterations that a wait may reach back exactly; beyond that it waits for more than it needs.
constexpr unsigned kReach = 4;
constexpr unsigned kRegisters = 63;

[[noreturn]] void fail(SourceLine where, const std::string& message) {
  throw UserError(where.text() + ": loop: " + message);
}

tern_instruction_t register_alu(unsigned op, std::size_t number, std::int32_t value) {
  tern_instruction_t in{};
  in.header.opcode = TERN_OPCODE_REGISTER_ALU;
  in.register_alu.dst = static_cast<std::uint8_t>(number);
  if (op != TERN_REGISTER_OP_MOVE) in.register_alu.a = static_cast<std::uint8_t>(number);
  in.register_alu.op = static_cast<std::uint8_t>(op);
  in.register_alu.imm = static_cast<std::uint32_t>(value);
  return in;
}

bool is_zero(const tern_instr_extend_t& extension) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&extension);
  return std::all_of(bytes, bytes + sizeof extension, [](std::uint8_t byte) { return byte == 0; });
}

tern_instruction_t as_instruction(const tern_instr_extend_t& extension) {
  tern_instruction_t in{};
  in.extend = extension;
  in.header.opcode = TERN_OPCODE_EXTEND;
  return in;
}

}  // namespace

std::uint8_t LoopRegisters::of(std::int32_t growth, SourceLine where) {
  if (growth == 0) return 0;
  const auto [entry, added] = numbers_.insert({growth, numbers_.size() + 1});
  if (added && entry->second > kRegisters) {
    fail(where, "more than 63 different steps of addresses and semaphores on one queue");
  }
  return static_cast<std::uint8_t>(entry->second);
}

void LoopWriter::write() {
  number_semaphores();
  allow_reach();
  find_needs();
  write_first_waits();
  drop_implied();
  write_descriptors();
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) write_queue(q);
}

void LoopWriter::number_semaphores() {
  for (const LoopStep& step : loop_.iterations[0]) {
    unsigned semaphore = LoopCalls::progress_semaphore(step.queue);
    if (step.transfer) {
      const auto direction = static_cast<unsigned>(step.transfer->direction);
      unsigned& slot = slots_[direction];
      if (slot == LoopCalls::kLoopSemaphores) {
        fail(step.where, "more than 64 transfers in one direction in a body");
      }
      semaphore = LoopCalls::loop_semaphore(direction, slot);
      before_[semaphore] = kb_.loop_transfers_[direction][slot++];
    }
    counts_.push_back(semaphore);
    growth_[semaphore] += count_of(step);
  }
}

// Waits reach back kReach iterations: no progress semaphore may be compared with a negative value.
void LoopWriter::allow_reach() {
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
    const unsigned semaphore = LoopCalls::progress_semaphore(q);
    const auto grows = growth_.find(semaphore);
    if (grows == growth_.end()) continue;
    const std::uint32_t least = kReach * grows->second;
    if (kb_.progress_[q] < least) {
      const std::uint32_t missing = least - kb_.progress_[q];
      if (missing > std::numeric_limits<std::uint16_t>::max()) {
        fail(where_, "a body of too many instructions on one queue");
      }
      tern_instruction_t nop{};
      nop.header.opcode = TERN_OPCODE_NOP;
      nop.header.upd_sem = static_cast<std::uint8_t>(semaphore);
      nop.header.upd_op = TERN_UPD_OP_ADD_IMM;
      nop.header.upd_value = static_cast<std::uint16_t>(missing);
      kb_.append(q, nop, "loop", where_);
      kb_.progress_[q] = least;
      kb_.waits_.announce(q, {semaphore, least});
    }
    before_[semaphore] = kb_.progress_[q];
  }
}

// What all iterations wait for: once for everything before the loop, and relative to the iteration
// for the loop's own.
void LoopWriter::find_needs() {
  needs_.resize(length_);
  value_ = before_;
  for (std::size_t t = 0; t < loop_.iterations.size(); ++t) {
    for (std::size_t i = 0; i < length_; ++i) {
      const LoopStep& step = loop_.iterations[t][i];
      const int queue = step.transfer ? HazardMap::kDma : static_cast<int>(step.queue);
      // One transfer in flight, as outside loops.
      if (step.transfer) needs_[i].insert({counts_[i], before_.at(counts_[i])});
      std::vector<Event> events;
      for (const auto& access : step.accesses) kb_.hazards_.collect(access, queue, &events);
      for (const Event& event : events) {
        const auto own = before_.find(event.semaphore);
        if (own == before_.end() || event.value <= own->second) {
          first_needs_[step.queue].push_back(event);
          continue;
        }
        const std::uint64_t passed = t * std::uint64_t{growth_.at(event.semaphore)};
        const auto base =
            static_cast<std::uint32_t>(event.value > passed ? event.value - passed : 0);
        std::uint32_t& need = needs_[i][event.semaphore];
        need = std::max(need, base);
      }
      value_[counts_[i]] += count_of(step);
      kb_.hazards_.record(step.accesses, queue, {counts_[i], value_[counts_[i]]});
    }
  }
}

void LoopWriter::write_first_waits() {
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
    for (const Event& event : kb_.waits_.reduce(q, first_needs_[q])) {
      tern_instruction_t nop{};
      nop.header.opcode = TERN_OPCODE_NOP;
      kb_.append_with_waits(q, nop, "loop", {event}, where_);
    }
  }
}

// A wait is kept if it is not implied in some iteration.
void LoopWriter::drop_implied() {
  waits_.resize(length_);
  value_ = before_;
  for (std::size_t t = 0; t < loop_.iterations.size(); ++t) {
    for (std::size_t i = 0; i < length_; ++i) {
      const LoopStep& step = loop_.iterations[t][i];
      std::vector<Event> events;
      for (const auto& [semaphore, base] : needs_[i]) {
        events.push_back({semaphore, base + static_cast<std::uint32_t>(t) * growth_[semaphore]});
      }
      for (const Event& event : kb_.waits_.reduce(step.queue, events)) {
        waits_[i][event.semaphore] = needs_[i][event.semaphore];
      }
      const Event done{counts_[i], value_[counts_[i]] += count_of(step)};
      if (step.transfer) {
        kb_.announce_transfer(step.transfer->ring, step.queue, done);
      } else {
        kb_.waits_.announce(step.queue, done);
        kb_.progress_[step.queue] = done.value;
      }
    }
  }
  for (unsigned d = 0; d < slots_.size(); ++d) {
    for (unsigned slot = 0; slot < slots_[d]; ++slot) {
      kb_.loop_transfers_[d][slot] = value_[LoopCalls::loop_semaphore(d, slot)];
    }
  }
}

// Those of all iterations; a trigger counts the same in each.
void LoopWriter::write_descriptors() {
  pairs_.resize(length_);
  for (std::size_t t = 0; t < loop_.iterations.size(); ++t) {
    for (std::size_t i = 0; i < length_; ++i) {
      const LoopStep& step = loop_.iterations[t][i];
      if (!step.transfer || step.transfer->copy) continue;
      const auto& transfer = *step.transfer;
      const auto pairs = kb_.append_descriptors(transfer.tile, transfer.tensor, transfer.direction,
                                                counts_[i], step.where);
      if (t == 0) pairs_[i] = pairs;
      if (pairs != pairs_[i] || *std::max_element(pairs.begin(), pairs.end()) >
                                    std::numeric_limits<std::uint16_t>::max()) {
        fail(step.where,
             std::string(step.name) + ": other descriptors than in the first iteration");
      }
    }
  }
}

// An instruction of the body, after the nops that its further waits need.
void LoopWriter::write_step(std::size_t i, LoopRegisters* registers, Body* body) const {
  const LoopStep& step = loop_.iterations[0][i];
  tern_instruction_t instruction = step.instruction;
  tern_instr_extend_t extension = step.extension;
  if (step.transfer && step.transfer->copy) {
    instruction.dma_copy.semaphore = static_cast<std::uint8_t>(counts_[i]);
  } else if (step.transfer) {
    std::copy(pairs_[i].begin(), pairs_[i].end(), std::begin(instruction.dma_trigger.count));
  } else {
    LoopCalls::count_progress(step.queue, &instruction);
  }
  extension.dst_reg = registers->of(loop_.steps[i][0], step.where);
  extension.src0_reg = registers->of(loop_.steps[i][1], step.where);
  extension.src1_reg = registers->of(loop_.steps[i][2], step.where);
  const auto add = [&](const tern_instr_extend_t& with, const tern_instruction_t& of) {
    if (!is_zero(with)) body->push_back({as_instruction(with), &step});
    body->push_back({of, &step});
  };
  std::size_t left = waits_[i].size();
  for (const auto& [semaphore, base] : waits_[i]) {
    tern_instruction_t nop{};
    nop.header.opcode = TERN_OPCODE_NOP;
    left -= 1;
    tern_header_t& header = left > 0 ? nop.header : instruction.header;
    header.wait_cond = TERN_WAIT_COND_GE;
    header.wait_sem = static_cast<std::uint8_t>(semaphore);
    header.wait_value = base;
    tern_instr_extend_t of_nop{};
    (left > 0 ? of_nop : extension).wait_reg =
        registers->of(static_cast<std::int32_t>(growth_.at(semaphore)), step.where);
    if (left > 0) add(of_nop, nop);
  }
  add(extension, instruction);
}

// The first register is the loop's counter; the others are incremented at the end of an iteration.
void LoopWriter::write_queue(unsigned q) {
  LoopRegisters registers;
  Body body;
  for (std::size_t i = 0; i < length_; ++i) {
    if (loop_.iterations[0][i].queue == q) write_step(i, &registers, &body);
  }
  if (body.empty()) return;
  tern_instruction_t head{};
  head.header.opcode = TERN_OPCODE_LOOP;
  head.loop.count = static_cast<std::uint32_t>(loop_.iterations.size());
  std::vector<tern_instruction_t> advance;
  for (const auto& [step, number] : registers.all()) {
    if (number == 1) {
      head.loop.counter = 1;
      head.loop.step = step;
      continue;
    }
    kb_.append(q, register_alu(TERN_REGISTER_OP_MOVE, number, 0), "loop", where_);
    advance.push_back(register_alu(TERN_REGISTER_OP_ADD, number, step));
  }
  head.loop.length = static_cast<std::uint32_t>(body.size() + advance.size());
  kb_.append(q, head, "loop", where_);
  for (const auto& [instruction, step] : body) {
    kb_.append(q, instruction, step->name, step->where);
    if (instruction.header.opcode != TERN_OPCODE_DMA_COPY) continue;
    const auto index = static_cast<std::uint32_t>(kb_.program_.queues[q].size() - 1);
    const LoopStep::Copy& copy = *step->transfer->copy;
    kb_.program_.links.push_back({q, index, copy.destination, copy.source});
  }
  for (const tern_instruction_t& instruction : advance) kb_.append(q, instruction, "loop", where_);
}

}  // namespace tern::kernels
