// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/operands.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "sw/app/report/text.h"
#include "sw/base/memory_limit.h"
#include "sw/base/user_error.h"
#include "sw/numerics/bf16.h"
#include "sw/numerics/fp16.h"

namespace tern::app {

using config::YamlValue;
using numerics::DType;

namespace {

constexpr std::int64_t kMaxRows = std::int64_t{1} << 31;

float rounded(float x, DType dtype) {
  return dtype == DType::kFp16 ? numerics::fp16_to_float(numerics::fp16_from_float(x))
                               : numerics::bf16_to_float(numerics::bf16_from_float(x));
}

bool fits(const data::Shape& shape, const data::Shape& expected) {
  return shape.size() == expected.size() &&
         std::equal(expected.begin(), expected.end(), shape.begin(),
                    [](std::size_t want, std::size_t got) {
                      return want == data::kAnyExtent ? got > 0 : want == got;
                    });
}

}  // namespace

void round_to(std::vector<float>* values, DType dtype) {
  for (float& x : *values) x = rounded(x, dtype);
}

std::optional<std::vector<float>> floats_of(const data::NpyArray& array) {
  std::vector<float> values;
  switch (array.dtype) {
    case data::DType::kF32:
      return array.values<float>();
    case data::DType::kF64:
      for (double x : array.values<double>()) values.push_back(static_cast<float>(x));
      return values;
    case data::DType::kF16:
      for (std::uint16_t x : array.values<std::uint16_t>())
        values.push_back(numerics::fp16_to_float(x));
      return values;
    default:
      return std::nullopt;
  }
}

Matrix read_matrix(const YamlValue& value, const data::Shape& expected) {
  const data::NpyArray array =
      read_named(value, [](const auto& path) { return data::read_npy(path); });
  if (!fits(array.shape, expected)) {
    std::string want;
    for (std::size_t e : expected) {
      want += (want.empty() ? "" : ", ") +
              (e == data::kAnyExtent ? std::string("any") : std::to_string(e));
    }
    const data::Shape turned(array.shape.rbegin(), array.shape.rend());
    value.fail(fmt::format("a .npy file of shape [{}], this one is {}{}", want,
                           data::to_string(array.shape),
                           fits(turned, expected) ? " (transposed? in numpy: w.T.copy())" : ""));
  }
  auto values = floats_of(array);
  if (!values) {
    value.fail(fmt::format("a .npy file of float16, float32 or float64, this one is {}",
                           data::name_of(array.dtype)));
  }
  return {array.shape, std::move(*values)};
}

void warn_not_finite(const YamlValue& value, const Matrix& matrix,
                     std::vector<std::string>* warnings) {
  std::size_t nans = 0, infinities = 0, first = 0;
  for (std::size_t i = 0; i < matrix.values.size(); ++i) {
    const float x = matrix.values[i];
    if (std::isfinite(x)) continue;
    if (nans + infinities == 0) first = i;
    (std::isnan(x) ? nans : infinities) += 1;
  }
  if (nans + infinities == 0) return;
  std::string place;
  std::size_t rest = first;
  for (auto extent = matrix.shape.rbegin(); extent != matrix.shape.rend(); ++extent) {
    place = std::to_string(rest % *extent) + (place.empty() ? "" : ", ") + place;
    rest /= *extent;
  }
  warnings->push_back(
      fmt::format("{}: key '{}': {} NaN and {} infinite of {} values in '{}', "
                  "the first at [{}]",
                  value.source(), value.key(), grouped(nans), grouped(infinities),
                  grouped(matrix.values.size()), value.as_path(), place));
}

std::vector<float> random_values(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<float> values(count);
  for (float& x : values) {
    double sum = 0;  // of 12 uniform numbers: mean 6, variance 1
    for (int i = 0; i < 3; ++i) {
      const std::uint64_t bits = engine();
      for (int j = 0; j < 4; ++j) sum += static_cast<double>((bits >> (16 * j)) & 0xFFFF) / 65536.0;
    }
    x = static_cast<float>(sum - 6);
  }
  return values;
}

void check_memory(const YamlValue& value, const std::string& what, double floats) {
  const std::string lack = base::lack_of_memory(floats * sizeof(float));
  if (lack.empty()) return;
  throw UserError(fmt::format("{}: key '{}': {} {}", value.source(), value.key(), what, lack));
}

Matrix load_operand(const YamlValue& value, std::size_t rows, std::uint64_t seed) {
  if (!value.is_map()) return read_matrix(value, {rows, data::kAnyExtent});
  const YamlValue random = value.as_map().get("random");
  const auto extents = random.as_list();
  if (extents.size() != 2) random.fail("two extents, [rows, columns]");
  const auto got = static_cast<std::size_t>(extents[0].as_integer(1, kMaxRows));
  if (rows != data::kAnyExtent && got != rows)
    extents[0].fail(fmt::format("{} rows, as operand a has", rows));
  Matrix matrix{{got, static_cast<std::size_t>(extents[1].as_integer(1, kMaxRows))}, {}};
  constexpr std::size_t kMaxElements = std::size_t{1} << 31;
  if (matrix.shape[0] > kMaxElements / matrix.shape[1]) random.fail("at most 2^31 elements");
  check_memory(random, fmt::format("an operand of [{}, {}]", matrix.shape[0], matrix.shape[1]),
               2.0 * static_cast<double>(matrix.shape[0]) * static_cast<double>(matrix.shape[1]));
  matrix.values = random_values(matrix.shape[0] * matrix.shape[1], seed);
  return matrix;
}

}  // namespace tern::app
