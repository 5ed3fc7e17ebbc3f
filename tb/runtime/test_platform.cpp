// SPDX-License-Identifier: Apache-2.0
// The chip with a host that programs outside of the tree build.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sw/base/user_error.h"
#include "sw/kernels/matmul.h"
#include "sw/platform/platform.h"
#include "tb/common/sanitizers.h"

using namespace tern;  // NOLINT: test file
using Catch::Contains;
using numerics::DType;

namespace {

// Small integers: exact in every format and order.
std::vector<float> integers(std::size_t n, unsigned step) {
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<float>((i * step) % 13) - 6;
  return values;
}

struct Product {
  kernels::MatmulSpec spec;
  std::vector<float> a, b;
  std::map<std::string, Bytes> inputs;

  Product() {
    spec.m = 40, spec.k = 200, spec.n = 70;
    a = integers(spec.k * spec.m, 5);
    b = integers(spec.k * spec.n, 7);
    inputs = {{"a", to_bytes(a, DType::kBf16)}, {"b", to_bytes(b, DType::kBf16)}};
  }
  std::vector<float> expected() const {
    std::vector<float> c(spec.m * spec.n);
    for (std::size_t i = 0; i < spec.m; ++i) {
      for (std::size_t j = 0; j < spec.n; ++j) {
        for (std::size_t k = 0; k < spec.k; ++k)
          c[i * spec.n + j] += a[k * spec.m + i] * b[k * spec.n + j];
      }
    }
    return c;
  }
};

}  // namespace

TEST_CASE("platform: a call gives the product and what it cost, on any core, any number of times") {
  const Product product;
  Platform platform;
  const Executable program = kernels::build_matmul(product.spec, platform.config);
  for (const unsigned core : {0u, 0u, 7u}) {
    const CallResult result = platform.call(program, product.inputs, core);
    CHECK(to_floats(result.outputs.at("c"), DType::kFp32) == product.expected());
    CHECK(result.outputs.size() == 1);
    CHECK(result.run.seconds() > 1e-6);
    REQUIRE(result.counters.cores.size() == 8);
    for (unsigned other = 0; other < 8; ++other) {
      const std::uint64_t macs = product.spec.m * product.spec.k * product.spec.n;
      CHECK(result.counters.cores[other].macs == (other == core ? macs : 0));
      CHECK((result.counters.cores[other].dma_bytes > 0) == (other == core));
    }
    // Operands and the program come from HBM, the result goes there, by DMA.
    const std::uint64_t operands = 2 * product.spec.k * (product.spec.m + product.spec.n);
    const std::uint64_t output = 4 * product.spec.m * product.spec.n;
    CHECK(result.counters.hbm_read_bytes > operands);
    CHECK(result.counters.hbm_write_bytes >= output);
    CHECK(result.counters.cores[core].dma_bytes >= operands + output);
    CHECK(result.counters.host_write_bytes < 4096);  // registers, no tensors
  }
}

TEST_CASE("platform: a call inside of a host program is a part of it") {
  const Product product;
  Platform platform("trn2");
  const Executable program = kernels::build_matmul(product.spec, platform.config);
  std::vector<float> inside;
  platform.run([&] {
    const runtime::Buffer mine = platform.runtime.allocate("mine", 4096);
    inside = to_floats(platform.call(program, product.inputs).outputs.at("c"), DType::kFp32);
  });
  CHECK(inside == product.expected());
  // A fault of the caller leaves the chip usable, inside and outside.
  CHECK_THROWS_WITH(platform.run([&] { platform.call(program, product.inputs, 99); }),
                    Contains("core 99: the chip has cores 0..7"));
  CHECK(to_floats(platform.call(program, product.inputs).outputs.at("c"), DType::kFp32) == inside);
}

TEST_CASE("platform: inputs that are missing, unknown or of another size are named") {
  const Product product;
  Platform platform;
  const Executable program = kernels::build_matmul(product.spec, platform.config);
  auto inputs = product.inputs;
  inputs.erase("b");
  CHECK_THROWS_WITH(platform.call(program, inputs), Contains("input 'b' is missing"));
  inputs = product.inputs;
  inputs["x"] = {1};
  CHECK_THROWS_WITH(platform.call(program, inputs), Contains("has no tensor 'x'"));
  inputs = product.inputs;
  inputs["a"].pop_back();
  CHECK_THROWS_WITH(platform.call(program, inputs),
                    Contains("tensor 'a' takes 16000 bytes, got 15999"));
  CHECK_THROWS_AS(platform.call(program, inputs), UserError);
  CHECK_THROWS_WITH(to_bytes({1}, DType::kE2m1), Contains("'e2m1'"));
}

// SystemC 3 keeps the processes of a module whose constructor threw, and runs them.
#if IEEE_1666_SYSTEMC < 202301L
TEST_CASE("platform: an invalid configuration is reported, and another one may be built") {
  CHECK_THROWS_AS(Platform("trn9"), UserError);
  CHECK_THROWS_WITH(Platform("trn3", {{"tensor", "rtl", "test"}}), Contains("fast model only"));
  const Product product;
  Platform platform;
  const Executable program = kernels::build_matmul(product.spec, platform.config);
  CHECK(platform.call(program, product.inputs).outputs.count("c") == 1);
}
#endif

// The address sanitizer mistakes an exception after a run, on the first stack again, for a fault.
#if !TERN_HAS_SANITIZER(address_sanitizer)
TEST_CASE("platform: none is built after a run") {
  Platform platform;
  platform.run([] {});
  CHECK_THROWS_WITH(Platform(), Contains("a process builds one simulation"));
}
#endif
