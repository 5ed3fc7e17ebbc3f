// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/deadlock.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "sw/runtime/control_paths.h"
#include "sw/runtime/error_text.h"
#include "sw/spec/generated/registers.h"

namespace tern::runtime {

namespace {

constexpr std::size_t kShown = 3;  // instructions named per queue

// Whether a change of a semaphore upwards, downwards or to any value can make a condition hold.
enum class Change { kUp, kDown, kAny };

bool may_help(unsigned condition, Change change) {
  const bool up = condition == TERN_WAIT_COND_GE || condition == TERN_WAIT_COND_GT;
  const bool down = condition == TERN_WAIT_COND_LE || condition == TERN_WAIT_COND_LT;
  if (change == Change::kUp) return !down;
  return change == Change::kAny || !up;
}

std::optional<Change> change_of(const tern_header_t& header) {
  switch (header.upd_op) {
    case TERN_UPD_OP_INC:
    case TERN_UPD_OP_ADD_IMM:
      return Change::kUp;
    case TERN_UPD_OP_DEC:
    case TERN_UPD_OP_SUB_IMM:
      return Change::kDown;
    case TERN_UPD_OP_WR_IMM:
      return Change::kAny;
    default:
      return std::nullopt;
  }
}

// An update of an instruction to the event that a queue waits for.
bool changes_event(const tern_header_t& header, const StalledCore::Queue& queue) {
  const unsigned wanted = queue.operand != 0 ? TERN_UPD_OP_SET_EVENT : TERN_UPD_OP_CLEAR_EVENT;
  return header.upd_op == wanted && header.upd_sem == queue.semaphore;
}

// A descriptor that writes the register of the semaphore or event that a queue waits for.
bool changes(const DmaAddress& to, const StalledCore::Queue& queue) {
  if (to.space != DmaAddress::Space::kCore) return false;
  const auto writes = [&](std::uint64_t first) {
    return to.offset == TERN_CORE_REGS_BASE + first +
                            queue.semaphore * std::uint64_t{TERN_REG_CORE_SEMAPHORE_SET_STRIDE};
  };
  static_assert(TERN_REG_CORE_EVENT_SET_STRIDE == TERN_REG_CORE_SEMAPHORE_SET_STRIDE);
  if (queue.for_event()) {
    return writes(queue.operand != 0 ? TERN_REG_CORE_EVENT_SET : TERN_REG_CORE_EVENT_CLEAR);
  }
  return (writes(TERN_REG_CORE_SEMAPHORE_SET) && may_help(queue.condition, Change::kAny)) ||
         (writes(TERN_REG_CORE_SEMAPHORE_INC) && may_help(queue.condition, Change::kUp)) ||
         (writes(TERN_REG_CORE_SEMAPHORE_DEC) && may_help(queue.condition, Change::kDown));
}

class Explanation {
 public:
  Explanation(const Executable& program, const StalledCore& core) : program_(program), core_(core) {
    for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
      if (core_.queues[q].running) ahead_[q] = still_ahead(program_.queues[q], core_.queues[q].pc);
    }
  }

  std::string text() {
    for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
      if (waits(q)) describe(q);
    }
    const std::vector<unsigned> cycle = find_cycle();
    if (!cycle.empty()) {
      std::string line = queue_name(cycle.front());
      for (std::size_t i = 1; i < cycle.size(); ++i) line += " waits for " + queue_name(cycle[i]);
      add("cycle: " + line + (cycle.size() == 2 ? ": itself" : ""));
    }
    return text_;
  }

 private:
  bool waits(unsigned queue) const {
    return core_.queues[queue].running && core_.queues[queue].condition != TERN_WAIT_COND_NONE;
  }
  void add(const std::string& line) { text_ += (text_.empty() ? "  " : "\n  ") + line; }

  void describe(unsigned queue) {
    const StalledCore::Queue& state = core_.queues[queue];
    add(instruction_place(program_, queue, state.pc));
    add("  waits for " + condition_text(state));
    bool anybody = false;
    for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) anybody |= signalled_by_queue(queue, q);
    for (const auto& ring : program_.rings) anybody |= signalled_by_ring(queue, ring.first);
    if (!anybody) add("  which nothing will change: " + behind(state));
  }

  // Instructions of `other` that would change the semaphore `queue` waits for.
  bool signalled_by_queue(unsigned queue, unsigned other) {
    const StalledCore::Queue& state = core_.queues[queue];
    const std::vector<std::size_t> found =
        indices(other, true, [&](const tern_instruction_t& in) { return signals(in, state); });
    if (found.empty()) return false;
    name("  which would be changed by ", other, found);
    edges_[queue].insert(other);
    return true;
  }

  bool signalled_by_ring(unsigned queue, unsigned ring) {
    const StalledCore::Queue& state = core_.queues[queue];
    std::size_t pairs = 0, done = 0, held = 0;
    std::set<unsigned> missing;  // engines with such pairs that have not been released
    bool stopped = false;
    for (unsigned e = 0; e < Executable::kEngines; ++e) {
      const auto& descriptors = program_.rings.at(ring)[e];
      const auto known = core_.rings.find(ring);
      const StalledCore::Ring at =
          known == core_.rings.end() ? StalledCore::Ring{} : known->second[e];
      std::size_t i = 0;
      for (const DescriptorPair& pair : descriptors) {
        const std::size_t number = i++;
        if (!changes(pair.destination, state)) continue;
        ++pairs;
        if (number < at.done) {
          ++done;
        } else if (at.stopped) {
          stopped = true;
        } else if (number < at.released) {
          ++held;
        } else {
          missing.insert(e);
        }
      }
    }
    if (pairs == done) return false;
    add("  which would be changed by " + std::to_string(pairs) + " DMA descriptors of ring " +
        std::to_string(ring) + ": " + std::to_string(done) + " done" +
        (stopped ? ", the ring was stopped by an error" : "") +
        (held != 0 ? ", " + std::to_string(held) + " released in an incomplete packet" : "") +
        (missing.empty() ? ""
                         : ", " + std::to_string(pairs - done - held) + " not released (engines " +
                               std::to_string(*missing.begin()) + ".." +
                               std::to_string(*missing.rbegin()) + ")"));
    if (missing.empty()) return true;
    bool anybody = false;
    for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
      const std::vector<std::size_t> found = indices(q, true, [&](const tern_instruction_t& in) {
        return in.header.opcode == TERN_OPCODE_DMA_TRIGGER && in.dma_trigger.ring == ring &&
               std::any_of(missing.begin(), missing.end(),
                           [&](unsigned e) { return in.dma_trigger.count[e] != 0; });
      });
      if (found.empty()) continue;
      name("    released by ", q, found);
      edges_[queue].insert(q);
      anybody = true;
    }
    if (!anybody) add("    and no dma_trigger of ring " + std::to_string(ring) + " is ahead");
    return true;
  }

  static bool signals(const tern_instruction_t& in, const StalledCore::Queue& state) {
    if (state.for_event()) return changes_event(in.header, state);
    const unsigned opcode = in.header.opcode;
    const bool ends =
        (opcode == TERN_OPCODE_DMA_COPY && in.dma_copy.semaphore == state.semaphore) ||
        (opcode == TERN_OPCODE_DMA_INDIRECT && in.dma_indirect.semaphore == state.semaphore);
    if (ends && may_help(state.condition, Change::kUp)) return true;
    const auto change = change_of(in.header);
    return change && in.header.upd_sem == state.semaphore && may_help(state.condition, *change);
  }

  // Instructions of a queue that may still execute (or those that will not).
  template <typename Matches>
  std::vector<std::size_t> indices(unsigned queue, bool ahead, Matches matches) const {
    std::vector<std::size_t> found;
    const auto& program = program_.queues[queue];
    for (std::size_t i = 0; i < program.size(); ++i) {
      const bool comes = i < ahead_[queue].size() && ahead_[queue][i];
      if (comes == ahead && program[i].header.opcode != TERN_OPCODE_EXTEND && matches(program[i]))
        found.push_back(i);
    }
    return found;
  }

  void name(const std::string& start, unsigned queue, const std::vector<std::size_t>& found) {
    for (std::size_t i = 0; i < std::min(found.size(), kShown); ++i) {
      const auto index = static_cast<std::uint32_t>(found[i]);
      add((i == 0 ? start : std::string(start.size(), ' ')) +
          instruction_place(program_, queue, index) +
          (index == core_.queues[queue].pc ? ", when it has executed" : ", still ahead"));
    }
    if (found.size() > kShown) {
      add(std::string(start.size(), ' ') + "and " + std::to_string(found.size() - kShown) +
          " more of the " + queue_name(queue) + " queue");
    }
  }

  // Instructions of the program that would have changed it, but are already past.
  std::string behind(const StalledCore::Queue& state) const {
    std::string text;
    for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
      const std::size_t count = indices(q, false, [&](const tern_instruction_t& in) {
                                  return signals(in, state);
                                }).size();
      if (count == 0) continue;
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " of the " + queue_name(q) +
              " queue";
    }
    if (text.empty())
      return std::string("no instruction and no DMA descriptor of ") +
             (has_other_parts() ? "this part does" : "the program does");
    return "instructions that do are all past (" + text + ")";
  }

  bool has_other_parts() const {
    for (const auto& [number, engines] : program_.rings) {
      for (const auto& descriptors : engines) {
        if (std::any_of(descriptors.begin(), descriptors.end(), [](const DescriptorPair& pair) {
              return names_peer(pair.source) || names_peer(pair.destination);
            }))
          return true;
      }
    }
    return false;
  }

  // Queues that wait in a cycle, the first one again at the end; empty if there is none.
  std::vector<unsigned> find_cycle() const {
    std::vector<unsigned> path;
    std::set<unsigned> finished;
    for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
      if (follow(q, &path, &finished)) return path;
    }
    return {};
  }
  bool follow(unsigned queue, std::vector<unsigned>* path, std::set<unsigned>* finished) const {
    const auto start = std::find(path->begin(), path->end(), queue);
    if (start != path->end()) {
      path->erase(path->begin(), start);
      path->push_back(queue);
      return true;
    }
    if (finished->count(queue) != 0 || !waits(queue)) return false;
    path->push_back(queue);
    for (const unsigned next : edges_[queue]) {
      if (follow(next, path, finished)) return true;
    }
    path->pop_back();
    finished->insert(queue);
    return false;
  }

  const Executable& program_;
  const StalledCore& core_;
  std::array<std::vector<bool>, TERN_QUEUE_COUNT> ahead_;
  std::array<std::set<unsigned>, TERN_QUEUE_COUNT> edges_;  // queue -> those it waits for
  std::string text_;
};

}  // namespace

std::string instruction_place(const Executable& program, unsigned queue, std::uint32_t index) {
  std::string text = queue_name(queue) + " queue, instruction " + std::to_string(index);
  if (queue >= TERN_QUEUE_COUNT || index >= program.queues[queue].size()) return text;
  text += " (" + opcode_name(program.queues[queue][index].header.opcode) + ")";
  const auto& origins = program.origins[queue];
  if (index < origins.size()) text += ", from " + origins[index];
  return text;
}

std::string condition_text(const StalledCore::Queue& queue) {
  static const char* const kText[] = {"", "==", "!=", ">=", ">", "<=", "<", "=="};
  const unsigned condition = queue.condition;
  return (queue.for_event() ? "event " : "semaphore ") + std::to_string(queue.semaphore) + " " +
         (condition < sizeof kText / sizeof *kText ? kText[condition] : "?") + " " +
         std::to_string(queue.operand) + ", it is " + std::to_string(queue.value);
}

std::string explain_deadlock(const Executable& program, const StalledCore& core) {
  return Explanation(program, core).text();
}

}  // namespace tern::runtime
