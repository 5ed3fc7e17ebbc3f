// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "sw/app/kinds/train/train_task.h"

namespace tern::app {

// What of a step under a plan is a rank's own work, what are bubbles, what is communication: the
// same step with programs that exchange less, on chips of their own.
class PlanTimer {
 public:
  // The task, the plan's fabric and the plan must outlive it. Without several ranks it has no
  // chips.
  PlanTimer(const TrainTask& task, const Plan& plan, const system::Fabric& fabric,
            const ChipConfig& chip);

  // In a host thread. step_us: that of all ranks.
  PlanTimes measure(const train::State& state, const train::Batch& batch,
                    const std::vector<float>& hyper, double step_us);

 private:
  // The plan's chips once more, so below a module of their own.
  struct Again : sc_core::sc_module {
    Again(const sc_core::sc_module_name& name, const Plan& plan, const system::Fabric& fabric,
          const ChipConfig& chip, std::vector<train::Model> models);
    TrainingChip chips;
  };
  std::vector<std::unique_ptr<TrainingChip>> alone_;  // with their cores' ranks
  std::unique_ptr<Again> handshakes_;                 // of a pipeline
};

}  // namespace tern::app
