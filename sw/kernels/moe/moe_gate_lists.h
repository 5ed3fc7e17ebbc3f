// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/moe/moe.h"

namespace tern::kernels {

// The gate's state in SBUF: FP32, [128, blocks, experts] or [128, blocks, 8].
struct MoeChoice {
  Tile mask;     // 1 where the expert is chosen
  Tile gates;    // weights of the chosen experts, 0 elsewhere
  Tile chosen;   // 8 for each token: negated numbers of the chosen experts, descending
  Tile numbers;  // [128, experts]: 0, 1, 2, ...
  Tile hits;     // [128, experts], bf16: chosen by the tokens of this partition
  Tile totals;   // [128, experts]: chosen by all tokens, on every partition
};

// Each expert's tokens by number (output `lists`).
void store_moe_lists(KernelBuilder& kb, const MoeSpec& spec, const MoeChoice& choice);
// Each token's rows in the matrix sorted by expert (outputs `slots`, `weights`).
void store_moe_slots(KernelBuilder& kb, const MoeSpec& spec, const MoeChoice& choice);

}  // namespace tern::kernels
