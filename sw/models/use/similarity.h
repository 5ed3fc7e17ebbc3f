// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/config/chip_config.h"
#include "sw/runtime/executable.h"

namespace tern::use {

// Cosines of embeddings with embeddings: a program with the inputs `names`, matrices [rows, 512] in
// FP32 whose rows have length 1, and the output similarities (fp32), [all rows, rows of the first]:
// element (i, j) is that of row i of all of them, one below the other, and row j of the first.
// Products in FP32.
struct Embeddings {
  std::string name;
  unsigned rows = 0;  // at most 128
};
Executable build_similarities(const std::vector<Embeddings>& inputs, const ChipConfig& chip);

}  // namespace tern::use
