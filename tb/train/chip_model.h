// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sw/train/initial_state.h"
#include "sw/train/model.h"
#include "tb/runtime/platform.h"

namespace tern::tb {

// Steps of any model on a core of the chip; everything in a host thread.
class ChipModel {
 public:
  // Changes the program of a step before it is loaded.
  using Change = std::function<void(Executable*)>;
  ChipModel(
      Platform& platform, const train::Model& model, const train::OptimiserRules& rules,
      const train::State& state, bool probes = false, unsigned core = 0,
      const Change& change = [](Executable*) {});

  struct Result {
    double loss = 0;
    std::size_t correct = 0;
  };
  Result step(const std::vector<std::uint8_t>& x, const std::vector<std::int32_t>& labels,
              double rate);
  // The same in three parts.
  void copy_in(const std::vector<std::uint8_t>& x, const std::vector<std::int32_t>& labels,
               double rate);
  void execute() { platform_.runtime.execute(*step_); }
  Result wait();
  // The evaluation's result for each label.
  std::vector<double> evaluate(const std::vector<std::uint8_t>& x,
                               const std::vector<std::int32_t>& labels);

  train::State state();
  // A tensor of the state, or of the probes by what it is.
  std::vector<double> values(const std::string& name);
  const std::vector<train::Probe>& probes() const { return probes_; }

 private:
  void allocate(const std::string& name, std::uint64_t bytes);
  runtime::Program load(Executable program);
  void copy_batch(const std::vector<std::uint8_t>& x, const std::vector<std::int32_t>& labels);
  std::vector<double> read(const std::string& name, numerics::DType dtype, std::size_t count);

  Platform& platform_;
  const train::Model model_;
  const train::OptimiserRules rules_;
  const unsigned core_;
  std::vector<train::Probe> probes_;
  std::map<std::string, runtime::Buffer> buffers_;
  std::optional<runtime::Program> step_, evaluation_;
  std::uint64_t steps_ = 0;
};

}  // namespace tern::tb
