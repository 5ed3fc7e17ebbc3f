// SPDX-License-Identifier: Apache-2.0
// Hardware loops. The author's turns are written down one by one, folded into one body with
// addresses in registers (loop_fold.h), and given waits that are right in every turn.
//
// Semaphores go on counting: in turn t, a wait for the progress of a queue that counts n
// instructions per turn is "base + t * n", t * n from a register. The base is the largest that any
// turn needs less its t * n; a wait for something later than needed is still one for something
// earlier in the program, so that nothing can stand still.
#include <algorithm>
#include <limits>
#include <map>

#include "sw/kernels/builder/kernel_builder.h"
#include "systemc/config/user_error.h"

namespace tern::kernels {

namespace {

// Turns that a wait may reach back exactly; beyond that it waits for more than it needs.
constexpr unsigned kReach = 4;
constexpr unsigned kRegisters = 63;

[[noreturn]] void fail(SourceLine where, const std::string& message) {
  throw UserError(where.text() + ": loop: " + message);
}

// base of semaphore -> wait for semaphore >= base + turn * growth.
using RelativeWaits = std::map<unsigned, std::uint32_t>;

// A register for every distance by which something of a queue grows per turn.
class Registers {
 public:
  std::uint8_t of(std::int32_t growth, SourceLine where) {
    if (growth == 0) return 0;
    const auto [entry, added] = numbers_.insert({growth, numbers_.size() + 1});
    if (added && entry->second > kRegisters) {
      fail(where, "more than 63 different steps of addresses and semaphores on one queue");
    }
    return static_cast<std::uint8_t>(entry->second);
  }
  const std::map<std::int32_t, std::size_t>& all() const { return numbers_; }

 private:
  std::map<std::int32_t, std::size_t> numbers_;
};

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

void KernelBuilder::loop(unsigned count, const std::function<void(unsigned turn)>& body,
                         SourceLine where) {
  if (turn_ != nullptr) fail(where, "inside another loop");
  std::vector<LoopTurn> turns(count);
  struct Recording {
    explicit Recording(LoopTurn** target) : turn(target) {}
    ~Recording() { *turn = nullptr; }
    LoopTurn** turn;
  };
  {
    const Recording recording(&turn_);
    for (unsigned t = 0; t < count; ++t) {
      turn_ = &turns[t];
      body(t);
    }
  }
  if (count < 2) {
    for (const LoopTurn& turn : turns) write_turn(turn);
    return;
  }
  std::string reason;
  const auto folded = fold_loop(turns, &reason);
  if (!folded) {
    fail(where, reason.empty() ? "expected a number of turns that its period divides" : reason);
  }
  if (folded->turns[0].empty()) return;
  write_loop(*folded, where);
}

// Without a loop, one after the other.
void KernelBuilder::write_turn(const LoopTurn& turn) {
  for (const LoopStep& step : turn) {
    if (step.transfer) {
      transfer(step.transfer->tile, step.transfer->tensor, step.transfer->direction, step.where);
    } else {
      emit(step.queue, step.instruction, step.name, step.accesses, step.where,
           is_zero(step.extension) ? nullptr : &step.extension);
    }
  }
}

void KernelBuilder::write_loop(const FoldedLoop& loop, SourceLine where) {
  const auto turns = static_cast<unsigned>(loop.turns.size());
  const std::size_t length = loop.turns[0].size();
  // What every semaphore grows by per turn, and the place of each transfer's.
  std::map<unsigned, std::uint32_t> growth;
  std::vector<unsigned> counts(length);  // semaphore that a step counts on
  std::array<unsigned, 2> slots{};
  std::array<bool, TERN_QUEUE_COUNT> used{};
  for (std::size_t i = 0; i < length; ++i) {
    const LoopStep& step = loop.turns[0][i];
    used[step.queue] = true;
    if (step.transfer) {
      const unsigned ring = step.instruction.dma_trigger.ring;
      if (slots[ring] == kLoopSemaphoresPerRing) {
        fail(step.where, "more than 64 transfers in one direction in a body");
      }
      counts[i] = loop_semaphore(ring, slots[ring]++);
      growth[counts[i]] = Executable::kEngines;
    } else {
      counts[i] = progress_semaphore(step.queue);
      growth[counts[i]] += 1;
    }
  }
  // Waits may reach back kReach turns: no semaphore is to be asked for less than nothing.
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
    const auto grows = growth.find(progress_semaphore(q));
    if (grows == growth.end() || progress_[q] >= kReach * grows->second) continue;
    const std::uint32_t missing = kReach * grows->second - progress_[q];
    if (missing > std::numeric_limits<std::uint16_t>::max()) {
      fail(where, "a body of too many instructions on one queue");
    }
    tern_instruction_t nop{};
    nop.header.opcode = TERN_OPCODE_NOP;
    nop.header.upd_sem = static_cast<std::uint8_t>(progress_semaphore(q));
    nop.header.upd_op = TERN_UPD_OP_ADD_IMM;
    nop.header.upd_value = static_cast<std::uint16_t>(missing);
    append(q, nop, "loop", where);
    progress_[q] += missing;
    waits_.announce(q, {progress_semaphore(q), progress_[q]});
  }
  std::map<unsigned, std::uint32_t> value;  // of each semaphore, as instructions are counted
  for (const auto& entry : growth) value[entry.first] = 0;
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
    if (value.count(progress_semaphore(q)) != 0) value[progress_semaphore(q)] = progress_[q];
  }
  for (unsigned ring = 0; ring < 2; ++ring) {
    for (unsigned slot = 0; slot < slots[ring]; ++slot) {
      value[loop_semaphore(ring, slot)] = loop_transfers_[ring][slot];
    }
  }
  const std::map<unsigned, std::uint32_t> before = value;

  // Which waits turns need: on what was there before the loop, once; on the loop itself, relative
  // to the turn.
  std::vector<RelativeWaits> needs(length);
  std::array<std::vector<Event>, TERN_QUEUE_COUNT> first_needs;
  for (unsigned t = 0; t < turns; ++t) {
    for (std::size_t i = 0; i < length; ++i) {
      const LoopStep& step = loop.turns[t][i];
      const int queue = step.transfer ? HazardMap::kDma : static_cast<int>(step.queue);
      std::vector<Event> events;
      for (const auto& access : step.accesses) hazards_.collect(access, queue, &events);
      std::uint32_t& counter = value[counts[i]];
      if (step.transfer) needs[i].insert({counts[i], before.at(counts[i])});  // one in flight
      for (const Event& event : events) {
        const auto in_loop = before.find(event.semaphore);
        if (in_loop == before.end() || event.value <= in_loop->second) {
          first_needs[step.queue].push_back(event);
          continue;
        }
        const std::uint64_t passed = std::uint64_t{t} * growth[event.semaphore];
        const auto base = static_cast<std::uint32_t>(std::max<std::int64_t>(
            0, std::int64_t{event.value} - static_cast<std::int64_t>(passed)));
        std::uint32_t& need = needs[i][event.semaphore];
        need = std::max(need, base);
      }
      counter += step.transfer ? Executable::kEngines : 1;
      hazards_.record(step.accesses, queue, {counts[i], counter});
    }
  }
  // Waits that are implied by others in every turn are left out.
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
    for (const Event& event : waits_.reduce(q, first_needs[q])) {
      tern_instruction_t nop{};
      nop.header.opcode = TERN_OPCODE_NOP;
      append_with_waits(q, nop, "loop", {event}, where);
    }
  }
  std::vector<RelativeWaits> waits(length);
  value = before;
  for (unsigned t = 0; t < turns; ++t) {
    for (std::size_t i = 0; i < length; ++i) {
      const LoopStep& step = loop.turns[t][i];
      std::vector<Event> events;
      for (const auto& [semaphore, base] : needs[i]) {
        events.push_back({semaphore, base + t * growth[semaphore]});
      }
      for (const Event& event : waits_.reduce(step.queue, events)) {
        waits[i][event.semaphore] = needs[i][event.semaphore];
      }
      const Event done{counts[i], value[counts[i]] += step.transfer ? Executable::kEngines : 1};
      if (step.transfer) {
        announce_transfer(step.instruction.dma_trigger.ring, step.queue, done);
      } else {
        waits_.announce(step.queue, done);
      }
    }
  }
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
    if (value.count(progress_semaphore(q)) != 0) progress_[q] = value[progress_semaphore(q)];
  }
  for (unsigned ring = 0; ring < 2; ++ring) {
    for (unsigned slot = 0; slot < slots[ring]; ++slot) {
      loop_transfers_[ring][slot] = value[loop_semaphore(ring, slot)];
    }
  }

  // Descriptors of all turns; a trigger counts the same in each.
  std::vector<std::array<std::size_t, Executable::kEngines>> pairs(length);
  for (unsigned t = 0; t < turns; ++t) {
    for (std::size_t i = 0; i < length; ++i) {
      const LoopStep& step = loop.turns[t][i];
      if (!step.transfer) continue;
      const auto& transfer = *step.transfer;
      const auto these = append_descriptors(transfer.tile, transfer.tensor, transfer.direction,
                                            counts[i], step.where);
      if (t == 0) pairs[i] = these;
      if (these != pairs[i] || *std::max_element(these.begin(), these.end()) > 0xffff) {
        fail(step.where, std::string(step.name) + ": other descriptors than in the first turn");
      }
    }
  }

  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
    if (!used[q]) continue;
    Registers registers;
    std::vector<std::pair<tern_instruction_t, const LoopStep*>> body;
    for (std::size_t i = 0; i < length; ++i) {
      const LoopStep& step = loop.turns[0][i];
      if (step.queue != q) continue;
      tern_instruction_t instruction = step.instruction;
      tern_instr_extend_t extension = step.extension;
      if (step.transfer) {
        std::copy(pairs[i].begin(), pairs[i].end(), std::begin(instruction.dma_trigger.count));
      } else {
        count_progress(q, &instruction);
      }
      extension.dst_reg = registers.of(loop.steps[i][0], step.where);
      extension.src0_reg = registers.of(loop.steps[i][1], step.where);
      extension.src1_reg = registers.of(loop.steps[i][2], step.where);
      std::size_t left = waits[i].size();
      for (const auto& [semaphore, base] : waits[i]) {
        tern_instruction_t nop{};
        nop.header.opcode = TERN_OPCODE_NOP;
        left -= 1;
        tern_header_t& header = left > 0 ? nop.header : instruction.header;
        header.wait_cond = TERN_WAIT_COND_GE;
        header.wait_sem = static_cast<std::uint8_t>(semaphore);
        header.wait_value = base;
        const std::uint8_t turn_register =
            registers.of(static_cast<std::int32_t>(growth[semaphore]), step.where);
        if (left == 0) {
          extension.wait_reg = turn_register;
          continue;
        }
        tern_instr_extend_t of_nop{};
        of_nop.wait_reg = turn_register;
        body.push_back({as_instruction(of_nop), &step});
        body.push_back({nop, &step});
      }
      if (!is_zero(extension)) body.push_back({as_instruction(extension), &step});
      body.push_back({instruction, &step});
    }
    // The first register is the loop's counter; the others are added to at the end of a turn.
    tern_instruction_t head{};
    head.header.opcode = TERN_OPCODE_LOOP;
    head.loop.count = turns;
    head.loop.length = static_cast<std::uint32_t>(body.size());
    for (const auto& [step, number] : registers.all()) {
      if (number == 1) {
        head.loop.counter = 1;
        head.loop.step = step;
        continue;
      }
      append(q, register_alu(TERN_REGISTER_OP_MOVE, number, 0), "loop", where);
      head.loop.length += 1;
    }
    append(q, head, "loop", where);
    for (const auto& [instruction, step] : body) append(q, instruction, step->name, step->where);
    for (const auto& [step, number] : registers.all()) {
      if (number == 1) continue;
      append(q, register_alu(TERN_REGISTER_OP_ADD, number, step), "loop", where);
    }
  }
}

}  // namespace tern::kernels
