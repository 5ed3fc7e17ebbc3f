// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/bias_activation.h"

#include <algorithm>

#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/builder/memory/limits.h"

namespace tern::kernels {

Executable build_bias_activation(const BiasActivationSpec& spec, const ChipConfig& chip) {
  constexpr std::uint64_t kChunk = 2048;  // rows of 8 KiB: DMA at its full rate
  constexpr unsigned kBuffers = 3;        // one computed, one loaded, one stored
  using numerics::DType;
  KernelBuilder kb("bias_activation", chip);
  const Tensor x = kb.input("c", DType::kFp32, {spec.rows, spec.columns});
  const Tensor biases = kb.weight("bias", DType::kFp32, {spec.rows});
  const Tensor y = kb.output("y", DType::kFp32, {spec.rows, spec.columns});
  // Both enumerations hold the numbers of docs/spec/isa.yaml.
  const auto function = static_cast<Activation>(spec.function);
  const auto width = static_cast<std::uint32_t>(std::min(kChunk, spec.columns));
  TilePool columns = kb.sbuf_pool("bias", 2, 4);
  TilePool loads = kb.sbuf_pool("x", kBuffers, width * 4);
  TilePool results = kb.sbuf_pool("y", kBuffers, width * 4);
  for (std::uint64_t row = 0; row < spec.rows; row += kPartitions) {
    const auto rows = static_cast<unsigned>(std::min<std::uint64_t>(kPartitions, spec.rows - row));
    const Tile bias = columns.tile("bias", rows, 1, DType::kFp32);
    kb.dma_load(bias, biases.column_of_row(0, row, rows));
    for (std::uint64_t first = 0; first < spec.columns; first += kChunk) {
      const auto count = static_cast<std::uint32_t>(std::min(kChunk, spec.columns - first));
      const Tile in = loads.tile("x", rows, count, DType::kFp32);
      const Tile out = results.tile("y", rows, count, DType::kFp32);
      kb.dma_load(in, x.view(row, rows, first, count));
      kb.activation(out, function, in, 1.0f, bias);
      kb.dma_store(y.view(row, rows, first, count), out);
    }
  }
  return kb.finish();
}

}  // namespace tern::kernels
