// SPDX-License-Identifier: Apache-2.0
// The k largest of each row, in descending order, with their columns; of equal values the one with
// the smaller column comes first. FP32 rows [16 per processor, n]. NaN counts as smaller than
// everything.
//
// Arguments: byte of the rows, n, k (1..64, at most n), byte of the k values (FP32), byte of the k
// columns (uint32).
#include "sw/gpsimd/tern_gpsimd.h"

namespace {

constexpr uint32_t kMax = 64;

// A heap with the weakest candidate on top.
struct Candidate {
  float value;
  uint32_t column;
};

bool weaker(const Candidate& a, const Candidate& b) {
  if (a.value < b.value) return true;
  if (a.value > b.value) return false;
  const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
  return a_nan != b_nan ? a_nan : a.column > b.column;
}

void sift_down(Candidate* heap, uint32_t size, uint32_t at) {
  for (;;) {
    uint32_t weakest = at;
    for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < size; ++child) {
      if (weaker(heap[child], heap[weakest])) weakest = child;
    }
    if (weakest == at) return;
    const Candidate moved = heap[at];
    heap[at] = heap[weakest];
    heap[weakest] = moved;
    at = weakest;
  }
}

void row_topk(const float* row, uint32_t n, uint32_t k, float* values, uint32_t* columns) {
  Candidate heap[kMax];
  for (uint32_t i = 0; i < k; ++i) heap[i] = {row[i], i};
  for (uint32_t i = k / 2; i-- > 0;) sift_down(heap, k, i);
  for (uint32_t i = k; i < n; ++i) {
    const Candidate candidate = {row[i], i};
    if (!weaker(heap[0], candidate)) continue;
    heap[0] = candidate;
    sift_down(heap, k, 0);
  }
  for (uint32_t left = k; left-- > 0;) {  // the weakest goes last
    values[left] = heap[0].value;
    columns[left] = heap[0].column;
    heap[0] = heap[left];
    sift_down(heap, left, 0);
  }
}

}  // namespace

extern "C" int tern_main(uint32_t byte, uint32_t n, uint32_t k, uint32_t values_byte,
                         uint32_t columns_byte, uint32_t, uint32_t, uint32_t) {
  using namespace tern_gpsimd;
  if (k < 1 || k > kMax || k > n) return 1;
  for (unsigned i = 0; i < kPartitions; ++i) {
    row_topk(partition<float>(i, byte), n, k, partition<float>(i, values_byte),
             partition<uint32_t>(i, columns_byte));
  }
  return 0;
}
