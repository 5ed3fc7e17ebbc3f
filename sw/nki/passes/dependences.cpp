// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/passes/dependences.h"

#include <algorithm>
#include <array>
#include <deque>
#include <string_view>
#include <unordered_map>

#include "sw/nki/passes/touched_bytes.h"

namespace tern::nki {

namespace {

bool continues_reduction(const Instruction& instruction) {
  const ReduceCommand command = instruction.options.reduce_command;
  return command == ReduceCommand::kReduce || command == ReduceCommand::kLoadReduce;
}

bool uses_generator(std::string_view name) {
  return name == "rng" || name == "rand2" || name == "dropout" || name == "set_rng_seed" ||
         name == "rand_set_state" || name == "rand_get_state";
}

class Search {
 public:
  Search(const Kernel& kernel, std::size_t reach) : kernel_(kernel), reach_(reach) {
    written_.resize(kernel.storages.size());
    for (const StoragePtr& storage : kernel.storages) {
      written_[storage->id] = storage->address.has_value();  // perhaps under another name
    }
    for (const Instruction& instruction : kernel.instructions) {
      for (const Operand& operand : instruction.operands) {
        if (operand.rule->writes()) written_[operand.view.storage().id] = true;
      }
      reductions_continue_ = reductions_continue_ || continues_reduction(instruction);
    }
    for (const Kernel::Edge& edge : kernel.edges) of_call_[edge.before];
  }

  // Those of instruction `number`, to be called in program order.
  const std::vector<Predecessor>& of(std::size_t number) {
    found_.clear();
    const auto self = static_cast<std::uint32_t>(number);
    const Instruction& instruction = kernel_.instructions[number];
    for (const bool writes : {false, true}) {
      for (const Operand& operand : instruction.operands) {
        const bool applies = writes ? operand.rule->writes() : operand.rule->reads();
        if (applies && written_[operand.view.storage().id])
          touch(self, instruction, operand, writes);
      }
    }
    states(self, instruction);
    edges(self, instruction.call);
    put_in_order();
    return found_;
  }

 private:
  struct Touch {
    std::uint32_t instruction = 0;
    TouchedBytes bytes;
  };
  struct Touches {
    std::deque<Touch> reads, writes;  // oldest first
  };

  void touch(std::uint32_t self, const Instruction& instruction, const Operand& operand,
             bool writes) {
    TouchedBytes bytes(instruction, operand);
    Touches& touches = touches_[bytes.memory()];
    forget(self, &touches.reads);
    forget(self, &touches.writes);
    for (const Touch& write : touches.writes) {
      if (write.instruction != self && write.bytes.meets(bytes)) {
        found_.push_back({write.instruction, !writes});
      }
    }
    if (!writes) {
      touches.reads.push_back({self, std::move(bytes)});
      return;
    }
    for (const Touch& read : touches.reads) {
      if (read.instruction != self && read.bytes.meets(bytes)) {
        found_.push_back({read.instruction, false});
      }
    }
    // This one comes after what it covers, and later ones after this.
    for (std::deque<Touch>* all : {&touches.reads, &touches.writes}) {
      all->erase(std::remove_if(all->begin(), all->end(),
                                [&](const Touch& touch) { return bytes.covers(touch.bytes); }),
                 all->end());
    }
    touches.writes.push_back({self, std::move(bytes)});
  }

  void forget(std::uint32_t self, std::deque<Touch>* touches) const {
    while (!touches->empty() && touches->front().instruction + reach_ < self) touches->pop_front();
  }

  void states(std::uint32_t self, const Instruction& instruction) {
    const auto engine = static_cast<unsigned>(instruction.options.engine.value_or(Engine::kTensor));
    const bool reduces = instruction.options.reduce_command != ReduceCommand::kIdle ||
                         instruction.find("reduce_res") != nullptr;
    if (reductions_continue_ && reduces) after(self, &last_reduction_[engine]);
    if (uses_generator(instruction.signature->name)) after(self, &last_random_[engine]);
    if (instruction.exchanges()) after(self, &last_exchange_);
    if (instruction.block != 0) {
      if (instruction.block != block_) last_in_block_ = kNone;
      block_ = instruction.block;
      after(self, &last_in_block_);
    }
  }

  // What the author wants complete first.
  void edges(std::uint32_t self, std::uint32_t call) {
    for (const Kernel::Edge& edge : kernel_.edges) {
      if (edge.after == call) {
        for (const std::uint32_t before : of_call_[edge.before]) found_.push_back({before, true});
      }
    }
    const auto found = of_call_.find(call);
    if (found != of_call_.end()) found->second.push_back(self);
  }

  void after(std::uint32_t self, std::uint32_t* last) {
    if (*last != kNone) found_.push_back({*last, false});
    *last = self;
  }

  // Each once.
  void put_in_order() {
    std::sort(found_.begin(), found_.end(), [](const Predecessor& a, const Predecessor& b) {
      return a.instruction != b.instruction ? a.instruction < b.instruction
                                            : a.reads_result > b.reads_result;
    });
    found_.erase(std::unique(found_.begin(), found_.end(),
                             [](const Predecessor& a, const Predecessor& b) {
                               return a.instruction == b.instruction;
                             }),
                 found_.end());
  }

  static constexpr std::uint32_t kNone = 0xffffffff;
  static constexpr unsigned kEngines = 8;

  const Kernel& kernel_;
  std::size_t reach_;
  std::vector<bool> written_;  // by storage: by the kernel
  bool reductions_continue_ = false;
  std::unordered_map<std::uint64_t, Touches> touches_;
  std::array<std::uint32_t, kEngines> last_reduction_ = all_none(), last_random_ = all_none();
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> of_call_;  // those of edges
  unsigned block_ = 0;
  std::uint32_t last_in_block_ = kNone, last_exchange_ = kNone;
  std::vector<Predecessor> found_;

  static std::array<std::uint32_t, kEngines> all_none() {
    std::array<std::uint32_t, kEngines> none{};
    none.fill(kNone);
    return none;
  }
};

}  // namespace

Dependences::Dependences(const Kernel& kernel, std::size_t reach) {
  Search search(kernel, reach);
  begin_.push_back(0);
  for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
    const std::vector<Predecessor>& found = search.of(i);
    all_.insert(all_.end(), found.begin(), found.end());
    begin_.push_back(all_.size());
  }
}

}  // namespace tern::nki
