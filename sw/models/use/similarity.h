// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sw/collectives/schedule.h"
#include "sw/config/chip_config.h"
#include "sw/runtime/executable.h"

namespace tern::use {

// Cosines of embeddings with embeddings. The program's inputs are `names`: matrices [rows, 512] in
// FP32 whose rows have length 1. Its output is "similarities", FP32, [all rows, rows of the first].
// Element (i, j) is that of row i of all of them, one below the other, and row j of the first.
// Products are in FP32.
struct Embeddings {
  std::string name;
  unsigned rows = 0;  // at most 128
};
// Of ranks that have different embeddings: those of the first one's first are compared with, so it
// sends them to the others, in a tensor "queries" of each.
struct SimilarityPart {
  unsigned ranks = 1, rank = 0;
  unsigned queries = 0;                                      // rows of the first one's first
  std::shared_ptr<const collectives::Schedule> broadcast{};  // verified, of that many ranks
};
Executable build_similarities(const std::vector<Embeddings>& inputs, const ChipConfig& chip,
                              const SimilarityPart& part = {});

}  // namespace tern::use
