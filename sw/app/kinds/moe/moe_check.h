// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/reference/kernels/moe.h"

namespace tern::app {

// What the chip says of a layer.
struct MoeResult {
  std::vector<float> gates, chosen, out;  // [tokens, experts], [tokens, top_k], [tokens, width]
  std::vector<std::uint32_t> counts;
};

// Against FP64. A choice is right if no other expert's logit lies above it by more than both
// logits' rounding errors; weights and outputs are compared for the experts that were chosen.
struct MoeCheck {
  std::uint64_t wrong_choices = 0;  // tokens
  double logit_bound = 0;           // rounding error of a logit
  double gate_error = 0, gate_tolerance = 0;
  double out_error = 0, out_tolerance = 0;  // |difference| / max(1, |expected|)
  std::uint64_t tokens = 0, tokens_computed = 0;
  bool counts_agree = true;
  std::string first_fault;  // empty: none
  bool passed() const { return first_fault.empty(); }
};

MoeCheck check_moe(const reference::Moe& moe, const MoeResult& result);

}  // namespace tern::app
