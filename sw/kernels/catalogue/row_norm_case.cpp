// SPDX-License-Identifier: Apache-2.0
// Operands, tolerance and cost model of cases with a norm of rows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sw/kernels/builder/memory/limits.h"
#include "sw/kernels/catalogue/blocks.h"
#include "sw/kernels/catalogue/row_norm.h"
#include "sw/reference/kernels/normalisation.h"

namespace tern::kernels {

std::vector<CaseInput> NormOperands::inputs() const {
  std::vector<CaseInput> result = {gamma.input("gamma")};
  if (!beta.values.empty()) result.push_back(beta.input("beta"));
  return result;
}

NormOperands norm_operands(const NormSpec& spec, std::uint64_t seed) {
  NormOperands result;
  result.gamma = random_operand(spec.columns, spec.dtype, seed, 100, 1, 0.25);
  if (spec.kind == NormSpec::Kind::kLayer)
    result.beta = random_operand(spec.columns, spec.dtype, seed, 101, 0, 0.25);
  return result;
}

std::vector<double> norm_expected(const NormSpec& spec, const std::vector<double>& x,
                                  const NormOperands& operands) {
  if (spec.kind == NormSpec::Kind::kLayer) {
    return reference::layer_norm(x, operands.gamma.values, operands.beta.values, spec.epsilon);
  }
  return reference::rms_norm(x, operands.gamma.values, spec.epsilon);
}

namespace {

double largest_magnitude(const std::vector<float>& values) {
  double largest = 0;
  for (const float value : values)
    largest = std::max(largest, std::fabs(static_cast<double>(value)));
  return largest;
}

// Of all rows: the largest magnitude over the standard deviation.
double largest_over_deviation(const NormSpec& spec, const std::vector<double>& x) {
  double result = 0;
  for (std::size_t row = 0; row < spec.rows; ++row) {
    const double* values = x.data() + row * spec.columns;
    double sum = 0, squares = 0, largest = 0;
    for (std::size_t c = 0; c < spec.columns; ++c) {
      sum += values[c];
      largest = std::max(largest, std::fabs(values[c]));
    }
    const double mean = sum / static_cast<double>(spec.columns);
    for (std::size_t c = 0; c < spec.columns; ++c)
      squares += (values[c] - mean) * (values[c] - mean);
    const double variance = squares / static_cast<double>(spec.columns);
    result = std::max(result, largest / std::sqrt(variance + spec.epsilon));
  }
  return result;
}

}  // namespace

// Relative to a result, or to 1 if that is more.
// rms: the sum of squares is one chain of additions, each rounding below 2^-24 of it, and its root
// halves that; in BF16 two roundings of 2^-8.
// layer: chains of 256 elements, then the merge of the groups; the terms of the sum are some
// 8 times the result or 1, more where a row is far from zero relative to its deviation; in BF16 one
// rounding.
double norm_tolerance(const NormSpec& spec, const std::vector<double>& x,
                      const NormOperands& operands) {
  const bool bf16 = spec.dtype == DType::kBf16;
  const auto columns = static_cast<double>(spec.columns);
  if (spec.kind == NormSpec::Kind::kRms)
    return columns * 0x1p-25 + 0x1p-20 + (bf16 ? 0x1p-7 : 0x1p-23);
  const double chain = std::min(columns, 256.0) + columns / 256;
  const double terms =
      std::max(8.0, 2 * largest_over_deviation(spec, x) * largest_magnitude(operands.gamma.values));
  return terms * chain * 0x1p-25 + 0x1p-20 + (bf16 ? 0x1p-8 : 0x1p-23);
}

NormCycles norm_cycles(const NormSpec& spec) {
  const bool fp32 = spec.dtype == DType::kFp32;
  if (spec.kind == NormSpec::Kind::kRms) return {fp32 ? 2 : 1.25, 1, 0};
  // An odd number of elements in a chunk takes two cycles for each of them.
  const bool odd = spec.columns < spec.chunk() && spec.columns % 2 != 0;
  return {fp32 || odd ? 3.0 : 2.0, 1, 2};
}

std::vector<CostLine> norm_cost(const NormSpec& spec, const ChipConfig& chip,
                                const NormCycles& per_element, double transfers) {
  const double elements =
      static_cast<double>(blocks_of(spec.rows, kPartitions)) * static_cast<double>(spec.columns);
  const double bytes = static_cast<double>(spec.rows * spec.columns * spec.size());
  const auto formula = [](double cycles) {
    return fmt::format("rows / 128 x columns x {}", cycles);
  };
  const auto& [vector, scalar, gpsimd] = per_element;
  std::vector<CostLine> result;
  if (vector > 0) result.push_back(vector_cost(chip, elements * vector, formula(vector)));
  if (scalar > 0) result.push_back(scalar_cost(chip, elements * scalar, formula(scalar)));
  if (gpsimd > 0) result.push_back(gpsimd_cost(chip, elements * gpsimd, formula(gpsimd)));
  result.push_back(
      dma_cost(chip, transfers * bytes, fmt::format("{} x bytes of a matrix", transfers)));
  return result;
}

NormSpec norm_spec(const Parameters& parameters, NormSpec::Kind kind) {
  NormSpec spec;
  spec.kind = kind;
  spec.rows = static_cast<std::uint64_t>(parameters.integer("rows", 1, 1 << 20));
  spec.columns =
      static_cast<std::uint64_t>(parameters.integer("columns", 1, NormSpec::kMaxColumns));
  if (spec.rows * spec.columns > (1u << 26)) parameters.fail("columns", "at most 2^26 elements");
  const bool bf16 = parameters.choice("dtype", {"bf16", "fp32"}) == "bf16";
  spec.dtype = bf16 ? DType::kBf16 : DType::kFp32;
  spec.epsilon = parameters.number("epsilon", 1e-12, 1);
  return spec;
}

}  // namespace tern::kernels
