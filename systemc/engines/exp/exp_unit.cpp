// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/exp/exp_unit.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "sw/numerics/convert.h"
#include "sw/numerics/exp.h"
#include "sw/numerics/fp_modes.h"

namespace tern {

namespace {

bool is_exp_type(numerics::DType type) {
  return type == numerics::DType::kFp32 || type == numerics::DType::kBf16 ||
         type == numerics::DType::kFp16;
}

class ExpModel : public ExpUnit {
 public:
  std::uint64_t run(const ExpRequest& request) override;

 private:
  std::vector<float> row_, sums_;
};

// The order of the unit: (e0 + e1) + (e2 + e3) per group of four, then a chain over the groups. The
// row is padded to whole groups. Only the chain is serial, so it gets a separate loop.
float running_sum(const float* e, std::size_t groups, std::vector<float>* sums, float acc) {
  sums->resize(groups);
  float* s = sums->data();
  for (std::size_t g = 0; g < groups; ++g) {
    s[g] = (e[4 * g] + e[4 * g + 1]) + (e[4 * g + 2] + e[4 * g + 3]);
  }
  for (std::size_t g = 0; g < groups; ++g) acc += s[g];
  return numerics::canonical(acc);
}

std::uint64_t ExpModel::run(const ExpRequest& request) {
  check_exp_request(request);
  const numerics::ScopedFpModes modes;
  const std::size_t n = request.elements, groups = (n + kExpPerCycle - 1) / kExpPerCycle;
  row_.resize(groups * kExpPerCycle);
  float* row = row_.data();
  for (unsigned p = 0; p < request.partitions; ++p) {
    numerics::widen(request.source_type, request.source + p * request.source_pitch, row, n);
    const float m = request.m[p];
    for (std::size_t i = 0; i < n; ++i) row[i] = row[i] - m;
    numerics::exp_row(row, row, n);
    numerics::narrow(request.result_type, row, request.result + p * request.result_pitch, n);
    if (request.sum == ExpSum::kOff) continue;
    std::fill(row + n, row + row_.size(), 0.0f);
    request.accumulators[p] = running_sum(row, groups, &sums_, request.accumulators[p]);
  }
  return exp_cycles(n);
}

}  // namespace

void check_exp_request(const ExpRequest& request) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(std::string("exponential unit: ") + what);
  };
  require(request.partitions >= 1 && request.partitions <= kExpPartitions,
          "1 to 128 partitions expected");
  require(request.elements >= 1, "at least one element per partition expected");
  require(is_exp_type(request.source_type) && is_exp_type(request.result_type),
          "fp32, bf16 or fp16 expected");
  require(request.source != nullptr && request.result != nullptr && request.m != nullptr,
          "source, result and m expected");
  require(request.sum == ExpSum::kOff || request.accumulators != nullptr, "accumulators expected");
}

std::unique_ptr<ExpUnit> make_exp_model() {
  return std::make_unique<ExpModel>();
}

}  // namespace tern
