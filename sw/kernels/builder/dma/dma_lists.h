// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/kernels/builder/dma/dma_plan.h"
#include "sw/kernels/builder/dma/dma_view.h"

namespace tern::kernels {

// Operation of the engines on a list of sources (docs/reference/isa.md, dma_op).
struct DmaOperation {
  unsigned op = TERN_DMA_OP_ADD;  // cast, add, min, max or fma
  std::vector<float> scales;      // fma: one for each source
  unsigned write_op = TERN_DMA_WRITE_OP_STORE;
};

// dma_dtype of an element; none if the engines do not compute with it.
std::optional<unsigned> dma_dtype(DType dtype);

// dma_write_op that adds such elements near the memory; none: it does not.
std::optional<unsigned> add_write_op(DType dtype);

// Descriptors for the 16 engines, as plan_transfer() makes them, of any transfer that match()
// describes. Rows are spread over the engines; fewer rows than engines are cut into pieces of whole
// 64 bytes. Runs that repeat become patterns of up to kPacketBytes.
EngineDescriptors plan_copy(const DmaView& dst, const DmaView& src, const DmaPattern& pattern,
                            unsigned write_op, unsigned semaphore);

// dst [C, R] = src [R, C]^T, elements of 2 or 4 bytes; R and C multiples of 64 / size. Blocks
// follow R, up to eight in a packet; packets are distributed over the engines in rotation.
EngineDescriptors plan_transpose(const DmaView& dst, const DmaView& src, unsigned semaphore);

// dst = operation over all sources, element by element; rows are contiguous on all sides and begin
// at multiples of 64 bytes. A packet is a piece of a row, at most kComputeBytes of the widest side.
EngineDescriptors plan_compute(const DmaView& dst, const std::vector<DmaView>& sources,
                               const DmaOperation& operation, unsigned semaphore);

// Documented default of compute transfers.
constexpr std::uint32_t kComputeBytes = TERN_DMA_COMPUTE_BYTES;
constexpr unsigned kMaxSources = TERN_DMA_SOURCES;
constexpr unsigned kBlockRowBytes = TERN_DMA_BEAT_BYTES;  // of a transpose

}  // namespace tern::kernels
