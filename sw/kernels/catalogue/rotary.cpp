// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding: elements i and half + i of every head rotate by an angle that grows
// with the row.
#include <fmt/format.h>

#include <cmath>

#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/builder/memory/limits.h"
#include "sw/kernels/catalogue/blocks.h"
#include "sw/kernels/catalogue/case_parts.h"
#include "sw/kernels/catalogue/kernels.h"
#include "sw/reference/kernels/rows.h"

namespace tern::kernels {

namespace {

struct RotarySpec {
  std::uint64_t rows = 0;
  std::uint32_t heads = 0, half = 0;
};

// Rows on partitions, heads side by side. The tables [128, half] serve all heads: their view
// repeats them.
Executable build_rotary(const RotarySpec& spec, const ChipConfig& chip) {
  KernelBuilder kb("rotary", chip);
  const std::uint32_t width = spec.heads * 2 * spec.half;
  const Tensor x = kb.input("x", DType::kBf16, {spec.rows, width});
  const Tensor cosines = kb.weight("cos", DType::kFp32, {spec.rows, spec.half});
  const Tensor sines = kb.weight("sin", DType::kFp32, {spec.rows, spec.half});
  const Tensor out = kb.output("out", DType::kBf16, {spec.rows, width});
  TilePool loads = kb.sbuf_pool("x", 2, 2 * width);
  TilePool tables = kb.sbuf_pool("tables", 4, 4 * spec.half);
  TilePool products = kb.sbuf_pool("products", 4, 2 * width);
  TilePool results = kb.sbuf_pool("results", 2, 2 * width);
  for_blocks(spec.rows, kPartitions, [&](std::uint64_t row, std::uint32_t rows) {
    const Tile in = loads.tile("x", rows, width, DType::kBf16);
    const Tile c = tables.tile("cos", rows, spec.half, DType::kFp32);
    const Tile s = tables.tile("sin", rows, spec.half, DType::kFp32);
    kb.dma_load(in, x.view(row, rows, 0, width));
    kb.dma_load(c, cosines.view(row, rows, 0, spec.half));
    kb.dma_load(s, sines.view(row, rows, 0, spec.half));
    const Tile result = results.tile("result", rows, width, DType::kBf16);
    const auto part = [&](const Tile& tile, std::uint32_t first) {
      return tile.view_2d(0, rows, first, spec.heads, spec.half, 2 * spec.half);
    };
    const auto turned = [&](std::uint32_t to, const Tile& with_own, const Tile& with_other,
                            Alu join) {
      const std::uint32_t other = spec.half - to;
      const Tile own = products.tile("own", rows, spec.heads * spec.half, DType::kFp32);
      const Tile cross = products.tile("cross", rows, spec.heads * spec.half, DType::kFp32);
      const auto flat = [&](const Tile& tile) {
        return tile.view_2d(0, rows, 0, spec.heads, spec.half, spec.half);
      };
      kb.tensor_tensor(flat(own), part(in, to), Alu::kMultiply,
                       with_own.view().repeated(spec.heads));
      kb.tensor_tensor(flat(cross), part(in, other), Alu::kMultiply,
                       with_other.view().repeated(spec.heads));
      kb.tensor_tensor(part(result, to), flat(own), join, flat(cross));
    };
    turned(0, c, s, Alu::kSubtract);
    turned(spec.half, c, s, Alu::kAdd);
    kb.dma_store(out.view(row, rows, 0, width), result);
  });
  return kb.finish();
}

KernelCase make_rotary(const Parameters& parameters, const ChipConfig& chip, std::uint64_t seed) {
  RotarySpec spec;
  spec.rows = static_cast<std::uint64_t>(parameters.integer("seq", 1, 1 << 17));
  spec.heads = static_cast<std::uint32_t>(parameters.integer("heads", 1, 64));
  const auto d = static_cast<std::uint32_t>(parameters.integer("d", 2, 256));
  if (d % 2 != 0) parameters.fail("d", "an even number");
  spec.half = d / 2;
  const double base = parameters.number("base", 1, 1e9);

  const CaseOperand x = random_operand(spec.rows * spec.heads * d, DType::kBf16, seed, 0);
  std::vector<float> cosines, sines;
  for (std::uint64_t row = 0; row < spec.rows; ++row) {
    for (std::uint32_t i = 0; i < spec.half; ++i) {
      const double angle =
          static_cast<double>(row) * std::pow(base, -static_cast<double>(i) / spec.half);
      cosines.push_back(static_cast<float>(std::cos(angle)));
      sines.push_back(static_cast<float>(std::sin(angle)));
    }
  }
  KernelCase result;
  result.description = fmt::format("rotary embedding of [{}, {}, {}]", spec.rows, spec.heads, d);
  result.program = build_rotary(spec, chip);
  result.inputs = {x.input("x"), operand(cosines, DType::kFp32).input("cos"),
                   operand(sines, DType::kFp32).input("sin")};
  // Half a unit in the last place of BF16, and a little of FP32.
  result.outputs = {{"out",
                     DType::kBf16,
                     {spec.rows, spec.heads, d},
                     reference::rotary(x.values, spec.rows, spec.heads, spec.half, base),
                     0.0039063}};
  const double blocks = static_cast<double>(blocks_of(spec.rows, kPartitions));
  result.cost = {vector_cost(chip, blocks * 12 * spec.heads * spec.half,
                             "rows / 128 x 6 operations x 2 cycles x heads x d / 2"),
                 dma_cost(chip, static_cast<double>(spec.rows) * (4.0 * spec.heads * d + 4.0 * d),
                          "bytes of x, out and tables")};
  return result;
}

}  // namespace

Kernel rotary_kernel() {
  return {"rotary",
          "rotary position embedding of [seq, heads, d]",
          {{"seq", "2048", "rows, 128 at a time"},
           {"heads", "8", "heads side by side"},
           {"d", "128", "elements of a head"},
           {"base", "10000", "of the wavelengths"}},
          make_rotary};
}

}  // namespace tern::kernels
