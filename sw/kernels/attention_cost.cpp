// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sw/kernels/attention_plan.h"
#include "sw/kernels/builder/memory/limits.h"

namespace tern::kernels {

namespace {

constexpr double kMinMoving = 64;  // cycles of the tensor engine between two products

double at_least(double least, double cycles) {
  return std::max(least, cycles);
}

double rate_of(const ChipConfig& chip) {
  return chip.core.vector.exp_per_cycle;
}

}  // namespace

// Transposes and masks are not counted: the former run parallel to products, the latter are few.
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
      cost.tensor += at_least(kMinMoving, keys);
      cost.scalar += at_least(scalar, keys);
      if (!on_vector) cost.vector += at_least(vector, keys);
    }
    cost.tensor += (blocks + (rest > 0 ? 1 : 0)) * at_least(kMinMoving, spec.d);
    if (blocks > 0) cost.vector += at_least(vector, blocks * rows / 2.0);
    if (rest > 0) cost.vector += at_least(vector, rows / 2.0);
  }
  for (const AttentionItem& item : plan.items) {
    cost.scalar += scalar;  // the maximum, or the sum, read out
    if (on_vector) {
      cost.vector += at_least(vector, item.keys / std::max(1.0, rate_of(chip))) + vector;
    } else {
      cost.scalar += scalar;  // minus the maximum
    }
    // Running maximum; factor and running sum; result.
    if (!item.first) {
      cost.vector += vector + at_least(vector, 2.0 * spec.d);
      (on_vector ? cost.vector : cost.scalar) += 2 * (on_vector ? vector : scalar);
    }
    if (item.first) cost.vector += at_least(vector, spec.d);
    if (item.last) cost.vector += vector + (item.first ? 0 : at_least(vector, spec.d));
  }
  const double sweeps =
      plan.sweep == 1 ? 1 : (spec.queries + AttentionPlan::kQueries - 1) / AttentionPlan::kQueries;
  const double elements = static_cast<double>(spec.heads) * spec.d;
  const double keys = spec.causal && sweeps > 1 ? spec.keys : spec.keys * sweeps;
  cost.bytes = elements * (spec.queries * (2.0 + numerics::dtype_size(spec.output)) + 4.0 * keys);
  return cost;
}

}  // namespace tern::kernels
