// SPDX-License-Identifier: Apache-2.0
#include "sw/train/gradient_sums.h"

#include <fmt/format.h>

#include <utility>

#include "sw/base/math.h"
#include "sw/kernels/builder/kernel_builder.h"

namespace tern::train {

namespace {

// Chunks begin there, so that chips that add in their DMA engines can do it, too.
constexpr std::uint64_t kChunkElements = 64 / sizeof(float);

}  // namespace

void GradientSums::add(const StateTensor& tensor, const StateMatrix& parameter,
                       const Matrix& gradient) {
  open_.push_back({tensor, &parameter, gradient, elements_});
  elements_ += tensor.elements();
  if (elements_ >= kBucket) close();
}

// Where rows of a gradient are in its bucket: as slabs of a matrix.
kernels::TensorView GradientSums::run_of(const Bucket& bucket, const Gradient& gradient,
                                         std::uint64_t row, unsigned partitions,
                                         std::uint64_t slabs) {
  const std::uint64_t columns = gradient.tensor.columns, width = columns * sizeof(float);
  kernels::TensorView view;
  view.tensor = bucket.elements.id;
  view.dtype = bucket.elements.dtype;
  view.offset = (gradient.first + row * columns) * sizeof(float);
  view.partitions = partitions;
  view.partition_pitch = gradient.tensor.rows == 1 ? 0 : width;
  view.outer = slabs;
  view.outer_pitch = Matrix::kSlab * width;
  view.inner = columns;
  view.row1 = 1;
  view.byte0 = gradient.first * sizeof(float);
  view.byte1 = (gradient.first + gradient.tensor.elements()) * sizeof(float);
  return view;
}

void GradientSums::close() {
  if (open_.empty()) return;
  kernels::KernelBuilder& kb = l_.builder();
  const std::uint64_t step = share_.gradients->chunks * kChunkElements;
  Bucket bucket;
  bucket.elements = kb.scratch(fmt::format("gradients.{}", closed_.size()), DType::kFp32,
                               {1, ceil_div(elements_, step) * step});
  kb.already_written(bucket.elements);  // what fills the last chunk is nobody's gradient
  bucket.gradients = std::exchange(open_, {});
  elements_ = 0;
  for (Gradient& gradient : bucket.gradients) {
    const Matrix stored =
        gradient.tensor.rows == 1 ? gradient.matrix.part_rows(0, 1) : std::move(gradient.matrix);
    gradient.matrix = {};
    std::uint64_t row = 0;
    for (const layers::TileView& piece : stored.pieces()) {
      const std::uint64_t slabs = piece.elements() / stored.columns;
      kb.dma_store(run_of(bucket, gradient, row, piece.partitions, slabs), piece);
      row += slabs * Matrix::kSlab;
    }
  }
  kernels::CollectiveOperands operands;
  operands.data = bucket.elements.rows_on_partitions(0, 1, 1);
  if (share_.sums()) kb.collective(*share_.gradients, operands, {0, share_.along_data()});
  closed_.push_back(std::move(bucket));
}

Matrix GradientSums::sum_of(const Bucket& bucket, const Gradient& gradient) {
  kernels::KernelBuilder& kb = l_.builder();
  const StateTensor& tensor = gradient.tensor;
  const bool row = tensor.rows == 1;
  Matrix sum = l_.make(row ? Matrix::kSlab : static_cast<std::uint32_t>(tensor.rows),
                       static_cast<std::uint32_t>(tensor.columns), DType::kFp32);
  std::uint64_t first = 0;
  for (const layers::TileView& piece : sum.pieces()) {
    const std::uint64_t slabs = piece.elements() / sum.columns;
    kb.dma_load(piece, run_of(bucket, gradient, first, piece.partitions, slabs));
    if (!row) first += slabs * Matrix::kSlab;
  }
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
