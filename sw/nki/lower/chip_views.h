// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/kernels/builder/dma/dma_view.h"
#include "sw/kernels/builder/memory/views.h"
#include "sw/nki/trace/chip_pattern.h"

// Views of a kernel whose tensors have addresses, as the kernel builder takes them.
namespace tern::nki {

// Free dimensions merged to at most four. Throws NkiError if there are more.
kernels::TileView tile_view(const View& view);
// The inner `reduced` dimensions of the view stay apart from the others; `reduced` becomes their
// number in the result.
kernels::TileView tile_view(const View& view, unsigned* reduced);

// Dimensions as they are, at most four.
kernels::TileView unmerged_tile_view(const View& view);

// The rows and bytes that a view in HBM spans, for hazards; its first run.
kernels::TensorView tensor_view(const View& view, const kernels::Tensor& tensor);
// Any pattern. `tensor`: that of the view in HBM, else null.
kernels::DmaView dma_view(const View& view, const kernels::Tensor* tensor);
// Its dimensions in another order: partitions of a view on chip need not come first.
kernels::DmaView permuted_dma_view(const View& view, const kernels::Tensor* tensor,
                                   const std::vector<std::size_t>& order);

}  // namespace tern::nki
