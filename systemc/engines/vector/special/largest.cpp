// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/vector/special/largest.h"

#include <algorithm>
#include <numeric>

namespace tern {

namespace {

bool is_nan(float value) {
  return numerics::is_nan_bits(numerics::bits_of(value));
}

bool matches(float a, float b) {
  return a == b || (is_nan(a) && is_nan(b));
}

std::size_t find(const float* values, std::size_t from, std::size_t count, float sought) {
  const auto* match = std::find_if(values + from, values + count,
                                   [sought](float value) { return matches(value, sought); });
  return static_cast<std::size_t>(match - values);
}

}  // namespace

void largest8(const float* values, std::size_t count, float* results) {
  std::copy_n(values, kSearched, results);
  std::sort(results, results + kSearched,
            [](float a, float b) { return order_key(a) > order_key(b); });
  for (std::size_t i = kSearched; i < count; ++i) {
    const std::int32_t key = order_key(values[i]);
    if (key <= order_key(results[kSearched - 1])) continue;
    std::size_t place = kSearched - 1;
    for (; place > 0 && order_key(results[place - 1]) < key; --place)
      results[place] = results[place - 1];
    results[place] = values[i];
  }
}

void find_index8(const float* values, std::size_t count, const float* sought,
                 std::uint32_t* indices) {
  for (std::size_t j = 0; j < kSearched; ++j) {
    std::size_t from = 0;
    for (std::size_t earlier = 0; earlier < j; ++earlier) {
      if (!matches(sought[earlier], sought[j])) continue;
      from = indices[earlier] == kNotFound ? count : indices[earlier] + std::size_t{1};
    }
    const std::size_t index = find(values, from, count, sought[j]);
    indices[j] = index < count ? static_cast<std::uint32_t>(index) : kNotFound;
  }
}

void match_replace8(float* values, std::size_t count, const float* sought, float replacement) {
  for (std::size_t j = 0; j < kSearched; ++j) {
    const std::size_t index = find(values, 0, count, sought[j]);
    if (index < count) values[index] = replacement;
  }
}

std::vector<std::uint32_t> largest_ascending(const float* values, std::size_t count,
                                             std::size_t k) {
  std::vector<std::uint32_t> indices(count);
  std::iota(indices.begin(), indices.end(), 0u);
  const auto middle = indices.begin() + static_cast<std::ptrdiff_t>(k);
  std::partial_sort(indices.begin(), middle, indices.end(),
                    [values](std::uint32_t a, std::uint32_t b) {
                      const std::int32_t key_a = order_key(values[a]), key_b = order_key(values[b]);
                      return key_a != key_b ? key_a > key_b : a < b;
                    });
  indices.resize(k);
  std::reverse(indices.begin(), indices.end());
  return indices;
}

}  // namespace tern
