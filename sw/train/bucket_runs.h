// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/kernels/builder/memory/views.h"
#include "sw/layers/layers.h"
#include "sw/spec/generated/dma.h"

namespace tern::train {

// Matrices that follow each other in a tensor [1, elements] in HBM, each row by row.

// Chunks of a collective begin at multiples of this many elements: chips that add in their DMA
// engines need whole beats.
constexpr std::uint64_t kChunkElements = TERN_DMA_BEAT_BYTES / sizeof(float);

// All elements of the matrix, from element `first` on, in its format, the tensor's.
void store_run(layers::Layers& layers, const kernels::Tensor& bucket, std::uint64_t first,
               const layers::Matrix& matrix);
void load_run(layers::Layers& layers, const layers::Matrix& matrix, const kernels::Tensor& bucket,
              std::uint64_t first);
// One row to all rows of the matrix.
void load_equal_rows(layers::Layers& layers, const layers::Matrix& matrix,
                     const kernels::Tensor& bucket, std::uint64_t first);

}  // namespace tern::train
