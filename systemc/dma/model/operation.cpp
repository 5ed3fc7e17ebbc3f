// SPDX-License-Identifier: Apache-2.0
#include "systemc/dma/model/operation.h"

#include <algorithm>
#include <cstring>

#include "sw/numerics/alu.h"
#include "sw/numerics/bf16.h"
#include "sw/numerics/fp16.h"
#include "sw/numerics/fp_modes.h"
#include "sw/spec/generated/isa.h"

namespace tern::dma {

namespace {

void widen(unsigned dtype, const std::uint8_t* source, std::size_t elements, float* values) {
  if (dtype == TERN_DMA_DTYPE_FP32) {
    std::memcpy(values, source, elements * 4);
    return;
  }
  for (std::size_t i = 0; i < elements; ++i) {
    std::uint16_t bits;
    std::memcpy(&bits, source + 2 * i, 2);
    values[i] = dtype == TERN_DMA_DTYPE_BF16 ? numerics::bf16_to_float(bits)
                                             : numerics::fp16_to_float(bits);
  }
}

template <typename Step>
void each(std::size_t elements, const float* values, float* accumulators, Step step) {
  for (std::size_t i = 0; i < elements; ++i) accumulators[i] = step(accumulators[i], values[i]);
}

// At most a block.
void accumulate_block(unsigned op, bool first, float scale, const float* values,
                      std::size_t elements, float* accumulators) {
  if (op == TERN_DMA_OP_FMA) {
    if (first) {
      each(elements, values, accumulators,
           [scale](float, float x) { return numerics::multiply(scale, x); });
    } else {
      each(elements, values, accumulators,
           [scale](float acc, float x) { return numerics::fused_multiply_add(scale, x, acc); });
    }
  } else if (first) {
    each(elements, values, accumulators, [](float, float x) { return numerics::canonical(x); });
  } else if (op == TERN_DMA_OP_MIN) {
    each(elements, values, accumulators, numerics::minimum);
  } else if (op == TERN_DMA_OP_MAX) {
    each(elements, values, accumulators, numerics::maximum);
  } else {
    each(elements, values, accumulators, numerics::add);
  }
}

}  // namespace

unsigned dtype_bytes(unsigned dtype) {
  return dtype == TERN_DMA_DTYPE_FP32 ? 4 : 2;
}

void accumulate(unsigned op, bool first, unsigned src_dtype, std::uint32_t scale,
                const std::uint8_t* source, std::size_t elements, float* accumulators) {
  const numerics::ScopedFpModes modes;
  const std::size_t size = dtype_bytes(src_dtype);
  float values[kBlockElements];
  for (std::size_t done = 0; done < elements; done += kBlockElements) {
    const std::size_t n = std::min<std::size_t>(kBlockElements, elements - done);
    widen(src_dtype, source + done * size, n, values);
    accumulate_block(op, first, numerics::float_of(scale), values, n, accumulators + done);
  }
}

void narrow(unsigned dst_dtype, const float* accumulators, std::size_t elements,
            std::uint8_t* destination) {
  if (dst_dtype == TERN_DMA_DTYPE_FP32) {
    std::memcpy(destination, accumulators, elements * 4);
    return;
  }
  for (std::size_t i = 0; i < elements; ++i) {
    const std::uint16_t bits = dst_dtype == TERN_DMA_DTYPE_BF16
                                   ? numerics::bf16_from_float(accumulators[i])
                                   : numerics::fp16_from_float(accumulators[i]);
    std::memcpy(destination + 2 * i, &bits, 2);
  }
}

void compute(unsigned op, unsigned src_dtype, unsigned dst_dtype, const std::uint8_t* const* source,
             const std::uint32_t* scales, unsigned sources, std::size_t elements,
             std::uint8_t* destination) {
  float accumulators[kBlockElements];
  for (std::size_t done = 0; done < elements; done += kBlockElements) {
    const std::size_t n = std::min<std::size_t>(kBlockElements, elements - done);
    for (unsigned s = 0; s < sources; ++s) {
      accumulate(op, s == 0, src_dtype, scales != nullptr ? scales[s] : 0,
                 source[s] + done * dtype_bytes(src_dtype), n, accumulators);
    }
    narrow(dst_dtype, accumulators, n, destination + done * dtype_bytes(dst_dtype));
  }
}

void transpose_block(unsigned element_bytes, const std::uint8_t* source,
                     std::uint8_t* destination) {
  const unsigned rows = kTransposeRowBytes / element_bytes;
  for (unsigned r = 0; r < rows; ++r) {
    for (unsigned c = 0; c < rows; ++c) {
      std::memcpy(destination + r * kTransposeRowBytes + c * element_bytes,
                  source + c * kTransposeRowBytes + r * element_bytes, element_bytes);
    }
  }
}

}  // namespace tern::dma
