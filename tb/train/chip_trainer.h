// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sw/train/initial_state.h"
#include "sw/train/mlp_training.h"
#include "tb/runtime/platform.h"

namespace tern::tb {

// Steps on the chip; everything in a host thread.
class ChipTrainer {
 public:
  ChipTrainer(Platform& platform, const train::MlpSpec& spec, const train::State& state,
              bool probes = false);

  struct Result {
    double loss = 0;
    std::size_t correct = 0;
  };
  // x [batch, features]
  Result step(const std::vector<double>& x, const std::vector<std::int32_t>& labels, double rate);
  std::size_t evaluate(const std::vector<double>& x, const std::vector<std::int32_t>& labels);

  train::State state();
  // A tensor of the state, or of the probes by what it is.
  std::vector<double> values(const std::string& name);
  const std::vector<train::Probe>& probes() const { return probes_; }

 private:
  void allocate(const std::string& name, std::uint64_t bytes);
  void copy_batch(const std::vector<double>& x, const std::vector<std::int32_t>& labels);
  std::vector<double> read(const std::string& name, numerics::DType dtype, std::size_t count);

  Platform& platform_;
  const train::MlpSpec spec_;
  std::vector<train::Probe> probes_;
  std::map<std::string, runtime::Buffer> buffers_;
  std::optional<runtime::Program> step_, evaluation_;
  std::uint64_t steps_ = 0;
};

}  // namespace tern::tb
