// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sw/kernels/attention_plan.h"
#include "sw/kernels/builder/limits.h"

namespace tern::kernels {

namespace {

constexpr double kLeastMoving = 64;  // cycles of the tensor engine between two products

double at_least(double least, double cycles) {
  return std::max(least, cycles);
}

}  // namespace

// Transposes are not counted: they run beside products.
AttentionCost attention_cost(const AttentionSpec& spec, const ChipConfig& chip) {
  const AttentionPlan plan(spec, chip);
  const bool on_vector = spec.exp == AttentionExp::kVector;
  const double vector = chip.core.vector.min_interval, scalar = chip.core.scalar.min_interval;
  AttentionCost cost;
  for (const AttentionGroup& group : plan.groups) {
    const unsigned rows = plan.items[group.item].rows;
    const unsigned blocks = group.keys / kPartitions, rest = group.keys % kPartitions;
    for (unsigned key = 0; key < group.keys; key += kPsumBankColumns) {
      const double keys = std::min(kPsumBankColumns, group.keys - key);
      cost.tensor += at_least(kLeastMoving, keys);
      cost.scalar += at_least(scalar, keys);
      if (!on_vector) cost.vector += at_least(vector, keys);
    }
    cost.tensor += (blocks + (rest > 0 ? 1 : 0)) * at_least(kLeastMoving, spec.d);
    if (on_vector) {
      const double rate = std::max(1u, chip.core.vector.exp_per_cycle);
      cost.vector += at_least(vector, group.keys / rate) + vector;
    } else {
      cost.scalar += scalar;
    }
    if (blocks > 0) cost.vector += at_least(vector, blocks * rows / 2.0);
    if (rest > 0) cost.vector += at_least(vector, rows / 2.0);
  }
  for (const AttentionItem& item : plan.items) {
    if (on_vector) cost.scalar += scalar;
    if (!item.first) {
      (on_vector ? cost.vector : cost.scalar) += on_vector ? vector : scalar;
      cost.vector += at_least(vector, 2.0 * spec.d);
    }
    if (item.first) cost.vector += at_least(vector, spec.d);
    if (item.last) cost.vector += vector;
    cost.gpsimd += chip.core.gpsimd.min_interval;
  }
  const double sweeps =
      plan.sweep == 1 ? 1 : (spec.queries + AttentionPlan::kQueries - 1) / AttentionPlan::kQueries;
  const double elements = static_cast<double>(spec.heads) * spec.d;
  const double keys = spec.causal && sweeps > 1 ? spec.keys : spec.keys * sweeps;
  cost.bytes = elements * (spec.queries * (2.0 + numerics::dtype_size(spec.output)) + 4.0 * keys);
  return cost;
}

}  // namespace tern::kernels
