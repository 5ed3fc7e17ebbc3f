// SPDX-License-Identifier: Apache-2.0
#include "sw/train/window_parts.h"

#include <fmt/format.h>

#include "sw/kernels/builder/kernel_builder.h"
#include "sw/train/bucket_runs.h"

namespace tern::train {

// One part after the other, each row by row.
kernels::Tensor WindowParts::buffer(const char* what, const Matrix& part) {
  kernels::KernelBuilder& kb = l_.builder();
  const std::uint64_t elements = std::uint64_t{part.rows} * part.columns;
  kernels::Tensor tensor = kb.scratch(fmt::format("{}.{}.{}", name_, what, buffers_++), part.dtype,
                                      {1, share_.sequence * elements});
  kb.already_written(tensor);  // by other ranks
  return tensor;
}

void WindowParts::collective(const collectives::Schedule& schedule,
                             const kernels::Tensor& elements) {
  if (!share_.sums()) return;
  kernels::CollectiveOperands operands;
  operands.data = elements.rows_on_partitions(0, 1, 1);
  l_.builder().collective(schedule, operands, {0, share_.along_sequence()});
}

std::vector<Matrix> WindowParts::gather(const Matrix& own) {
  if (share_.sequence == 1) return {own};
  const kernels::Tensor all = buffer("windows", own);
  const std::uint64_t elements = std::uint64_t{own.rows} * own.columns;
  store_run(l_, all, share_.window_part() * elements, own);
  collective(*share_.window_gather, all);
  std::vector<Matrix> parts;
  for (unsigned part = 0; part < share_.window_part(); ++part) {
    parts.push_back(l_.make(own.rows, own.columns, own.dtype));
    load_run(l_, parts.back(), all, part * elements);
  }
  parts.push_back(own);
  return parts;
}

Matrix WindowParts::scatter(const std::vector<Matrix>& gradients) {
  if (share_.sequence == 1) return gradients.front();
  const Matrix& first = gradients.front();
  const kernels::Tensor all = buffer("gradients", first);
  const std::uint64_t elements = std::uint64_t{first.rows} * first.columns;
  for (unsigned part = 0; part < gradients.size(); ++part)
    store_run(l_, all, part * elements, gradients[part]);
  // Nothing to those behind.
  if (gradients.size() < share_.sequence) {
    const Matrix none = l_.filled(first.rows, first.columns, first.dtype, 0.0f);
    for (unsigned part = share_.window_part() + 1; part < share_.sequence; ++part)
      store_run(l_, all, part * elements, none);
  }
  collective(*share_.window_scatter, all);
  Matrix sum = l_.make(first.rows, first.columns, first.dtype);
  load_run(l_, sum, all, share_.window_part() * elements);
  return sum;
}

}  // namespace tern::train
