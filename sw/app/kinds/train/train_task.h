// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sw/app/kinds/train/train_record.h"
#include "sw/app/kinds/train/train_workload.h"
#include "sw/app/kinds/train/training_chip.h"
#include "sw/train/batches.h"
#include "sw/train/checkpoint.h"
#include "sw/train/model.h"

namespace tern::app {

// What is trained, on what, and how good it is: all that a run does not do for every training
// alike. Steps count from 0.
class TrainTask {
 public:
  virtual ~TrainTask() = default;

  virtual const std::vector<train::Model>& models() const = 0;  // of each core
  // Under a plan of several ranks, for times: what the ranks of a chip do by themselves, of each
  // chip that differs from those before; and of a pipeline what all ranks do if they say only that
  // they are done.
  virtual std::vector<std::vector<train::Model>> alone() const { return {}; }
  virtual std::vector<train::Model> handshakes() const { return {}; }
  virtual const train::OptimiserRules& rules() const = 0;
  // How often it is evaluated, and the steps that are done by then; the last time ends it.
  virtual std::uint64_t evaluations() const = 0;
  virtual std::uint64_t steps_of(std::uint64_t evaluations) const = 0;
  // Depends on the seed and the step alone.
  virtual train::Batch batch(std::uint64_t step) = 0;
  // A sum over what is not trained on.
  virtual double evaluate(TrainingChip& chip) = 0;
  virtual std::string note(double score) const = 0;  // for the progress

  // The host's own change of the state in front of a step.
  virtual bool changes_state(std::uint64_t /*step*/) const { return false; }
  virtual void change_state(train::State* /*state*/) const {}

  virtual void begin(TrainRecord* record) const = 0;
  virtual void score(double score, TrainRecord::Epoch* epoch) const = 0;
  // Behind the last step.
  virtual void finish(TrainingChip& chip, const train::Checkpoint& now, TrainRecord* record) = 0;
};

// The workload must outlive them.
std::unique_ptr<TrainTask> make_image_task(const ImageTraining& training, std::uint64_t seed);
std::unique_ptr<TrainTask> make_text_task(const TextTraining& training, std::uint64_t seed);

}  // namespace tern::app
