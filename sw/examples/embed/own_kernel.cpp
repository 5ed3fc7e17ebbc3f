// SPDX-License-Identifier: Apache-2.0
// A custom kernel: A^T A of a small matrix, then its logistic function; on the model, or with
// `rtl` as first argument on the Verilated tensor engine.
#include <cstdio>
#include <string>

#include "sw/kernels/builder/kernel_builder.h"
#include "sw/platform/platform.h"
#include "systemc/cosim/rtl_chip_options.h"

using namespace tern::kernels;  // NOLINT: example

tern::Executable gram(const tern::ChipConfig& chip) {
  KernelBuilder kb("gram", chip);
  const Tensor in = kb.input("a", DType::kBf16, {128, 64});
  const Tensor out = kb.output("gram", DType::kFp32, {64, 64});
  const Tile a = kb.sbuf_tile("a", 128, 64, DType::kBf16);
  const Tile result = kb.sbuf_tile("result", 64, 64, DType::kFp32);
  const Tile sums = kb.psum_tile("sums", 64, 64);
  kb.dma_load(a, in.view(0, 128, 0, 64));
  kb.nc_matmul(sums, a, a);
  kb.activation(result, Activation::kSigmoid, sums);
  kb.dma_store(out.view(0, 64, 0, 64), result);
  return kb.finish();
}

int sc_main(int argc, char** argv) {
  const std::string backend = argc > 1 ? argv[1] : "model";
  try {
    tern::Platform platform("trn3", {{"tensor", backend, "command line"}},
                            tern::rtl_chip_options());
    std::vector<float> a(128 * 64);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7) / 64 - 0.04f;
    const auto result =
        platform.call(gram(platform.config), {{"a", tern::to_bytes(a, DType::kBf16)}});
    const auto values = tern::to_floats(result.outputs.at("gram"), DType::kFp32);
    std::printf("tensor engine: %s, %.3f us, first elements %.9g %.9g\n", backend.c_str(),
                result.run.seconds() * 1e6, values[0], values[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "own_kernel: %s\n", error.what());
    return 2;
  }
  return 0;
}
