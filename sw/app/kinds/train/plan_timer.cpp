// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/train/plan_timer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tern::app {

PlanTimer::Again::Again(const sc_core::sc_module_name& name, const Plan& plan,
                        const system::Fabric& fabric, const ChipConfig& chip,
                        std::vector<train::Model> models)
    : sc_module(name), chips(fabric, plan.chips, plan.level, chip, std::move(models)) {}

PlanTimer::PlanTimer(const TrainTask& task, const Plan& plan, const system::Fabric& fabric,
                     const ChipConfig& chip) {
  for (std::vector<train::Model>& ranks : task.alone())
    alone_.push_back(std::make_unique<TrainingChip>(fmt::format("alone{}", alone_.size()), chip,
                                                    std::move(ranks)));
  std::vector<train::Model> all = task.handshakes();
  if (!all.empty())
    handshakes_ = std::make_unique<Again>("handshakes", plan, fabric, chip, std::move(all));
}

PlanTimes PlanTimer::measure(const train::State& state, const train::Batch& batch,
                             const std::vector<float>& hyper, double step_us) {
  const auto time_of = [&](TrainingChip& chip) {
    chip.set_state(state);
    return chip.step(batch, hyper).simulated_us;
  };
  PlanTimes times;
  times.step_us = step_us;
  for (const auto& chip : alone_) times.alone_us = std::max(times.alone_us, time_of(*chip));
  if (alone_.empty()) times.alone_us = step_us;
  times.handshakes_us = handshakes_ ? time_of(handshakes_->chips) : times.alone_us;
  // Simulations of the same work differ by parts of a microsecond, and no part is less than
  // nothing.
  times.handshakes_us = std::min(times.handshakes_us, times.step_us);
  times.alone_us = std::min(times.alone_us, times.handshakes_us);
  return times;
}

}  // namespace tern::app
