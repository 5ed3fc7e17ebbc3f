// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/app/kinds/output_file.h"
#include "sw/app/kinds/train/train_record.h"
#include "sw/app/kinds/train/train_workload.h"
#include "sw/train/checkpoint.h"

namespace tern::app {

// The weights of a training as .npy files, one per tensor: those it begins with (key `start`), and
// those it ends with (key `output`).

// Of the key `start`: a folder with all of them. UserErrors name the file.
StartWeights load_start(const config::YamlValue& value, const TrainWorkload& workload);

// In place of the random ones.
void apply_start(const TrainWorkload& workload, const std::vector<train::StateTensor>& tensors,
                 train::State* state);

// The folder that the weights go to, if that was asked for. With images also a workload of kind mlp
// that runs them on the test images.
class TrainedWeights {
 public:
  TrainedWeights(const RunOptions& options, const TrainWorkload& workload);
  void write(const std::vector<train::StateTensor>& tensors, const train::State& state,
             TrainRecord* record) const;

 private:
  const TrainWorkload& w_;
  const OutputFolder folder_;
};

}  // namespace tern::app
