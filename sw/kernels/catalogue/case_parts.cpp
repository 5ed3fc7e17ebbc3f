// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/catalogue/case_parts.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "sw/config/dma_rates.h"
#include "sw/numerics/convert.h"
#include "sw/spec/generated/address_map.h"

namespace tern::kernels {

namespace {

using numerics::DType;

// A separate sequence for every stream of a seed.
std::mt19937_64 generator(std::uint64_t seed, unsigned stream) {
  return std::mt19937_64(seed * 0x9E3779B97F4A7C15u + stream);
}

std::vector<std::uint8_t> packed(const std::vector<float>& values, DType dtype) {
  std::vector<std::uint8_t> bytes(values.size() * numerics::dtype_size(dtype));
  if (!values.empty()) numerics::narrow(dtype, values.data(), bytes.data(), values.size());
  return bytes;
}

CostLine engine_cost(const char* resource, double clock_ghz, double cycles,
                     const std::string& formula) {
  return {resource, cycles / clock_ghz * 1e-3, formula};
}

}  // namespace

CaseInput CaseOperand::input(const std::string& name) const {
  return {name, packed(values, dtype)};
}

CaseOperand operand(std::vector<float> values, DType dtype) {
  const std::vector<std::uint8_t> bytes = packed(values, dtype);
  if (!values.empty()) numerics::widen(dtype, bytes.data(), values.data(), values.size());
  return {dtype, std::move(values)};
}

CaseOperand random_operand(std::size_t count, DType dtype, std::uint64_t seed, unsigned stream,
                           double mean, double deviation) {
  // The sum of twelve uniform numbers: the standard distributions differ between libraries.
  std::mt19937_64 random = generator(seed, stream);
  std::vector<float> values(count);
  for (float& value : values) {
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
      const std::uint64_t bits = random();
      for (int j = 0; j < 4; ++j) sum += static_cast<double>((bits >> (16 * j)) & 0xFFFF) / 65536.0;
    }
    value = static_cast<float>(mean + deviation * (sum - 6));
  }
  return operand(std::move(values), dtype);
}

CaseOperand random_indices(std::size_t count, std::uint32_t limit, std::uint64_t seed,
                           unsigned stream) {
  std::mt19937_64 random = generator(seed, stream);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random() % limit);
  return operand(std::move(values), DType::kInt32);
}

double rounded_hidden_tolerance(const std::vector<float>& w2, const std::vector<double>& hidden,
                                std::size_t tokens) {
  double weight = 0, longest = 0;
  for (const float w : w2) weight = std::max(weight, std::fabs(static_cast<double>(w)));
  for (std::size_t token = 0; token < tokens; ++token) {
    double squares = 0;
    for (std::size_t i = token; i < hidden.size(); i += tokens) squares += hidden[i] * hidden[i];
    longest = std::max(longest, std::sqrt(squares));
  }
  return 0x1p-8 * 5 / std::sqrt(3.0) * weight * longest;
}

CostLine tensor_cost(const ChipConfig& chip, double cycles, const std::string& formula) {
  return engine_cost("tensor engine", chip.core.tensor_clock_ghz, cycles, formula);
}
CostLine vector_cost(const ChipConfig& chip, double cycles, const std::string& formula) {
  return engine_cost("Vector", chip.core.vector.clock_ghz, cycles, formula);
}
CostLine scalar_cost(const ChipConfig& chip, double cycles, const std::string& formula) {
  return engine_cost("Scalar", chip.core.scalar.clock_ghz, cycles, formula);
}
CostLine gpsimd_cost(const ChipConfig& chip, double cycles, const std::string& formula) {
  return engine_cost("GpSimd", chip.core.gpsimd.clock_ghz, cycles, formula);
}

CostLine dma_cost(const ChipConfig& chip, double bytes, const std::string& formula) {
  return {"HBM + DMA", bytes / (practical_gb_per_s(chip) * 1e3), formula};
}

}  // namespace tern::kernels
