// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "sw/spec/generated/dma.h"

namespace tern::dma {

// Computation of a DMA engine in transit (docs/numerics.md, "DMA"). Pure functions on memory of
// any alignment; words little endian. Operations: TERN_DMA_OP_*, formats: TERN_DMA_DTYPE_*.

// Elements of a block: the accumulators of an engine.
constexpr unsigned kBlockElements = TERN_DMA_BLOCK_ELEMENTS;
// Bytes of a row of a block of operation transpose.
constexpr unsigned kTransposeRowBytes = TERN_DMA_BEAT_BYTES;

// Bytes of an element: 4 or 2.
unsigned dtype_bytes(unsigned dtype);

// One source of an operation (cast, add, min, max, fma) taken into the accumulators of `elements`
// elements: what a pass of the engine does. The first source sets them. scale: FP32 bits, fma only.
void accumulate(unsigned op, bool first, unsigned src_dtype, std::uint32_t scale,
                const std::uint8_t* source, std::size_t elements, float* accumulators);

// The accumulators as elements of the destination.
void narrow(unsigned dst_dtype, const float* accumulators, std::size_t elements,
            std::uint8_t* destination);

// The whole operation: `sources` sources of `elements` elements each, in order, to the destination.
// scales: FP32 bits, one per source (fma only, else may be null).
void compute(unsigned op, unsigned src_dtype, unsigned dst_dtype, const std::uint8_t* const* source,
             const std::uint32_t* scales, unsigned sources, std::size_t elements,
             std::uint8_t* destination);

// A block of T = 64 / element_bytes rows of 64 bytes: row r of the destination is column r of the
// source. element_bytes: 2 or 4.
void transpose_block(unsigned element_bytes, const std::uint8_t* source, std::uint8_t* destination);

}  // namespace tern::dma
