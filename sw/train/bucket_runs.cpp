// SPDX-License-Identifier: Apache-2.0
#include "sw/train/bucket_runs.h"

#include "sw/kernels/builder/kernel_builder.h"

namespace tern::train {

using layers::Layers;
using layers::Matrix;

namespace {

// Calls visit(piece of the matrix, where its elements are).
template <typename Visit>
void for_pieces(const Matrix& matrix, const kernels::Tensor& bucket, std::uint64_t first,
                bool equal_rows, const Visit& visit) {
  const std::uint64_t size = numerics::dtype_size(matrix.dtype), width = matrix.columns * size;
  const std::uint64_t rows = equal_rows ? 1 : matrix.rows;
  std::uint64_t row = 0;
  for (const layers::TileView& piece : matrix.pieces()) {
    kernels::TensorView view;
    view.tensor = bucket.id;
    view.dtype = bucket.dtype;
    view.offset = first * size + row * width;
    view.partitions = piece.partitions;
    view.partition_pitch = equal_rows ? 0 : width;
    view.outer = piece.elements() / matrix.columns;
    view.outer_pitch = equal_rows ? 0 : Matrix::kSlab * width;
    view.inner = matrix.columns;
    view.row1 = 1;
    view.byte0 = first * size;
    view.byte1 = view.byte0 + rows * width;
    if (!equal_rows) row += view.outer * Matrix::kSlab;
    visit(piece, view);
  }
}

}  // namespace

void store_run(Layers& layers, const kernels::Tensor& bucket, std::uint64_t first,
               const Matrix& matrix) {
  for_pieces(matrix, bucket, first, false,
             [&](const layers::TileView& piece, const kernels::TensorView& view) {
               layers.builder().dma_store(view, piece);
             });
}

void load_run(Layers& layers, const Matrix& matrix, const kernels::Tensor& bucket,
              std::uint64_t first) {
  for_pieces(matrix, bucket, first, false,
             [&](const layers::TileView& piece, const kernels::TensorView& view) {
               layers.builder().dma_load(piece, view);
             });
}

void load_equal_rows(Layers& layers, const Matrix& matrix, const kernels::Tensor& bucket,
                     std::uint64_t first) {
  for_pieces(matrix, bucket, first, true,
             [&](const layers::TileView& piece, const kernels::TensorView& view) {
               layers.builder().dma_load(piece, view);
             });
}

}  // namespace tern::train
