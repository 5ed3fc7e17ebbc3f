// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sw/train/initial_state.h"
#include "sw/train/mlp_training.h"
#include "tb/runtime/platform.h"

namespace tern::tb {

// Steps on the chip, of one core or of one of several; everything in a host thread.
class ChipTrainer {
 public:
  // Changes the program of a step before it is loaded.
  using Change = std::function<void(Executable*)>;
  ChipTrainer(
      Platform& platform, const train::MlpSpec& spec, const train::State& state,
      bool probes = false, const kernels::CoreGroup& group = {},
      const Change& change = [](Executable*) {});

  struct Result {
    double loss = 0;
    std::size_t correct = 0;
  };
  // x [batch, features]
  Result step(const std::vector<double>& x, const std::vector<std::int32_t>& labels, double rate);
  // The same in three parts. x, labels: the whole batch, of which the core takes its share.
  void copy_in(const std::vector<double>& x, const std::vector<std::int32_t>& labels, double rate);
  void execute() { platform_.runtime.execute(*step_); }
  Result wait();

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
  const kernels::CoreGroup group_;
  const std::size_t share_;
  std::vector<train::Probe> probes_;
  std::map<std::string, runtime::Buffer> buffers_;
  std::optional<runtime::Program> step_, evaluation_;
  std::uint64_t steps_ = 0;
};

}  // namespace tern::tb
