// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/tensor/block_kernel.h"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace tern {

namespace {

constexpr std::size_t kLanes = BlockTile::kLanes;
constexpr std::size_t kColumns = BlockTile::kColumns;

// x + y exactly, as sum and error.
struct Pair {
  double sum, error;
};
Pair two_sum(double x, double y) {
  const double sum = x + y, part = sum - x;
  return {sum, (x - (sum - part)) + (y - part)};
}

// a + b + c, rounded to odd: a later rounding to FP32 gives what one rounding would have given.
// Needs |a| to |c| apart enough for their errors to add up exactly, as those of E5M2's classes do.
double total_to_odd(double a, double b, double c) {
  const Pair first = two_sum(a, b), second = two_sum(first.sum, c);
  const Pair total = two_sum(second.sum, first.error + second.error);
  std::uint64_t bits;
  std::memcpy(&bits, &total.sum, sizeof bits);
  if (total.error != 0 && (bits & 1) == 0) {
    bits += (total.error > 0) == (total.sum > 0) ? 1 : std::uint64_t{0} - 1;
  }
  double odd;
  std::memcpy(&odd, &bits, sizeof odd);
  return odd;
}

}  // namespace

void block_sum_kernel_portable(const BlockTile& tile, double* sums) {
  double acc[kLanes][kColumns] = {};
  for (std::size_t item = 0; item < tile.items; ++item) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double w = tile.stationary[item * kLanes + lane];
      for (std::size_t column = 0; column < tile.columns; ++column) {
        acc[lane][column] += tile.moving[item * kColumns + column] * w;
      }
    }
  }
  std::memcpy(sums, acc, sizeof acc);
}

void block_kernel_portable(const BlockTile& tile, const BlockResult& result) {
  double sums[kLanes * kColumns];
  block_sum_kernel_portable(tile, sums);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    for (std::size_t column = 0; column < tile.columns; ++column) {
      const std::size_t at = lane * kColumns + column;
      result.acc[at] +=
          static_cast<float>(sums[at] * result.lane_scale[lane] * result.column_scale[column]);
    }
  }
}

void add_wide_sums(const double* const sums[3], const double* special, const BlockResult& result,
                   std::size_t columns) {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    for (std::size_t column = 0; column < columns; ++column) {
      const std::size_t at = lane * kColumns + column;
      double block = total_to_odd(sums[2][at], sums[1][at], sums[0][at]);
      if (special != nullptr && !std::isfinite(special[at])) block = special[at];
      result.acc[at] +=
          static_cast<float>(block * result.lane_scale[lane] * result.column_scale[column]);
    }
  }
}

}  // namespace tern
