// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sw/base/source_line.h"
#include "sw/kernels/builder/dma/dma_plan.h"
#include "sw/kernels/builder/memory/hazards.h"
#include "sw/spec/generated/isa.h"

namespace tern::kernels {

// One instruction of a loop's body as it was written, before waits and registers.
struct LoopStep {
  struct Copy {
    DmaAddress destination, source;
  };
  struct Transfer {
    TileView tile;
    TensorView tensor;
    DmaDirection direction;
    unsigned ring = 0;
    std::optional<Copy> copy = {};  // addresses of a dma_copy; none of a dma_trigger
  };
  unsigned queue = 0;
  tern_instruction_t instruction{};
  tern_instr_extend_t extension{};
  const char* name = "";
  SourceLine where;
  std::vector<HazardMap::Access> accesses;
  std::optional<Transfer> transfer;
};
using LoopIteration = std::vector<LoopStep>;

// Increments of the addresses of a step's instruction per iteration, in bytes: dst, src0 (src),
// src1. A triggered transfer's addresses are in its descriptors.
using AddressSteps = std::array<std::int32_t, 3>;

// Iterations, each of which is the first one with addresses moved by the same steps.
struct FoldedLoop {
  std::vector<LoopIteration> iterations;
  std::vector<AddressSteps> steps;  // per position in the body
};

// Finds the shortest body of 1..kMaxIterationsPerBody iterations that makes up the loop at least
// twice, so that pools of tiles repeat. If there is none: nothing, and the reason with the line.
constexpr unsigned kMaxIterationsPerBody = 8;
std::optional<FoldedLoop> fold_loop(const std::vector<LoopIteration>& iterations,
                                    std::string* reason);

}  // namespace tern::kernels
