// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/pack/double_row_pack.h"

#include <algorithm>
#include <string>

#include "sw/base/math.h"
#include "sw/base/user_error.h"
#include "sw/kernels/pack/matrix_check.h"
#include "sw/spec/generated/tensor_shapes.h"

namespace tern::kernels {

namespace {

using numerics::DType;

constexpr std::size_t kTileRows = TERN_TENSOR_ROWS, kPlanes = 2, kBlockRows = 8;
constexpr std::size_t kPitchGrain = 4;  // the engine loads four columns at once

const numerics::SmallFormat& format_of(DType dtype) {
  switch (dtype) {
    case DType::kE4m3:
      return numerics::kE4m3;
    case DType::kE4m3Fn:
      return numerics::kE4m3Fn;
    case DType::kE5m2:
      return numerics::kE5m2;
    default:
      throw UserError("FP8: expected e4m3, e4m3fn or e5m2, got " +
                      std::string(numerics::dtype_name(dtype)));
  }
}

}  // namespace

std::vector<std::uint8_t> encode_fp8(const std::vector<float>& values, DType dtype,
                                     numerics::Overflow overflow) {
  const numerics::SmallFormat& format = format_of(dtype);
  std::vector<std::uint8_t> codes(values.size());
  std::transform(values.begin(), values.end(), codes.begin(), [&](float value) {
    return numerics::encode_bits(format, numerics::bits_of(value), overflow);
  });
  return codes;
}

DoubleRowPacked pack_double_row(const std::vector<float>& values, std::size_t k,
                                std::size_t columns, DType dtype, numerics::Overflow overflow) {
  check_matrix("pack_double_row", values.size(), k, columns);
  const std::vector<std::uint8_t> codes = encode_fp8(values, dtype, overflow);
  DoubleRowPacked packed;
  packed.pitch = round_up(columns, kPitchGrain);
  for (std::size_t first = 0; first < k; first += kTileRows * kPlanes) {
    const std::size_t rest = std::min(k - first, kTileRows * kPlanes);
    const std::size_t rows = round_up(rest, kPlanes * kBlockRows) / kPlanes;
    packed.data.resize((packed.rows + rows) * kPlanes * packed.pitch);
    for (std::size_t i = 0; i < rest; ++i) {
      const std::size_t row = packed.rows + i % rows, plane = i / rows;
      std::copy_n(codes.begin() + static_cast<std::ptrdiff_t>((first + i) * columns), columns,
                  packed.data.begin() +
                      static_cast<std::ptrdiff_t>((row * kPlanes + plane) * packed.pitch));
    }
    packed.rows += rows;
  }
  return packed;
}

}  // namespace tern::kernels
