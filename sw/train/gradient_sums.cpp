// SPDX-License-Identifier: Apache-2.0
#include "sw/train/gradient_sums.h"

#include <fmt/format.h>

#include <utility>

#include "sw/base/math.h"
#include "sw/kernels/builder/kernel_builder.h"
#include "sw/train/bucket_runs.h"

namespace tern::train {

void GradientSums::add(const StateTensor& tensor, const StateMatrix& parameter,
                       const Matrix& gradient) {
  open_.push_back({tensor, &parameter, gradient, elements_});
  elements_ += tensor.elements();
  if (elements_ >= kBucket) close();
}

void GradientSums::close() {
  if (open_.empty()) return;
  kernels::KernelBuilder& kb = l_.builder();
  const std::uint64_t step = sum_.schedule->chunks * kChunkElements;
  Bucket bucket;
  bucket.elements = kb.scratch(fmt::format("{}.{}", sum_.name, closed_.size()), DType::kFp32,
                               {1, ceil_div(elements_, step) * step});
  kb.already_written(bucket.elements);  // what fills the last chunk is nobody's gradient
  bucket.gradients = std::exchange(open_, {});
  elements_ = 0;
  for (Gradient& gradient : bucket.gradients) {
    const Matrix stored =
        gradient.tensor.rows == 1 ? gradient.matrix.part_rows(0, 1) : std::move(gradient.matrix);
    gradient.matrix = {};
    store_run(l_, bucket.elements, gradient.first, stored);
  }
  kernels::CollectiveOperands operands;
  operands.data = bucket.elements.rows_on_partitions(0, 1, 1);
  if (sum_.happens) kb.collective(*sum_.schedule, operands, {0, sum_.groups});
  closed_.push_back(std::move(bucket));
}

Matrix GradientSums::sum_of(const Bucket& bucket, const Gradient& gradient) {
  const StateTensor& tensor = gradient.tensor;
  const bool row = tensor.rows == 1;
  Matrix sum = l_.make(row ? Matrix::kSlab : static_cast<std::uint32_t>(tensor.rows),
                       static_cast<std::uint32_t>(tensor.columns), DType::kFp32);
  (row ? load_equal_rows : load_run)(l_, sum, bucket.elements, gradient.first);
  return sum;
}

void GradientSums::finish(const Update& update) {
  close();
  for (const Bucket& bucket : closed_) {
    for (const Gradient& gradient : bucket.gradients)
      update(gradient.tensor, *gradient.parameter, sum_of(bucket, gradient));
  }
}

}  // namespace tern::train
