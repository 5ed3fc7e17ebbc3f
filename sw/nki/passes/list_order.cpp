// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/passes/list_order.h"

#include <algorithm>
#include <array>
#include <set>

#include "sw/nki/passes/live_memory.h"
#include "sw/nki/passes/queue_times.h"

namespace tern::nki {

namespace {

// Loads leave room for what is computed from them. In the old style, where tiles are kept and
// spilled, they take half of what the program as written leaves.
constexpr double kLoads = 0.5;

// Completions of instructions, and when the operands of the next ones are there.
class Completions {
 public:
  explicit Completions(const OrderInput& input)
      : input_(input), times_(input.kernel.chip()), complete_(input.costs.size()) {}

  double ready(std::uint32_t instruction) const {
    double time = 0;
    const Cost& cost = input_.costs[instruction];
    for (const Predecessor& predecessor : input_.dependences.of(instruction)) {
      const Cost& before = input_.costs[predecessor.instruction];
      const bool in_order = before.queue == cost.queue && !before.transfer && !cost.transfer &&
                            (cost.queue == TERN_QUEUE_TENSOR || !predecessor.reads_result);
      if (!in_order) time = std::max(time, complete_[predecessor.instruction]);
    }
    return time;
  }
  void issue(std::uint32_t instruction, const Cost& cost, double ready) {
    complete_[instruction] = times_.issue(cost, ready);
  }
  const QueueTimes& times() const { return times_; }

 private:
  const OrderInput& input_;
  QueueTimes times_;
  std::vector<double> complete_;
};

class ListOrder {
 public:
  ListOrder(const OrderInput& input, const OrderLimits& limits)
      : input_(input),
        limits_(limits),
        count_(input.costs.size()),
        completions_(input),
        memory_(input.kernel),
        pending_(count_),
        ready_at_(count_),
        taken_(count_) {
    find_successors();
    if (input.kernel.old_style) loads_ = std::max(kLoads, (memory_.most() + 1) / 2);
  }

  Order run() {
    Order order;
    order.instructions.reserve(count_);
    while (order.instructions.size() < count_) {
      while (entered_ < std::min(count_, oldest_ + limits_.window)) {
        if (pending_[entered_] == 0) offer(static_cast<std::uint32_t>(entered_));
        ++entered_;
      }
      const std::uint32_t next = choose();
      order.instructions.push_back(next);
      order.triggers.push_back(take(next));
    }
    order.end_ns = completions_.times().end();
    return order;
  }

 private:
  void find_successors() {
    first_successor_.assign(count_ + 1, 0);
    for (std::size_t i = 0; i < count_; ++i) {
      for (const Predecessor& predecessor : input_.dependences.of(i)) {
        ++first_successor_[predecessor.instruction + 1];
        ++pending_[i];
      }
    }
    for (std::size_t i = 0; i < count_; ++i) first_successor_[i + 1] += first_successor_[i];
    successors_.resize(first_successor_[count_]);
    std::vector<std::size_t> next(first_successor_.begin(), first_successor_.end() - 1);
    for (std::size_t i = 0; i < count_; ++i) {
      for (const Predecessor& predecessor : input_.dependences.of(i)) {
        successors_[next[predecessor.instruction]++] = static_cast<std::uint32_t>(i);
      }
    }
  }

  // Its dependences are met.
  void offer(std::uint32_t instruction) {
    ready_at_[instruction] = completions_.ready(instruction);
    offered_[input_.costs[instruction].queue].insert(instruction);
  }

  // The first that its queue can issue. The oldest of all may always go on: in program order the
  // memory is sufficient.
  std::uint32_t choose() const {
    auto best = static_cast<std::uint32_t>(oldest_);
    double first = 0;
    bool found = false;
    for (const std::set<std::uint32_t>& offered : offered_) {
      for (const std::uint32_t instruction : offered) {
        const Cost cost = by_best_queue(instruction);
        const double time = completions_.times().issue_time(cost, ready_at_[instruction]);
        if (found && (time > first || (time == first && instruction > best))) continue;
        if (!may_begin(instruction)) continue;
        best = instruction;
        first = time;
        found = true;
        if (time <= completions_.times().free_at(cost.queue)) break;  // none of it is earlier
      }
    }
    return best;
  }

  // A generator that is busy leaves the transfer to the other one, if that has its data move much
  // earlier.
  Cost by_best_queue(std::uint32_t instruction) const {
    constexpr double kEarlier = 200;  // ns
    Cost cost = input_.costs[instruction];
    if (!cost.transfer || !cost.transfer->either) return cost;
    Cost other = cost;
    other.queue = cost.queue == TERN_QUEUE_SYNC ? TERN_QUEUE_SCALAR : TERN_QUEUE_SYNC;
    const double ready = ready_at_[instruction];
    const double gain =
        completions_.times().data_time(cost, ready) - completions_.times().data_time(other, ready);
    return gain > kEarlier ? other : cost;
  }

  bool may_begin(std::uint32_t instruction) const {
    if (instruction == oldest_) return true;
    const double part = limits_.memory * (input_.costs[instruction].transfer ? loads_ : 1);
    return memory_.has_room(input_.kernel.instructions[instruction], part);
  }

  Trigger take(std::uint32_t instruction) {
    const Cost cost = by_best_queue(instruction);
    offered_[input_.costs[instruction].queue].erase(instruction);
    completions_.issue(instruction, cost, ready_at_[instruction]);
    memory_.take(input_.kernel.instructions[instruction]);
    taken_[instruction] = true;
    while (oldest_ < count_ && taken_[oldest_]) ++oldest_;
    for (std::size_t s = first_successor_[instruction]; s < first_successor_[instruction + 1];
         ++s) {
      const std::uint32_t successor = successors_[s];
      if (--pending_[successor] == 0 && successor < entered_) offer(successor);
    }
    if (!cost.transfer || !cost.transfer->either) return Trigger::kAny;
    return cost.queue == TERN_QUEUE_SYNC ? Trigger::kSync : Trigger::kScalar;
  }

  const OrderInput& input_;
  OrderLimits limits_;
  double loads_ = kLoads;
  std::size_t count_;
  Completions completions_;
  LiveMemory memory_;
  std::vector<std::size_t> first_successor_;
  std::vector<std::uint32_t> successors_;
  std::vector<unsigned> pending_;  // dependences that are not met
  std::vector<double> ready_at_;
  std::vector<bool> taken_;
  std::array<std::set<std::uint32_t>, TERN_QUEUE_COUNT> offered_;
  std::size_t oldest_ = 0, entered_ = 0;
};

}  // namespace

OrderInput::OrderInput(const Kernel& of, std::size_t widest) : kernel(of), dependences(of, widest) {
  costs.reserve(of.instructions.size());
  for (const Instruction& instruction : of.instructions) {
    costs.push_back(cost_of(instruction, of.chip()));
  }
}

Order program_order(const OrderInput& input) {
  Order order;
  Completions completions(input);
  for (std::uint32_t i = 0; i < input.costs.size(); ++i) {
    completions.issue(i, input.costs[i], completions.ready(i));
    order.instructions.push_back(i);
  }
  order.end_ns = completions.times().end();
  return order;
}

Order list_order(const OrderInput& input, const OrderLimits& limits) {
  return ListOrder(input, limits).run();
}

}  // namespace tern::nki
