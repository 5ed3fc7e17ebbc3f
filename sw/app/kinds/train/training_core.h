// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sw/config/chip_config.h"
#include "sw/runtime/runtime.h"
#include "sw/train/batches.h"
#include "sw/train/initial_state.h"
#include "sw/train/model.h"

namespace tern::app {

// A core that trains, alone or as one of several that share a batch: the programs of a step and of
// an evaluation loaded once, the state in its HBM. In a host thread.
class TrainingCore {
 public:
  TrainingCore(runtime::Runtime& runtime, const ChipConfig& chip, const train::Model& model,
               unsigned core = 0);

  // The core's share of the batch: as many elements as its model takes.
  void copy_in(const train::Batch& batch);
  void copy_in(const std::vector<float>& hyper);
  runtime::Program& step() { return *step_; }
  runtime::Program& evaluation() { return *evaluation_; }
  struct Metrics {
    float loss = 0;
    std::uint32_t correct = 0;
  };
  Metrics metrics();
  std::vector<float> evaluated();  // of each label

  // The model's prediction: logits [window, choices].
  std::vector<float> predict(const std::vector<std::int32_t>& window);

  train::State state();
  void set_state(const train::State& state);

  // The step as a debugging build, and what it says of the first number that is not finite.
  runtime::Program& debugging();
  std::optional<std::string> first_not_finite();

 private:
  void allocate(const std::string& name, std::uint64_t bytes);
  runtime::Program load(Executable program);
  std::vector<float> read(const std::string& name, train::DType dtype, std::size_t count);

  runtime::Runtime& runtime_;
  const ChipConfig chip_;
  const train::Model model_;
  const unsigned core_;
  std::map<std::string, runtime::Buffer> buffers_;
  std::optional<runtime::Program> step_, evaluation_, prediction_, debugging_;
  std::vector<train::Probe> probes_;
};

// Programs of cores that share a batch: core 0, for which the others wait, is started last. The
// result is core 0's, until the last one has ended.
runtime::RunResult run_together(runtime::HostPort& host, runtime::Runtime& runtime,
                                const std::vector<runtime::Program*>& programs);

}  // namespace tern::app
