// SPDX-License-Identifier: Apache-2.0
// The matmul kernel in every number format and mode, bit for bit against the host reference.
#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <vector>

#include "sw/base/user_error.h"
#include "sw/kernels/matmul_data.h"
#include "sw/kernels/pack/sparse_pack.h"
#include "sw/reference/formats.h"
#include "sw/reference/reference.h"
#include "tb/common/seed.h"
#include "tb/runtime/platform.h"

namespace tern::tb {

namespace {

using kernels::find_matmul_format;
using kernels::MatmulFormat;
using kernels::MatmulSpec;
using numerics::DType;

MatmulSpec shape(const MatmulFormat& format, std::uint64_t m, std::uint64_t k, std::uint64_t n) {
  MatmulSpec spec;
  spec.m = m;
  spec.k = (k + format.k_grain() - 1) / format.k_grain() * format.k_grain();
  spec.n = n;
  spec.format = format.name;
  return spec;
}

std::vector<float> random_values(std::size_t count, std::mt19937_64& random) {
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& x : values) x = random() % 20 == 0 ? 0.0f : normal(random);
  return values;
}

struct Operands {
  std::vector<float> a, b;
};

Operands random_operands(const MatmulSpec& spec, std::mt19937_64& random) {
  const MatmulFormat& format = *find_matmul_format(spec.format);
  Operands operands{random_values(format.products() * spec.k * spec.m, random),
                    random_values(format.products() * spec.k * spec.n, random)};
  if (format.mode == kernels::TensorMode::kSparse)
    kernels::prune(&operands.a, spec.k, spec.m, format.sparsity);
  return operands;
}

// The result's bytes after running the given parts in order.
std::vector<std::uint8_t> run(Platform& platform, MatmulSpec spec, const Operands& operands,
                              const std::vector<kernels::MatmulPart>& parts) {
  runtime::Runtime& runtime = platform.runtime;
  const auto tensors = kernels::pack_matmul(spec, operands.a, operands.b);
  std::vector<runtime::Buffer> buffers;
  runtime::Runtime::Bindings bindings;
  buffers.reserve(tensors.size() + 1);
  for (const auto& tensor : tensors) {
    buffers.push_back(runtime.allocate(tensor.name, tensor.bytes.size()));
    bindings[tensor.name] = &buffers.back();
    runtime.copy_to_device(buffers.back(), tensor.bytes.data(), tensor.bytes.size());
  }
  const std::size_t words = find_matmul_format(spec.format)->products() * spec.m * spec.n;
  buffers.push_back(runtime.allocate("c", words * numerics::dtype_size(spec.output)));
  bindings["c"] = &buffers.back();
  std::vector<std::uint8_t> c(buffers.back().bytes(), 0xA5);
  runtime.copy_to_device(buffers.back(), c.data(), c.size());
  for (const auto part : parts) {
    spec.part = part;
    auto program = runtime.load(kernels::build_matmul(spec, platform.config), bindings);
    runtime.run(program);
  }
  runtime.copy_from_device(buffers.back(), c.data(), c.size());
  return c;
}

std::size_t wrong_elements(Platform& platform, const MatmulSpec& spec, std::mt19937_64& random,
                           const std::vector<kernels::MatmulPart>& parts = {
                               kernels::MatmulPart::kAll}) {
  const Operands operands = random_operands(spec, random);
  const std::vector<std::uint8_t> c = run(platform, spec, operands, parts);
  const auto psum = spec.psum == DType::kBf16 ? reference::Psum::kBf16 : reference::Psum::kFp32;
  const std::vector<float> expected = reference::matmul_in_format(
      spec.format, operands.a, operands.b, spec.k, spec.m, spec.n, psum);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (spec.output == DType::kFp32) {
      wrong += std::memcmp(&c[4 * i], &expected[i], 4) != 0 ? 1 : 0;
    } else {
      const std::uint16_t bits = reference::to_bf16(expected[i]);
      wrong += std::memcmp(&c[2 * i], &bits, 2) != 0 ? 1 : 0;
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("formats: sizes around the borders of tiles, bit for bit") {
  Platform platform;
  std::mt19937_64 random(test_seed());
  platform.run([&] {
    for (const MatmulFormat& format : kernels::matmul_formats()) {
      for (const MatmulSpec& spec :
           {shape(format, 1, 1, 1), shape(format, 130, 700, 515), shape(format, 127, 128, 33)}) {
        INFO(spec.format << " " << spec.m << " x " << spec.k << " x " << spec.n);
        CHECK(wrong_elements(platform, spec, random) == 0);
      }
    }
  });
}

TEST_CASE("formats: BF16 in PSUM and as the result, bit for bit") {
  Platform platform;
  std::mt19937_64 random(test_seed() + 1);
  platform.run([&] {
    for (const char* name :
         {"bf16", "fp32", "fp8_e4m3fn", "mxfp8_e5m2", "sparse_2_4", "quad_mxfp4"}) {
      MatmulSpec spec = shape(*find_matmul_format(name), 140, 1100, 600);
      spec.psum = DType::kBf16;
      INFO(name);
      CHECK(wrong_elements(platform, spec, random) == 0);
      spec.output = DType::kBf16;
      CHECK(wrong_elements(platform, spec, random) == 0);
    }
  });
}

TEST_CASE("formats: operands that do not fit into SBUF are streamed, bit for bit") {
  Platform platform("trn3", {{"core.sbuf_kib_per_partition", "48", "test"}});
  std::mt19937_64 random(test_seed() + 2);
  platform.run([&] {
    for (const char* name :
         {"fp32", "fp8_e4m3fn", "mxfp8_e4m3fn", "w4a8", "sparse_4_12", "quad_mxfp8"}) {
      const MatmulFormat& format = *find_matmul_format(name);
      const bool small = format.products() > 1;
      const MatmulSpec spec =
          shape(format, small ? 200 : 300, small ? 700 : 3000, small ? 900 : 1100);
      INFO(name);
      CHECK(wrong_elements(platform, spec, random) == 0);
    }
  });
}

TEST_CASE("formats: load and compute as two programs give what one gives") {
  Platform platform;
  std::mt19937_64 random(test_seed() + 3);
  platform.run([&] {
    for (const MatmulFormat& format : kernels::matmul_formats()) {
      INFO(format.name);
      CHECK(wrong_elements(platform, shape(format, 200, 600, 520), random,
                           {kernels::MatmulPart::kLoad, kernels::MatmulPart::kCompute}) == 0);
    }
  });
}

TEST_CASE("formats: what cannot be built is refused by name") {
  const ChipConfig chip = load_chip_config("trn3").chip;
  const auto message = [&](const std::string& format, std::uint64_t k, const ChipConfig& on) {
    MatmulSpec spec;
    spec.m = spec.n = 128;
    spec.k = k;
    spec.format = format;
    try {
      kernels::build_matmul(spec, on);
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  CHECK_THAT(message("mxfp9", 512, chip), Catch::Contains("unknown format 'mxfp9'"));
  CHECK_THAT(message("mxfp8_e4m3fn", 500, chip),
             Catch::Contains("in mxfp8_e4m3fn: expected K to be a multiple of 128"));
  CHECK_THAT(message("sparse_4_12", 512, chip), Catch::Contains("a multiple of 12"));
  const ChipConfig trn2 = load_chip_config("trn2").chip;
  CHECK_THAT(message("mxfp4", 512, trn2), Catch::Contains("chip 'trn2' has no MX products"));
  CHECK_THAT(message("fp8_e4m3fn", 512, trn2), Catch::Contains("chip 'trn2' has no e4m3fn"));
  CHECK(message("fp8_e5m2", 512, trn2) == "no error");
}

}  // namespace tern::tb
