// SPDX-License-Identifier: Apache-2.0
// Screening of the tensor engine: a product in each of its formats.
#include <string>

#include "sw/app/check/screen.h"
#include "sw/base/user_error.h"
#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/matmul.h"
#include "sw/kernels/matmul_data.h"
#include "sw/kernels/pack/sparse_pack.h"
#include "sw/reference/formats.h"

namespace tern::app {

namespace {

using kernels::DType;
using kernels::KernelBuilder;
using kernels::MatmulFormat;
using kernels::TensorMode;

kernels::MatmulSpec spec_of(const MatmulFormat& format, bool full) {
  kernels::MatmulSpec spec;
  spec.m = kernels::kMaxStationary;
  spec.n = full ? 2048 : 64;
  spec.k = std::uint64_t{kernels::kPartitions} * format.k_per_partition();  // all of the array
  spec.format = format.name;
  return spec;
}

ScreenProgram product(const ChipConfig& chip, const MatmulFormat& format, bool full) {
  const kernels::MatmulSpec spec = spec_of(format, full);
  std::vector<float> a = screen_values(format.products() * spec.k * spec.m, 6);
  const std::vector<float> b = screen_values(format.products() * spec.k * spec.n, 7);
  if (format.mode == TensorMode::kSparse) kernels::prune(&a, spec.k, spec.m, format.sparsity);
  ScreenProgram screen;
  screen.program = kernels::build_matmul(spec, chip);
  for (kernels::MatmulTensor& tensor : kernels::pack_matmul(spec, a, b))
    screen.inputs[tensor.name] = std::move(tensor.bytes);
  screen.outputs["c"] = {
      bytes_of(reference::matmul_in_format(format.name, a, b, spec.k, spec.m, spec.n)), spec.n, 4};
  return screen;
}

ScreenProgram transposition(const ChipConfig& chip) {
  constexpr unsigned kSize = kernels::kPartitions;
  KernelBuilder kb("screening of transpositions", chip);
  const kernels::Tensor in = kb.input("in", DType::kFp32, {kSize, kSize});
  const kernels::Tensor out = kb.output("out", DType::kFp32, {kSize, kSize});
  const kernels::Tile source = kb.sbuf_tile("source", kSize, kSize, DType::kFp32);
  const kernels::Tile turned = kb.psum_tile("turned", kSize, kSize);
  const kernels::Tile result = kb.sbuf_tile("result", kSize, kSize, DType::kFp32);
  kb.dma_load(source, in.view(0, kSize, 0, kSize));
  kb.nc_transpose(turned, source);
  kb.tensor_copy(result, turned);
  kb.dma_store(out.view(0, kSize, 0, kSize), result);
  ScreenProgram screen;
  screen.program = kb.finish();
  const std::vector<float> values = screen_values(std::size_t{kSize} * kSize, 8);
  std::vector<float> expected(values.size());
  for (std::size_t r = 0; r < kSize; ++r) {
    for (std::size_t c = 0; c < kSize; ++c) expected[c * kSize + r] = values[r * kSize + c];
  }
  screen.inputs["in"] = bytes_of(values);
  screen.outputs["out"] = {bytes_of(expected), kSize, 4};
  return screen;
}

}  // namespace

std::vector<ScreenTest> screen_products(const ChipConfig& chip, bool full) {
  std::vector<ScreenTest> tests = {
      {"transposition", "tensor", [&chip] { return transposition(chip); }}};
  for (const MatmulFormat& format : kernels::matmul_formats()) {
    // The same products with scales of another rule.
    const std::string name = format.name;
    if (name == "mxfp8_ocp" || name == "mxfp4_aws" || name == "w4a8_aws") continue;
    try {
      static_cast<void>(kernels::build_matmul(spec_of(format, full), chip));
    } catch (const UserError&) {
      continue;  // this chip has no such mode
    }
    tests.push_back({"product in " + name, "tensor",
                     [=, &chip, &format] { return product(chip, format, full); }});
  }
  return tests;
}

}  // namespace tern::app
