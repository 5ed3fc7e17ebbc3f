// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "sw/config/chip_config.h"
#include "sw/nki/trace/instruction.h"

namespace tern::nki {

// A kernel as it is traced: its tensors, and its instructions in program order. Passes rewrite it
// (sw/nki/passes).
class Kernel {
 public:
  Kernel(std::string name, ChipConfig chip) : name_(std::move(name)), chip_(std::move(chip)) {}

  const std::string& name() const { return name_; }
  const ChipConfig& chip() const { return chip_; }

  // The one object of a place; it lives as long as the kernel.
  const Site* site(std::vector<Site::Frame> frames);

  // Tensors. Names are made unique. Throws NkiError for a shape that the memory does not hold.
  StoragePtr add_hbm(const std::string& name, Role role, const ElementType* type,
                     std::vector<std::int64_t> shape, const Site* site);
  StoragePtr add_on_chip(const std::string& name, Memory memory, const ElementType* type,
                         std::vector<std::int64_t> shape, std::optional<ChipAddress> address,
                         const Site* site);

  // Appends a call. Throws NkiError for an operand that the function does not take. An argument of
  // the kernel that is written becomes one that is updated.
  void record(Instruction instruction);

  // One of the programs of a launch, each for a core.
  unsigned program = 0, programs = 1;
  // One of the ranks that run it with tensors of their own, each a core.
  unsigned rank = 0, ranks = 1;
  std::vector<StoragePtr> storages;
  std::vector<Instruction> instructions;
  // Calls whose instructions begin when those of another are complete, by number.
  struct Edge {
    std::uint32_t after = 0, before = 0;
  };
  std::vector<Edge> edges;
  // NKI 0.1: passes choose engines and memories as AWS's compiler of that time (docs/fidelity.md).
  bool old_style = false;
  unsigned block = 0;  // without reordering, of instructions that are recorded now; 0: none

  // Iterations of loops that unroll, by number from 1 on: the one around each, 0: none. Only the
  // old style tells them.
  std::vector<unsigned> outer_iterations;
  unsigned iteration = 0;  // of instructions that are recorded now
  unsigned begin_iteration(unsigned outer);

  struct Spilled {  // bytes that SBUF does not hold (passes/spill)
    std::int64_t stored = 0, loaded = 0;
    std::int64_t repeated = 0;  // by loads of the author's once more
  };
  Spilled spilled;

  // Dynamic loops by number from 1 on: the one around each, 0: none. Tensors of a loop keep no
  // value from one iteration to the next.
  std::vector<unsigned> outer_loops;
  std::vector<unsigned> open_loops;  // now, the innermost last
  bool is_inside(unsigned loop, unsigned outer) const;

 private:
  StoragePtr add(Storage storage);
  // It is one of this kernel, and still holds something in this loop.
  void check_tensor(const Operand& operand, unsigned loop) const;

  std::string name_;
  ChipConfig chip_;
  std::deque<Site> sites_;
  std::map<std::string, unsigned> names_;  // how many tensors have had it
  std::int64_t hbm_bytes_ = 0;             // of all tensors there
};

}  // namespace tern::nki
