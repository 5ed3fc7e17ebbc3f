// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "systemc/mgmt/board/board.h"
#include "systemc/mgmt/profile/call_stack.h"
#include "systemc/mgmt/profile/call_tree.h"
#include "systemc/mgmt/profile/elf_symbols.h"
#include "systemc/mgmt/profile/instruction_trace.h"

namespace tern::mgmt {

// Looks at every instruction of a board: writes them as text, counts them by function and callers.
class Profiler : public InstructionObserver {
 public:
  struct Options {
    InstructionTrace* trace = nullptr;                   // null: no text
    sc_core::sc_time from, to = sc_core::sc_max_time();  // of the text, in simulated time
    bool profile = false;
  };

  // All must outlive it.
  Profiler(Board& board, const Symbols& symbols, const Options& options);

  void instruction(unsigned number, const riscv::Hart& hart, const sc_core::sc_time& at) override;
  const CallTree& tree() const { return tree_; }

 private:
  struct HartPlace {
    std::size_t root = 0;              // of the hart in the tree
    std::size_t node = 0;              // where it is
    std::uint64_t begin = 1, end = 0;  // addresses for which that holds
    CallStack stack;
  };
  std::uint32_t word_at(const riscv::Hart& hart, std::uint64_t pc);
  void count(HartPlace& place, std::uint64_t pc, std::uint32_t word);

  Board& board_;
  const Symbols& symbols_;
  const Options options_;
  CallTree tree_;
  std::vector<HartPlace> harts_;
};

}  // namespace tern::mgmt
