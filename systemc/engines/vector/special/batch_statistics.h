// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "sw/spec/generated/isa.h"

// bn_stats and bn_aggr on one partition's row (docs/numerics.md, section 3). They need the default
// floating-point modes: see ScopedFpModes.
namespace tern {

constexpr std::size_t kBatchStatisticsElements =
    TERN_LIMIT_BN_STATS_ELEMENTS;  // maximum of one bn_stats

// Elements, their mean, and the sum of their squared deviations from it.
struct BatchGroup {
  float count = 0, mean = 0, sum = 0;
};

// The count elements values[0], values[stride], ... in two passes.
BatchGroup batch_group(const float* values, std::size_t count, std::size_t stride);

// bn_stats: the groups of the even and of the odd elements, in sequence in results[0..5].
void batch_statistics(const float* values, std::size_t count, float* results);

// bn_aggr: merges `groups` triples, in their order; results[0] = mean, results[1] = variance, both
// NaN if nothing was counted.
void batch_aggregate(const float* triples, std::size_t groups, float* results);

}  // namespace tern
