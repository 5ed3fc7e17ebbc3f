// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sw/config/chip_config.h"
#include "sw/runtime/running_together.h"
#include "sw/runtime/runtime.h"
#include "sw/train/batches.h"
#include "sw/train/initial_state.h"
#include "sw/train/model.h"
#include "sw/train/state_shares.h"

namespace tern::app {

// A core that trains, alone or as one of several ranks of a plan: the programs of a step and of
// an evaluation loaded once, the state in its HBM. In a host thread.
class TrainingCore {
 public:
  // rank: it says which part of the batch; the core of the chip that has it.
  TrainingCore(runtime::Runtime& runtime, const ChipConfig& chip, const train::Model& model,
               unsigned core = 0)
      : TrainingCore(runtime, chip, model, core, core) {}
  TrainingCore(runtime::Runtime& runtime, const ChipConfig& chip, const train::Model& model,
               unsigned core, unsigned rank);

  // Before anything else. With ranks on several chips, whose tensors all exist:
  // peers, tensor_of as Runtime::load() takes them.
  void load_programs(const std::vector<std::uint64_t>& peers = {},
                     const runtime::Runtime::PeerTensorAddress& tensor_of = {});
  std::uint64_t address(const std::string& tensor) const { return buffers_.at(tensor).address(); }

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
  // What the evaluation says of each label, where it is in the whole batch.
  void evaluated(std::vector<float>* of_batch);

  // The model's prediction, of the window that was copied in last: logits [window, choices], of the
  // rank's part of it. All ranks that do it together prepare it first.
  void prepare_prediction();
  runtime::Program& prediction(const std::vector<std::int32_t>& window);
  std::vector<float> predicted();

  // The core's part of it.
  train::State state();
  // Of a whole state.
  void set_state(const train::State& state);
  train::State part_of(const train::State& state) const;

  // A copy on the chip of some of its state, made by a program, which all ranks run together; and
  // from there to the host, whatever the core does meanwhile.
  runtime::Program& state_copy(const std::vector<train::StateShare>& shares, std::uint64_t bytes);
  std::vector<std::uint8_t> kept();

  // The step as a debugging build, and what one of its tensors says of its first number that is not
  // finite.
  runtime::Program& debugging();
  std::size_t probes() const { return probes_.size(); }
  // Whether the program stores it during the backward pass or later.
  bool is_back(std::size_t probe) const;
  std::optional<std::string> not_finite(std::size_t probe);

 private:
  void allocate(const std::string& name, std::uint64_t bytes);
  // together: with the other ranks.
  runtime::Program load(Executable program, bool together = false);
  std::uint64_t bytes_of(std::size_t tensor) const;  // of the state
  void allocate_scratch(const Executable& program);
  std::vector<float> read(const std::string& name, train::DType dtype, std::size_t count);

  runtime::Runtime& runtime_;
  const ChipConfig chip_;
  const train::Model model_;
  const unsigned core_, rank_;
  Executable made_step_, made_evaluation_;  // until they are loaded
  std::optional<Executable> made_prediction_;
  std::vector<std::uint64_t> peers_;
  runtime::Runtime::PeerTensorAddress tensor_of_;
  std::map<std::string, runtime::Buffer> buffers_;
  std::optional<runtime::Program> step_, evaluation_, prediction_, debugging_, state_copy_;
  runtime::Buffer kept_;
  std::vector<train::Probe> probes_;
};

}  // namespace tern::app
