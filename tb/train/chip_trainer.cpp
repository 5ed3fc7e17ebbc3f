// SPDX-License-Identifier: Apache-2.0
#include "tb/train/chip_trainer.h"

#include "sw/numerics/convert.h"

namespace tern::tb {

std::vector<std::uint8_t> ChipTrainer::inputs_of(const std::vector<double>& x) const {
  const std::size_t features = spec_.sizes.front();
  const auto from = x.begin() + static_cast<std::ptrdiff_t>(first_ * features);
  const std::vector<float> singles(from, from + static_cast<std::ptrdiff_t>(share_ * features));
  std::vector<std::uint8_t> bytes(singles.size() * numerics::dtype_size(spec_.operand()));
  numerics::narrow(spec_.operand(), singles.data(), bytes.data(), singles.size());
  return bytes;
}

std::vector<std::int32_t> ChipTrainer::share_of(const std::vector<std::int32_t>& labels) const {
  const auto from = labels.begin() + static_cast<std::ptrdiff_t>(first_);
  return {from, from + static_cast<std::ptrdiff_t>(share_)};
}

std::size_t ChipTrainer::evaluate(const std::vector<double>& x,
                                  const std::vector<std::int32_t>& labels) {
  double sum = 0;
  for (const double one : ChipModel::evaluate(inputs_of(x), share_of(labels))) sum += one;
  return static_cast<std::size_t>(sum);
}

}  // namespace tern::tb
