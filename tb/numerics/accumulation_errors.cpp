// SPDX-License-Identifier: Apache-2.0
// Measures what the ways of adding up a product cost in accuracy, and prints the table of
// docs/numerics.md, section 7. TERN_SEED chooses other random numbers (default: 0).
//
// Operands are drawn from the standard normal distribution and rounded to their format, so that
// products are exact: an error is that of the sum alone. Its reference is the sum in long double.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "sw/numerics/bf16.h"
#include "sw/numerics/fp8.h"
#include "sw/numerics/stochastic.h"

namespace {

using tern::numerics::bf16_from_float;
using tern::numerics::bf16_to_float;

constexpr unsigned kTerms = 4096, kChain = 128, kBlock = 32, kBlocksOfTile = 16;
constexpr unsigned kProducts = 4000;

struct Vectors {
  std::vector<float> a, b;
};

// Chains of fused multiply-adds over the rows of array A; `psum` adds each to what is there.
template <typename Psum>
double chains(const Vectors& v, Psum psum) {
  float sum = 0;
  for (unsigned i = 0; i < kTerms; i += kChain) {
    float chain = 0;
    for (unsigned k = i; k < i + kChain; ++k) chain = std::fma(v.a[k], v.b[k], chain);
    sum = psum(sum + chain);
  }
  return sum;
}

// Exact sums of 32 products, as in array X: 16 of them in a chain, each chain added in PSUM.
double blocks(const Vectors& v) {
  float sum = 0;
  for (unsigned i = 0; i < kTerms;) {
    float chain = 0;
    for (unsigned b = 0; b < kBlocksOfTile; ++b) {
      double block = 0;  // below 53 bits for these formats: exact
      for (unsigned k = 0; k < kBlock; ++k, ++i) block += double{v.a[i]} * v.b[i];
      chain += static_cast<float>(block);
    }
    sum += chain;
  }
  return sum;
}

// 32 products and the accumulator, cut to 25 bits below the greatest exponent among them; their sum
// is cut to binary32.
double truncated(const Vectors& v) {
  double sum = 0;
  for (unsigned i = 0; i < kTerms; i += kBlock) {
    std::array<double, kBlock + 1> terms{};
    int greatest = -1000;
    for (unsigned k = 0; k <= kBlock; ++k) {
      terms[k] = k < kBlock ? double{v.a[i + k]} * v.b[i + k] : sum;
      if (terms[k] != 0) greatest = std::max(greatest, std::ilogb(terms[k]));
    }
    double total = 0;
    for (const double term : terms) {
      total += std::ldexp(std::trunc(std::ldexp(term, 24 - greatest)), greatest - 24);
    }
    const int places = total == 0 ? 0 : 23 - std::ilogb(total);
    sum = std::ldexp(std::trunc(std::ldexp(total, places)), -places);
  }
  return sum;
}

struct Way {
  const char* name;
  const char* operands;
  double squares = 0;
};

}  // namespace

int main() {
  const char* text = std::getenv("TERN_SEED");
  std::mt19937_64 random(text == nullptr ? 0 : std::strtoull(text, nullptr, 10));
  std::normal_distribution<float> normal;
  std::array<Way, 5> ways = {{
      {"FP32 chains of 128, FP32 PSUM", "BF16"},
      {"exact block sums, FP32 addition", "E4M3FN"},
      {"products aligned and cut to 25 bits, then added", "E4M3FN"},
      {"FP32 chains of 128, BF16 PSUM, to nearest", "BF16"},
      {"FP32 chains of 128, BF16 PSUM, stochastic", "BF16"},
  }};
  double squares_bf16 = 0, squares_fp8 = 0;
  for (unsigned product = 0; product < kProducts; ++product) {
    Vectors bf16, fp8;
    long double exact_bf16 = 0, exact_fp8 = 0;
    for (unsigned k = 0; k < kTerms; ++k) {
      const float a = normal(random), b = normal(random);
      bf16.a.push_back(bf16_to_float(bf16_from_float(a)));
      bf16.b.push_back(bf16_to_float(bf16_from_float(b)));
      using tern::numerics::e4m3fn_from_float;
      using tern::numerics::e4m3fn_to_float;
      constexpr auto kSaturate = tern::numerics::Overflow::kSaturate;
      fp8.a.push_back(e4m3fn_to_float(e4m3fn_from_float(a, kSaturate)));
      fp8.b.push_back(e4m3fn_to_float(e4m3fn_from_float(b, kSaturate)));
      exact_bf16 += static_cast<long double>(bf16.a[k]) * bf16.b[k];
      exact_fp8 += static_cast<long double>(fp8.a[k]) * fp8.b[k];
    }
    const std::array<double, 5> results = {
        chains(bf16, [](float sum) { return sum; }),
        blocks(fp8),
        truncated(fp8),
        chains(bf16, [](float sum) { return bf16_to_float(bf16_from_float(sum)); }),
        chains(bf16,
               [&](float sum) {
                 const auto draw = static_cast<std::uint32_t>(random());
                 return bf16_to_float(tern::numerics::bf16_stochastically(sum, draw));
               }),
    };
    for (std::size_t w = 0; w < ways.size(); ++w) {
      const bool is_fp8 = w == 1 || w == 2;
      const auto error = static_cast<double>(results[w] - (is_fp8 ? exact_fp8 : exact_bf16));
      ways[w].squares += error * error;
    }
    squares_bf16 += static_cast<double>(exact_bf16 * exact_bf16);
    squares_fp8 += static_cast<double>(exact_fp8 * exact_fp8);
  }
  std::puts("| sums of 4,096 products | operands | relative rms error |\n|---|---|---|");
  for (std::size_t w = 0; w < ways.size(); ++w) {
    const double squares = w == 1 || w == 2 ? squares_fp8 : squares_bf16;
    std::printf("| %s | %s | %.1e |\n", ways[w].name, ways[w].operands,
                std::sqrt(ways[w].squares / squares));
  }
  return 0;
}
