// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

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
Executable build_similarities(const std::vector<Embeddings>& inputs, const ChipConfig& chip);

}  // namespace tern::use
