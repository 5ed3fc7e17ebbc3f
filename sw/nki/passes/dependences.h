// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/nki/trace/kernel.h"

namespace tern::nki {

// What must come before an instruction: instructions that touch the same bytes, one of them
// writing; those that share a state of their engine; those of a block without reordering. Sets of
// bytes are exact. Of tensors with addresses they are those of the memory, of others those of the
// tensor.
struct Predecessor {
  std::uint32_t instruction = 0;  // by number
  bool reads_result = false;
};

class Dependences {
 public:
  // Those on instructions at most `reach` earlier; others hold if nothing moves further.
  Dependences(const Kernel& kernel, std::size_t reach);

  struct Range {
    const Predecessor *first, *last;
    const Predecessor* begin() const { return first; }
    const Predecessor* end() const { return last; }
  };
  Range of(std::size_t instruction) const {
    return {all_.data() + begin_[instruction], all_.data() + begin_[instruction + 1]};
  }

 private:
  std::vector<Predecessor> all_;
  std::vector<std::size_t> begin_;
};

}  // namespace tern::nki
