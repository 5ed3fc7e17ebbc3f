// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/catalogue/case_parts.h"

// Common part of the kernels that normalise rows: the work on chunks of up to 128 rows.
namespace tern::kernels {

struct NormSpec {
  enum class Kind { kRms, kLayer };
  Kind kind = Kind::kRms;
  std::uint64_t rows = 0, columns = 0;
  DType dtype = DType::kBf16;
  double epsilon = 1e-6;

  static constexpr std::uint32_t kMaxColumns = 16384;
  // Columns of one instruction: rows of 4 KiB for the DMA.
  std::uint32_t chunk() const { return dtype == DType::kFp32 ? 1024 : 2048; }
  std::uint32_t chunks() const {
    return static_cast<std::uint32_t>((columns + chunk() - 1) / chunk());
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(numerics::dtype_size(dtype)); }
};

// Statistics of a block of rows, chunk by chunk; then its chunks normalised.
//
// rms: Scalar squares and sums, one cycle per element; Vector multiplies by 1 / rms and by gamma.
// In BF16 these are two instructions with a rounding between them, 1/4 + 1 cycles: faster than the
// one without, which takes 2.
//
// layer: Vector finds mean and variance by bn_stats, one cycle per element. Sums and squares on
// Scalar would need two passes, and fail for a mean that is large compared with the deviation. Then
// (x - mean) * gamma on Vector (BF16: one cycle, FP32: two), times 1 / deviation on Scalar, plus
// beta on GpSimd (two cycles), in FP32 until the last.
class RowNorm {
 public:
  RowNorm(KernelBuilder& kb, const NormSpec& spec);

  struct Rows {
    unsigned rows = 0;
    Tile statistics;        // layer: groups of bn_stats
    Tile moments, inverse;  // mean and variance, or the sum of squares; 1 / deviation or 1 / rms
  };
  Rows begin(unsigned rows);
  // x: chunk `index` of the rows. All chunks of a block, in order, before the next block's.
  void add(const Rows& block, unsigned index, const Tile& x);
  void end(const Rows& block);
  // x: the columns from `first` on. The result is free for a store.
  Tile normalise(const Rows& block, std::uint64_t first, const Tile& x);

 private:
  Tile load(const char* name);

  KernelBuilder& kb_;
  const NormSpec spec_;
  Tile gamma_, beta_;
  TilePool results_, products_, scaled_, squares_, statistics_, moments_, inverses_;
};

// A case's operands and cost lines.
struct NormOperands {
  CaseOperand gamma, beta;
  std::vector<CaseInput> inputs() const;
};
NormOperands norm_operands(const NormSpec& spec, std::uint64_t seed);
std::vector<double> norm_expected(const NormSpec& spec, const std::vector<double>& x,
                                  const NormOperands& operands);
double norm_tolerance(const NormSpec& spec, const std::vector<double>& x,
                      const NormOperands& operands);
// Cycles per element of a row on each engine, without the chunks' latencies.
struct NormCycles {
  double vector = 0, scalar = 0, gpsimd = 0;
};
NormCycles norm_cycles(const NormSpec& spec);
std::vector<CostLine> norm_cost(const NormSpec& spec, const ChipConfig& chip,
                                const NormCycles& per_element, double transfers);

// Parameters "rows", "columns", "dtype" and "epsilon".
NormSpec norm_spec(const Parameters& parameters, NormSpec::Kind kind);

}  // namespace tern::kernels
