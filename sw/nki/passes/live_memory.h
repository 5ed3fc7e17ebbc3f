// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sw/nki/trace/kernel.h"

namespace tern::nki {

// How much of SBUF and PSUM the tensors hold whose first instruction has been taken and whose last
// has not. Tensors that the author has placed hold their places throughout.
class LiveMemory {
 public:
  explicit LiveMemory(const Kernel& kernel);

  // Whether an instruction's new tensors fit into these parts of the memories.
  bool has_room(const Instruction& instruction, double part) const;
  void take(const Instruction& instruction);
  // The largest part of SBUF that tensors hold in the order of the kernel.
  double most() const { return most_; }

 private:
  struct Use {
    unsigned instructions = 0;  // that are still to come
    bool begun = false;
  };
  template <typename Function>
  static void each_storage(const Instruction& instruction, Function function);

  std::vector<Use> uses_;                         // by storage
  std::array<std::int64_t, 2> bytes_{}, held_{};  // SBUF, PSUM
  double most_ = 0;
};

}  // namespace tern::nki
