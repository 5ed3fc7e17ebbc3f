// SPDX-License-Identifier: Apache-2.0
// Screening of DMA engines and the adders next to memories.
#include <fmt/format.h>

#include "sw/app/check/march.h"
#include "sw/app/check/screen.h"
#include "sw/kernels/builder/kernel_builder.h"
#include "sw/reference/reference.h"

namespace tern::app {

namespace {

using kernels::DType;
using kernels::KernelBuilder;
using kernels::Tensor;
using kernels::Tile;

constexpr unsigned kRows = kernels::kPartitions;

ScreenProgram march(const ChipConfig& chip, bool hbm, bool full, std::uint8_t background) {
  const unsigned units = full ? 16 : 4;
  const std::uint32_t bytes = full ? 256 : 64;
  ScreenProgram screen;
  screen.program = march_by_dma(chip, hbm, units, bytes);
  screen.inputs["backgrounds"] = march_backgrounds(background, bytes);
  screen.outputs["log"] = {march_log(background, units, bytes), bytes / 4, 4};
  return screen;
}

// Whole numbers of 20 bits at most: every bit of a lane changes, and sums are exact.
std::vector<float> whole_numbers(std::size_t count, unsigned stream) {
  std::vector<float> values = screen_values(count, stream);
  for (float& value : values) value = static_cast<float>(static_cast<int>(value * 0x1p18f));
  return values;
}

// memory = memory + data, near the memory: of SBUF, or of HBM.
ScreenProgram additions(const ChipConfig& chip, bool hbm, bool bf16) {
  const DType dtype = bf16 ? DType::kBf16 : DType::kFp32;
  const std::uint32_t columns = bf16 ? 128 : 64;
  KernelBuilder kb("near-memory additions", chip);
  const Tensor a = kb.input("a", dtype, {kRows, columns});
  const Tensor b = kb.input("b", dtype, {kRows, columns});
  const Tensor sum = kb.output("sum", dtype, {kRows, columns});
  const Tile in = kb.sbuf_tile("in", kRows, columns, dtype);
  const Tile out = kb.sbuf_tile("out", kRows, columns, dtype);
  kb.dma_load(in, a.view(0, kRows, 0, columns));
  if (hbm) {
    kb.dma_store(sum.view(0, kRows, 0, columns), in);
    kb.dma_load(out, b.view(0, kRows, 0, columns));
    kb.dma_accumulate(sum.view(0, kRows, 0, columns), out);
  } else {
    kb.dma_load(out, b.view(0, kRows, 0, columns));
    kb.dma_accumulate(out, in);
    kb.dma_store(sum.view(0, kRows, 0, columns), out);
  }
  ScreenProgram screen;
  screen.program = kb.finish();
  const std::size_t count = std::size_t{kRows} * columns;
  std::vector<float> x = bf16 ? screen_values(count, 1) : whole_numbers(count, 1);
  std::vector<float> y = bf16 ? screen_values(count, 2) : whole_numbers(count, 2);
  Bytes expected;
  for (std::size_t i = 0; i < count; ++i) {
    if (bf16) {
      x[i] = reference::from_bf16(reference::to_bf16(x[i]));
      y[i] = reference::from_bf16(reference::to_bf16(y[i]));
      const std::uint16_t word = reference::to_bf16(x[i] + y[i]);
      expected.push_back(static_cast<std::uint8_t>(word));
      expected.push_back(static_cast<std::uint8_t>(word >> 8));
    } else {
      x[i] += y[i];  // the sum, in place
    }
  }
  if (!bf16) {
    expected = bytes_of(x);
    x = whole_numbers(count, 1);
  }
  screen.inputs["a"] = to_bytes(x, dtype);
  screen.inputs["b"] = to_bytes(y, dtype);
  screen.outputs["sum"] = {expected, columns, numerics::dtype_size(dtype)};
  return screen;
}

}  // namespace

std::vector<ScreenTest> screen_transfers(const ChipConfig& chip, bool full) {
  std::vector<ScreenTest> tests;
  const std::vector<unsigned> backgrounds =
      full ? std::vector<unsigned>{0x00, 0x55, 0x33, 0x0F} : std::vector<unsigned>{0x00, 0x55};
  for (const bool hbm : {false, true}) {
    for (const unsigned background : backgrounds)
      tests.push_back(
          {fmt::format("march of {} by DMA, background {:02x}", hbm ? "HBM" : "SBUF", background),
           "dma",
           [=, &chip] { return march(chip, hbm, full, static_cast<std::uint8_t>(background)); }});
  }
  if (!chip.dma.near_memory_add) return tests;
  for (const bool hbm : {false, true}) {
    for (const bool bf16 : {false, true})
      tests.push_back(
          {fmt::format("additions next to {}, {}", hbm ? "HBM" : "SBUF", bf16 ? "bf16" : "fp32"),
           "near_memory", [=, &chip] { return additions(chip, hbm, bf16); }});
  }
  return tests;
}

}  // namespace tern::app
