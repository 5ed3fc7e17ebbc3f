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
  std::vector<StoragePtr> storages;
  std::vector<Instruction> instructions;
  // Calls whose instructions begin when those of another are complete, by number.
  struct Edge {
    std::uint32_t after = 0, before = 0;
  };
  std::vector<Edge> edges;
  // An engine that the author leaves open is Scalar, unless Vector takes more elements a cycle.
  bool prefers_scalar = false;
  unsigned block = 0;  // without reordering, of instructions that are recorded now; 0: none

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
