// SPDX-License-Identifier: Apache-2.0
// One pass over the instructions. A tile that comes back is a tensor of its own, so that the
// scheduler and the addresses see short lifetimes.
#include <limits>
#include <set>
#include <utility>

#include "sw/nki/passes/spill.h"

namespace tern::nki {

namespace {

class Spiller {
 public:
  Spiller(Kernel& kernel, std::int64_t bytes)
      : kernel_(kernel), bytes_(bytes), use_(kernel), states_(use_.tensors.size()) {}

  bool run() {
    std::vector<Instruction> written = std::move(kernel_.instructions);
    kernel_.instructions.clear();
    for (std::size_t i = 0; i < written.size(); ++i) {
      if (!make_room(i, written[i])) return false;
      for (const std::size_t tensor : use_.needed[i]) bring(tensor);
      add(i, std::move(written[i]));
    }
    return true;
  }

 private:
  struct State {
    StoragePtr now;    // where it is on chip; null: not there
    StoragePtr saved;  // its tensor in HBM
    bool is_saved = false;
    std::size_t next = 0;               // of its uses
    std::size_t loads = 0;              // of its loads that have been issued
    std::vector<Instruction> contents;  // these, for a tensor that is nothing but loads
    bool begun = false;
  };

  std::size_t next_use(std::size_t tensor) const {
    const auto& uses = use_.tensors[tensor].uses;
    const std::size_t next = states_[tensor].next;
    return next < uses.size() ? uses[next] : std::numeric_limits<std::size_t>::max();
  }

  bool make_room(std::size_t i, const Instruction& instruction) {
    std::int64_t more = 0;
    for (const std::size_t tensor : use_.needed[i]) {
      if (!states_[tensor].now) more += use_.tensors[tensor].bytes;
      resident_.erase({next_use(tensor), tensor});  // not these
    }
    while (held_ + more > bytes_ && !resident_.empty()) {
      const std::size_t last = resident_.rbegin()->second;
      resident_.erase(std::prev(resident_.end()));
      drop(last, instruction.site);
    }
    return held_ + more <= bytes_;
  }

  void drop(std::size_t tensor, const Site* site) {
    State& state = states_[tensor];
    const SbufUse::Tensor& of = use_.tensors[tensor];
    if (!of.only_loads && !state.is_saved) {
      if (!state.saved) {
        state.saved = kernel_.add_hbm(of.storage->name + ".spilled", Role::kScratch,
                                      of.storage->type, of.storage->shape, of.storage->site);
      }
      emit(View(state.saved), View(state.now), "spill", site);
      kernel_.spilled.stored += of.storage->bytes();
      state.is_saved = true;
    }
    state.now = nullptr;
    held_ -= of.bytes;
  }

  void bring(std::size_t tensor) {
    State& state = states_[tensor];
    if (state.now) return;
    const SbufUse::Tensor& of = use_.tensors[tensor];
    held_ += of.bytes;
    if (!state.begun) {
      state.now = of.storage;
      state.begun = true;
      return;
    }
    state.now = kernel_.add_on_chip(of.storage->name + ".again", Memory::kSbuf, of.storage->type,
                                    of.storage->shape, std::nullopt, of.storage->site);
    if (!of.only_loads) {
      emit(View(state.now), View(state.saved), "reload", of.storage->site);
      kernel_.spilled.loaded += of.storage->bytes();
      return;
    }
    for (const Instruction& load : state.contents) {
      emit(load.at("dst").on(state.now), load.at("src"), "load again", load.site);
      kernel_.spilled.repeated += load.at("dst").elements() * load.at("dst").type()->bytes();
    }
  }

  // The instruction itself, with its tensors where they are now.
  void add(std::size_t i, Instruction instruction) {
    for (const std::size_t tensor : use_.needed[i]) {
      State& state = states_[tensor];
      const SbufUse::Tensor& of = use_.tensors[tensor];
      if (state.loads < of.loads.size() && of.loads[state.loads] == i) {
        ++state.loads;
        if (of.only_loads && of.uses.size() > 1) state.contents.push_back(instruction);
      }
      for (Operand& operand : instruction.operands) {
        if (operand.view.storage_ptr() != of.storage) continue;
        if (operand.rule->writes()) state.is_saved = false;
        if (state.now != of.storage) operand.view = operand.view.on(state.now);
      }
      ++state.next;
      if (state.next == of.uses.size()) {
        state.now = nullptr;
        state.contents.clear();
        held_ -= of.bytes;
      } else if (!of.stays) {
        resident_.insert({next_use(tensor), tensor});
      }
    }
    kernel_.instructions.push_back(std::move(instruction));
  }

  void emit(const View& dst, const View& src, const char* name, const Site* site) {
    kernel_.instructions.push_back(transfer_of(dst, src, name, site));
  }

  Kernel& kernel_;
  std::int64_t bytes_, held_ = 0;
  SbufUse use_;
  std::vector<State> states_;
  std::set<std::pair<std::size_t, std::size_t>> resident_;  // those that may go, by their next use
};

}  // namespace

bool spill_tiles(Kernel& kernel, std::int64_t bytes) {
  return Spiller(kernel, bytes).run();
}

}  // namespace tern::nki
