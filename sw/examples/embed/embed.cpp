// SPDX-License-Identifier: Apache-2.0
// Embeds a chip in a custom program: a matrix product and an attention, with their cost.
#include <cstdio>
#include <random>

#include "sw/kernels/attention.h"
#include "sw/kernels/matmul.h"
#include "sw/platform/platform.h"

using tern::numerics::DType;

int sc_main(int, char**) {
  tern::Platform platform("trn3");
  std::mt19937 random(1);
  const auto draw = [&](std::size_t n) {
    std::vector<float> values(n);
    for (float& v : values) v = static_cast<float>(random() % 17) - 8;
    return tern::to_bytes(values, DType::kBf16);
  };
  const auto report = [](const char* name, const tern::CallResult& r, double value) {
    std::printf("%s: %.2f us, %llu MACs, %llu bytes read from HBM, first element %g\n", name,
                r.run.seconds() * 1e6, static_cast<unsigned long long>(r.counters.cores[0].macs),
                static_cast<unsigned long long>(r.counters.hbm_read_bytes), value);
  };

  tern::kernels::MatmulSpec matmul;  // C[M, N] = A[K, M]^T x B[K, N]
  matmul.m = 256, matmul.k = 512, matmul.n = 384;
  const tern::Bytes a = draw(512 * 256), b = draw(512 * 384);
  const auto product =
      platform.call(tern::kernels::build_matmul(matmul, platform.config), {{"a", a}, {"b", b}});
  report("matmul", product, tern::to_floats(product.outputs.at("c"), DType::kFp32)[0]);

  tern::kernels::AttentionSpec attention;  // softmax(Q^T K / sqrt(d)) V for each head
  attention.heads = 2, attention.queries = attention.keys = 512, attention.d = 64;
  const auto attended = platform.call(
      tern::kernels::build_attention(attention, platform.config),
      {{"q", draw(2 * 64 * 512)}, {"k", draw(2 * 64 * 512)}, {"v", draw(2 * 512 * 64)}});
  report("attention", attended, tern::to_floats(attended.outputs.at("out"), DType::kBf16)[0]);

  const auto as = tern::to_floats(a, DType::kBf16), bs = tern::to_floats(b, DType::kBf16);
  double expected = 0;
  for (unsigned k = 0; k < 512; ++k) expected += double{as[k * 256]} * bs[k * 384];
  std::printf("matmul on the host: first element %g\n", expected);
  return tern::to_floats(product.outputs.at("c"), DType::kFp32)[0] == static_cast<float>(expected)
             ? 0
             : 1;
}
