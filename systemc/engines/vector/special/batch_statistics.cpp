// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/vector/special/batch_statistics.h"

#include "sw/numerics/alu.h"

namespace tern {

using numerics::add;
using numerics::divide;
using numerics::multiply;
using numerics::subtract;

BatchGroup batch_group(const float* values, std::size_t count, std::size_t stride) {
  if (count == 0) return {};
  BatchGroup group;
  group.count = static_cast<float>(count);
  group.mean = divide(numerics::reduce(values, count, stride, add), group.count);
  for (std::size_t i = 0; i < count; ++i) {
    const float deviation = subtract(values[i * stride], group.mean);
    group.sum = add(group.sum, multiply(deviation, deviation));
  }
  return group;
}

void batch_statistics(const float* values, std::size_t count, float* results) {
  for (std::size_t parity = 0; parity < 2; ++parity) {
    const BatchGroup group = batch_group(values + parity, (count + 1 - parity) / 2, 2);
    *results++ = group.count;
    *results++ = group.mean;
    *results++ = group.sum;
  }
}

void batch_aggregate(const float* triples, std::size_t groups, float* results) {
  BatchGroup all;
  for (std::size_t i = 0; i < groups; ++i, triples += 3) {
    const BatchGroup group{triples[0], triples[1], triples[2]};
    if (group.count == 0.0f) continue;
    if (all.count == 0.0f) {
      all = group;
      continue;
    }
    const float count = add(all.count, group.count);
    const float delta = subtract(group.mean, all.mean);
    const float share = divide(group.count, count);
    const float between = multiply(multiply(delta, delta), multiply(all.count, share));
    all.mean = add(all.mean, multiply(delta, share));
    all.sum = add(add(all.sum, group.sum), between);
    all.count = count;
  }
  results[0] = all.count == 0.0f ? numerics::float_of(numerics::kCanonicalNan)
                                 : numerics::canonical(all.mean);
  results[1] = divide(all.sum, all.count);
}

}  // namespace tern
