// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/catalogue/case_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "sw/numerics/convert.h"

namespace tern::kernels {

namespace {

using numerics::DType;

double element(DType dtype, const std::uint8_t* bytes) {
  if (dtype == DType::kInt32) {  // not through FP32, which rounds above 2^24
    std::int32_t value = 0;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  if (dtype == DType::kUint32) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  return static_cast<double>(numerics::widen_element(dtype, bytes));
}

}  // namespace

std::size_t output_bytes(const CaseOutput& output) {
  std::size_t bytes = numerics::dtype_size(output.dtype);
  for (const std::uint64_t extent : output.shape) bytes *= extent;
  return bytes;
}

std::string element_place(const CaseOutput& output, std::size_t element) {
  std::string indices;
  for (std::size_t d = output.shape.size(); d-- > 0;) {
    indices = std::to_string(element % output.shape[d]) + (indices.empty() ? "" : ", ") + indices;
    element /= output.shape[d];
  }
  return fmt::format("{}[{}]", output.name, indices);
}

OutputError error_of(const CaseOutput& output, const std::uint8_t* bytes) {
  OutputError error;
  error.name = output.name;
  error.tolerance = output.tolerance;
  const std::size_t size = numerics::dtype_size(output.dtype);
  double squares = 0, norm = 0;
  std::size_t worst = 0;
  for (std::size_t i = 0; i < output.expected.size(); ++i) {
    const double value = element(output.dtype, bytes + i * size), expected = output.expected[i];
    if (std::isfinite(expected)) norm += expected * expected;
    if (value == expected || (std::isnan(value) && std::isnan(expected))) continue;
    const double difference = std::fabs(value - expected);
    const double scaled = difference / std::max(1.0, std::fabs(expected));
    const double here = std::isnan(scaled) ? INFINITY : scaled;
    if (here > error.largest) {
      error.largest = here;
      worst = i;
    }
    squares += difference * difference;
  }
  error.rms = norm > 0 ? std::sqrt(squares / norm) : std::sqrt(squares);
  error.place = element_place(output, worst);
  return error;
}

}  // namespace tern::kernels
