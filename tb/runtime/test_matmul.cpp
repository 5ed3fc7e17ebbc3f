// SPDX-License-Identifier: Apache-2.0
// The matmul kernel on the chip, bit for bit against the host reference.
#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "sw/kernels/matmul.h"
#include "tb/common/seed.h"
#include "tb/runtime/platform.h"
#include "tb/runtime/reference.h"

namespace tern::tb {

namespace {

using kernels::MatmulSpec;
using numerics::DType;

MatmulSpec shape(std::uint64_t m, std::uint64_t k, std::uint64_t n, DType input = DType::kBf16,
                 DType output = DType::kFp32) {
  MatmulSpec spec;
  spec.m = m;
  spec.k = k;
  spec.n = n;
  spec.format = numerics::dtype_name(input);
  spec.output = output;
  return spec;
}

// Elements that differ from the reference.
std::size_t wrong_elements(Platform& platform, const MatmulSpec& spec, std::mt19937_64& random,
                           bool wild = false) {
  runtime::Runtime& runtime = platform.runtime;
  const Half format = spec.format == "bf16" ? Half::kBf16 : Half::kFp16;
  const auto a = random_half(format, spec.k * spec.m, random, wild);
  const auto b = random_half(format, spec.k * spec.n, random, wild);
  const std::size_t size = numerics::dtype_size(spec.output);
  const runtime::Buffer ba = runtime.allocate("a", a.size() * 2);
  const runtime::Buffer bb = runtime.allocate("b", b.size() * 2);
  const runtime::Buffer bc = runtime.allocate("c", spec.m * spec.n * size);
  std::vector<std::uint8_t> c(bc.bytes(), 0xA5);
  runtime.copy_to_device(ba, a.data(), ba.bytes());
  runtime.copy_to_device(bb, b.data(), bb.bytes());
  runtime.copy_to_device(bc, c.data(), bc.bytes());
  auto program = runtime.load(kernels::build_matmul(spec, platform.config),
                              {{"a", &ba}, {"b", &bb}, {"c", &bc}});
  runtime.run(program);
  runtime.copy_from_device(bc, c.data(), bc.bytes());
  const auto expected = reference_matmul(format, a, b, spec.m, spec.k, spec.n);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (spec.output == DType::kFp32) {
      std::uint32_t got;
      std::memcpy(&got, &c[i * 4], 4);
      wrong += got != canonical_bits(expected[i]) ? 1 : 0;
    } else {
      std::uint16_t got;
      std::memcpy(&got, &c[i * 2], 2);
      wrong += got != float_to_bf16(expected[i]) ? 1 : 0;
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("matmul: sizes around every tile border, bit for bit") {
  Platform platform;
  std::mt19937_64 random(test_seed());
  platform.run([&] {
    for (const MatmulSpec& spec :
         {shape(1, 1, 1), shape(1, 300, 1), shape(129, 1, 1), shape(1, 1, 513),
          shape(128, 128, 512), shape(129, 129, 513), shape(127, 127, 511), shape(300, 200, 700),
          shape(64, 257, 33), shape(3, 7, 4097), shape(257, 130, 1030)}) {
      INFO(spec.m << " x " << spec.k << " x " << spec.n);
      CHECK(wrong_elements(platform, spec, random) == 0);
    }
  });
}

TEST_CASE("matmul: FP16 operands and BF16 results, bit for bit") {
  Platform platform;
  std::mt19937_64 random(test_seed() + 1);
  platform.run([&] {
    CHECK(wrong_elements(platform, shape(130, 260, 600, DType::kFp16), random) == 0);
    CHECK(wrong_elements(platform, shape(130, 260, 600, DType::kBf16, DType::kBf16), random) == 0);
    CHECK(wrong_elements(platform, shape(70, 300, 90, DType::kFp16, DType::kBf16), random) == 0);
  });
}

TEST_CASE("matmul: NaN, infinities, subnormals and overflow, bit for bit") {
  Platform platform;
  std::mt19937_64 random(test_seed() + 2);
  platform.run([&] {
    CHECK(wrong_elements(platform, shape(40, 3, 50), random, true) == 0);
    CHECK(wrong_elements(platform, shape(40, 3, 50, DType::kFp16), random, true) == 0);
    CHECK(wrong_elements(platform, shape(40, 140, 50, DType::kBf16, DType::kBf16), random, true) ==
          0);
  });
}

TEST_CASE("matmul: operands that do not fit into SBUF are streamed, bit for bit") {
  // 48 KiB per partition: every kind of streaming occurs at sizes a test can afford.
  Platform platform("trn3", {{"core.sbuf_kib_per_partition", "48", "test"}});
  std::mt19937_64 random(test_seed() + 3);
  platform.run([&] {
    for (const MatmulSpec& spec : {shape(100, 3000, 1200),    // one tile of rows, B streamed
                                   shape(300, 1300, 1100),    // A resident, B streamed
                                   shape(1500, 2000, 200),    // a group of A resident, B streamed
                                   shape(600, 5000, 300)}) {  // both streamed
      INFO(spec.m << " x " << spec.k << " x " << spec.n);
      CHECK(wrong_elements(platform, spec, random) == 0);
    }
  });
}

TEST_CASE("matmul: random shapes, bit for bit") {
  Platform platform;
  std::mt19937_64 random(test_seed() + 4);
  platform.run([&] {
    for (int i = 0; i < 12; ++i) {
      const auto pick = [&](unsigned most) { return 1 + random() % most; };
      const MatmulSpec spec =
          shape(pick(400), pick(500), pick(1500), random() % 2 != 0 ? DType::kBf16 : DType::kFp16,
                random() % 2 != 0 ? DType::kFp32 : DType::kBf16);
      INFO(spec.m << " x " << spec.k << " x " << spec.n);
      CHECK(wrong_elements(platform, spec, random) == 0);
    }
  });
}

TEST_CASE("matmul: load and compute as two programs give what one gives") {
  Platform platform;
  std::mt19937_64 random(test_seed() + 5);
  platform.run([&] {
    runtime::Runtime& runtime = platform.runtime;
    MatmulSpec spec = shape(200, 300, 1100);
    const auto a = random_half(Half::kBf16, spec.k * spec.m, random);
    const auto b = random_half(Half::kBf16, spec.k * spec.n, random);
    const runtime::Buffer ba = runtime.allocate("a", a.size() * 2);
    const runtime::Buffer bb = runtime.allocate("b", b.size() * 2);
    const runtime::Buffer bc = runtime.allocate("c", spec.m * spec.n * 4);
    runtime.copy_to_device(ba, a.data(), ba.bytes());
    runtime.copy_to_device(bb, b.data(), bb.bytes());
    for (const auto part : {kernels::MatmulPart::kLoad, kernels::MatmulPart::kCompute}) {
      spec.part = part;
      auto program = runtime.load(kernels::build_matmul(spec, platform.config),
                                  {{"a", &ba}, {"b", &bb}, {"c", &bc}});
      runtime.run(program);
      runtime.run(program);  // any number of times
    }
    std::vector<float> c(spec.m * spec.n);
    runtime.copy_from_device(bc, c.data(), bc.bytes());
    CHECK(c == reference_matmul(Half::kBf16, a, b, spec.m, spec.k, spec.n));
  });
}

}  // namespace tern::tb
