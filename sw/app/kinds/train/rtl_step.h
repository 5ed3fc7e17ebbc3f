// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/app/kinds/train/train_record.h"
#include "sw/app/kinds/train/training_chip.h"
#include "sw/train/initial_state.h"
#include "sw/train/model.h"

namespace tern::app {

// What a step on a chip gave, and the state after it.
struct StepDone {
  TrainingChip::StepResult result;
  train::State state;
};

// The same step on models and on RTL, word by word. Its wall time is left to the caller.
RtlStep compare_step(std::uint64_t step, const std::vector<train::StateTensor>& tensors,
                     const StepDone& model, const StepDone& rtl);

}  // namespace tern::app
