// SPDX-License-Identifier: Apache-2.0
#include "sw/reference/formats.h"

#include <cstdio>
#include <stdexcept>

#include "sw/reference/quantize.h"
#include "sw/reference/reference.h"

namespace tern::reference {
namespace {

using Values = std::vector<float>;

template <typename Round>
Values rounded(Values values, Round round) {
  for (float& x : values) x = round(x);
  return values;
}

float as_bf16(float x) {
  return from_bf16(to_bf16(x));
}

float as_fp16(float x) {
  return from_fp16(to_fp16(x));
}

struct BlockFormats {
  const char* name;
  SmallFormat a, b;
  ScaleRule a_rule = ScaleRule::kAws, b_rule = ScaleRule::kAws;
};

constexpr BlockFormats kMx[] = {
    {"mxfp8_e4m3fn", SmallFormat::kE4m3fn, SmallFormat::kE4m3fn},
    {"mxfp8_e5m2", SmallFormat::kE5m2, SmallFormat::kE5m2},
    {"mxfp4", SmallFormat::kE2m1, SmallFormat::kE2m1, ScaleRule::kOcp, ScaleRule::kOcp},
    {"w4a8", SmallFormat::kE2m1, SmallFormat::kE4m3fn, ScaleRule::kOcp, ScaleRule::kAws},
    {"mxfp8_ocp", SmallFormat::kE4m3fn, SmallFormat::kE4m3fn, ScaleRule::kOcp, ScaleRule::kOcp},
    {"mxfp4_aws", SmallFormat::kE2m1, SmallFormat::kE2m1},
    {"w4a8_aws", SmallFormat::kE2m1, SmallFormat::kE4m3fn},
};
constexpr BlockFormats kDoubleRow[] = {
    {"fp8_e4m3", SmallFormat::kE4m3, SmallFormat::kE4m3},
    {"fp8_e4m3fn", SmallFormat::kE4m3fn, SmallFormat::kE4m3fn},
    {"fp8_e5m2", SmallFormat::kE5m2, SmallFormat::kE5m2},
};
constexpr BlockFormats kQuad[] = {
    {"quad_mxfp8", SmallFormat::kE4m3fn, SmallFormat::kE4m3fn},
    {"quad_mxfp4", SmallFormat::kE2m1, SmallFormat::kE2m1, ScaleRule::kOcp, ScaleRule::kOcp},
};

Values quad(const BlockFormats& formats, const Values& a, const Values& b, std::size_t k,
            std::size_t m, std::size_t n, Psum psum) {
  Values c;
  for (unsigned slot = 0; slot < 4; ++slot) {
    const auto part = [&](const Values& values, std::size_t columns) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(slot * k * columns);
      return Values(begin, begin + static_cast<std::ptrdiff_t>(k * columns));
    };
    const BlockOrder order = quad_order(k, slot);
    const Values result = matmul_blocks(
        quantize_blocks(part(a, m), m, formats.a, order, formats.a_rule),
        quantize_blocks(part(b, n), n, formats.b, order, formats.b_rule), order, psum);
    c.insert(c.end(), result.begin(), result.end());
  }
  return c;
}

}  // namespace

std::vector<float> matmul_in_format(const std::string& format, const std::vector<float>& a,
                                    const std::vector<float>& b, std::size_t k, std::size_t m,
                                    std::size_t n, Psum psum) {
  if (format == "bf16")
    return matmul_dense(rounded(a, as_bf16), rounded(b, as_bf16), k, m, n, psum);
  if (format == "fp16")
    return matmul_dense(rounded(a, as_fp16), rounded(b, as_fp16), k, m, n, psum);
  if (format == "tf32")
    return matmul_dense(rounded(a, to_tf32), rounded(b, to_tf32), k, m, n, psum);
  if (format == "fp32") return matmul_fp32(a, b, k, m, n, psum);
  for (const BlockFormats& known : kMx) {
    if (format != known.name) continue;
    const BlockOrder order = mx_order(k);
    return matmul_blocks(quantize_blocks(a, m, known.a, order, known.a_rule),
                         quantize_blocks(b, n, known.b, order, known.b_rule), order, psum);
  }
  for (const BlockFormats& known : kDoubleRow) {
    if (format != known.name) continue;
    return matmul_blocks(quantize_plain(a, m, known.a), quantize_plain(b, n, known.b),
                         double_row_order(k), psum);
  }
  for (const BlockFormats& known : kQuad) {
    if (format == known.name) return quad(known, a, b, k, m, n, psum);
  }
  unsigned kept = 0, group = 0;
  if (std::sscanf(format.c_str(), "sparse_%u_%u", &kept, &group) == 2) {
    return matmul_sparse(compress(rounded(a, as_bf16), k, m, kept, group), rounded(b, as_bf16), k,
                         n, psum);
  }
  throw std::invalid_argument("reference: unknown format '" + format + "'");
}

}  // namespace tern::reference
