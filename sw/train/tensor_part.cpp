// SPDX-License-Identifier: Apache-2.0
#include "sw/train/tensor_part.h"

#include <algorithm>
#include <cstring>

namespace tern::train {

namespace {

std::uint64_t count_of(const std::vector<TensorPart::Run>& runs, std::uint64_t all) {
  if (runs.empty()) return all;
  std::uint64_t count = 0;
  for (const TensorPart::Run& run : runs) count += run.count;
  return count;
}

// Calls visit(byte of the whole, byte of the part, bytes) for every run of bytes.
template <typename Visit>
void for_runs(const StateTensor& whole, const TensorPart& part, const Visit& visit) {
  const std::size_t size = numerics::dtype_size(whole.dtype);
  const TensorPart::Run every_row{0, whole.rows}, every_column{0, whole.columns};
  std::uint64_t at = 0;
  for (const auto& rows : part.rows.empty() ? std::vector{every_row} : part.rows) {
    for (std::uint64_t row = rows.first; row < rows.first + rows.count; ++row) {
      for (const auto& run : part.columns.empty() ? std::vector{every_column} : part.columns) {
        visit((row * whole.columns + run.first) * size, at * size, run.count * size);
        at += run.count;
      }
    }
  }
}

}  // namespace

StateTensor part_of(const StateTensor& whole, const TensorPart& part) {
  StateTensor tensor = whole;
  tensor.rows = count_of(part.rows, whole.rows);
  tensor.columns = count_of(part.columns, whole.columns);
  return tensor;
}

std::vector<TensorPart::Run> columns_within(const TensorPart& part, const StateTensor& whole,
                                            std::uint64_t first, std::uint64_t count) {
  std::vector<TensorPart::Run> found;
  const TensorPart::Run all{0, whole.columns};
  std::uint64_t at = 0;  // of a run, within the part
  for (const TensorPart::Run& run : part.columns.empty() ? std::vector{all} : part.columns) {
    const std::uint64_t begin = std::max(at, first);
    const std::uint64_t end = std::min(at + run.count, first + count);
    if (begin < end) found.push_back({run.first + begin - at, end - begin});
    at += run.count;
  }
  return found;
}

std::vector<std::uint8_t> cut(const StateTensor& whole, const TensorPart& part,
                              const std::vector<std::uint8_t>& bytes) {
  std::vector<std::uint8_t> result(part_of(whole, part).bytes());
  for_runs(whole, part, [&](std::size_t from, std::size_t to, std::size_t count) {
    std::memcpy(&result[to], &bytes[from], count);
  });
  return result;
}

void paste(const StateTensor& whole, const TensorPart& part, const std::vector<std::uint8_t>& bytes,
           std::vector<std::uint8_t>* into) {
  for_runs(whole, part, [&](std::size_t to, std::size_t from, std::size_t count) {
    std::memcpy(&(*into)[to], &bytes[from], count);
  });
}

}  // namespace tern::train
