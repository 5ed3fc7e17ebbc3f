// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sw/kernels/catalogue/kernel.h"

// Building blocks of the kernels' cases.
namespace tern::kernels {

// Numbers of an operand as the device holds them: rounded to the format.
struct CaseOperand {
  numerics::DType dtype = numerics::DType::kFp32;
  std::vector<float> values;
  CaseInput input(const std::string& name) const;
};

// Normal numbers with this mean and deviation. The same seed gives the same numbers everywhere;
// operands of one case use different streams.
CaseOperand random_operand(std::size_t count, numerics::DType dtype, std::uint64_t seed,
                           unsigned stream, double mean = 0, double deviation = 1);
// Whole numbers in [0, limit), as int32.
CaseOperand random_indices(std::size_t count, std::uint32_t limit, std::uint64_t seed,
                           unsigned stream);
CaseOperand operand(std::vector<float> values, numerics::DType dtype);

// Of a product w2^T hidden, [hidden, tokens], whose hidden values are rounded to BF16: they are off
// by at most 2^-8 of themselves, independently. Five standard deviations of the resulting sum,
// bounded by the largest weight and the longest column.
double rounded_hidden_tolerance(const std::vector<float>& w2, const std::vector<double>& hidden,
                                std::size_t tokens);

// Lines of a cost model. Cycles are the sums of the instructions' intervals.
CostLine tensor_cost(const ChipConfig& chip, double cycles, const std::string& formula);
CostLine vector_cost(const ChipConfig& chip, double cycles, const std::string& formula);
CostLine scalar_cost(const ChipConfig& chip, double cycles, const std::string& formula);
CostLine gpsimd_cost(const ChipConfig& chip, double cycles, const std::string& formula);
// Bytes between HBM and SBUF, at the practical rate of the core's 16 DMA engines.
CostLine dma_cost(const ChipConfig& chip, double bytes, const std::string& formula);

}  // namespace tern::kernels
