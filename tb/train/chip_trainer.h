// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/train/mlp_training.h"
#include "tb/train/chip_model.h"

namespace tern::tb {

// Steps of an MLP on the chip, of one core or of one of several. x [batch, features] and labels are
// the whole batch, of which the core takes its share.
class ChipTrainer : public ChipModel {
 public:
  ChipTrainer(
      Platform& platform, const train::MlpSpec& spec, const train::State& state,
      bool probes = false, const kernels::CoreGroup& group = {},
      const Change& change = [](Executable*) {})
      : ChipModel(platform, train::mlp_model(spec, group), spec, state, probes, group.core, change),
        spec_(spec),
        share_(train::share_of(spec, group.cores)),
        first_(group.core * share_) {}

  Result step(const std::vector<double>& x, const std::vector<std::int32_t>& labels, double rate) {
    return ChipModel::step(inputs_of(x), share_of(labels), rate);
  }
  void copy_in(const std::vector<double>& x, const std::vector<std::int32_t>& labels, double rate) {
    ChipModel::copy_in(inputs_of(x), share_of(labels), rate);
  }
  std::size_t evaluate(const std::vector<double>& x, const std::vector<std::int32_t>& labels);

 private:
  std::vector<std::uint8_t> inputs_of(const std::vector<double>& x) const;
  std::vector<std::int32_t> share_of(const std::vector<std::int32_t>& labels) const;

  const train::MlpSpec spec_;
  const std::size_t share_, first_;
};

}  // namespace tern::tb
