// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sw/app/host/run_options.h"
#include "sw/app/plan/plan.h"

// What planners have in common: each way to divide the work is simulated by a process of its own.
namespace tern::app {

// The ways to divide the plan's ranks that its keys allow: batch, sequence, stages and layers.
// Experts are as in the plan.
std::vector<collectives::RankGrid> grids_of(const Plan& plan);

// Whether the product of the first four parts, none of them 0, is that of the plan's ranks.
bool divides(const std::vector<unsigned>& parts, const Plan& plan);

// The arguments of this program for a trial: the workload with the chip, its overrides and the seed
// of these options, --time-plan with `parts`, and `more`.
std::vector<std::string> trial_arguments(const RunOptions& options,
                                         const std::vector<unsigned>& parts,
                                         const std::vector<std::string>& more = {});

// What the process printed, or why the plan cannot be: then `refused` is not empty. RunError if it
// failed for any other reason; `shown` names the trial. `place` is not repeated in the reason.
struct TrialResult {
  nlohmann::json json;
  std::string refused;
};
TrialResult run_trial(const std::vector<std::string>& arguments, const std::string& shown,
                      const std::string& place, const std::atomic<bool>* stop);

// Calls run(n, ends) for each n < count, as many at a time as there are processors, with a progress
// bar. The first exception ends all and is thrown. `ends` is for run_trial. Interrupted, if *stop
// becomes true.
void run_trials(std::size_t count, bool quiet, const std::atomic<bool>* stop,
                const std::function<void(std::size_t, const std::atomic<bool>*)>& run);

// The fastest first, by their times, then those that were refused. How many could be.
template <class Trial, class Time>
std::size_t sort_trials(std::vector<Trial>* trials, const Time& time) {
  const auto refused = std::stable_partition(
      trials->begin(), trials->end(), [](const Trial& trial) { return trial.refused.empty(); });
  std::stable_sort(trials->begin(), refused,
                   [&](const Trial& a, const Trial& b) { return time(a) < time(b); });
  return static_cast<std::size_t>(refused - trials->begin());
}

}  // namespace tern::app
