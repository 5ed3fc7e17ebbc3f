// SPDX-License-Identifier: Apache-2.0
// The causal mask of attention, FP32, added to the scores before the softmax: row r of the mask is
// 0 up to column r and `masked` beyond. Each processor writes its 16 rows.
//
// Arguments: byte in the partitions, columns, row of partition 0, first column, bits of `masked`
// (FP32).
#include "sw/gpsimd/tern_gpsimd.h"

extern "C" int tern_main(uint32_t byte, uint32_t columns, uint32_t first_row, uint32_t first_column,
                         uint32_t masked_bits, uint32_t, uint32_t, uint32_t) {
  using namespace tern_gpsimd;
  float masked;
  memcpy(&masked, &masked_bits, sizeof masked);
  if (byte > partition_bytes() || columns > (partition_bytes() - byte) / sizeof(float)) return 1;
  for (unsigned i = 0; i < kPartitions; ++i) {
    const uint32_t row = first_row + processor() * kPartitions + i;
    // Columns up to and including `row` are seen.
    uint32_t seen = row + 1 > first_column ? row + 1 - first_column : 0;
    if (seen > columns) seen = columns;
    float* mask = partition<float>(i, byte);
    for (uint32_t c = 0; c < seen; ++c) mask[c] = 0.0f;
    for (uint32_t c = seen; c < columns; ++c) mask[c] = masked;
  }
  return 0;
}
