// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/search/search_planner.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/app/host/interrupt.h"
#include "sw/app/plan/trials.h"
#include "sw/base/stop.h"
#include "sw/base/user_error.h"

namespace tern::app {

namespace {

std::vector<std::string> arguments_of(const RunOptions& options,
                                      const collectives::RankGrid& grid) {
  std::vector<std::string> texts;
  for (const std::string& query : options.queries) texts.push_back("--query=" + query);
  if (options.search.every) texts.push_back(fmt::format("--every={}", *options.search.every));
  if (options.search.count) texts.push_back(fmt::format("--count={}", *options.search.count));
  return trial_arguments(options, {grid.data, grid.sequence, grid.pipeline, grid.tensor, 1, 1},
                         texts);
}

}  // namespace

bool take_timed_parts(const RunOptions& options, SearchWorkload* workload) {
  const std::vector<unsigned>& parts = options.train.time_plan;
  if (parts.empty()) return false;
  if (!workload->plan)
    throw UserError(fmt::format("--time-plan: {} has no key 'plan'", options.workload));
  const auto refuse = [](bool given, const char* option) {
    if (given)
      throw UserError(fmt::format("--time-plan: not with {}, nothing is searched", option));
  };
  refuse(!options.report.empty(), "--report");
  refuse(!options.output.empty(), "--output");
  const std::vector<unsigned> rest(parts.begin() + 4, parts.end());
  const bool is_search =
      std::count(parts.begin(), parts.begin() + 4, 0U) == 0 &&
      (rest == std::vector<unsigned>{1, 1} || rest == std::vector<unsigned>{1, 1, 0});
  if (!is_search)
    throw UserError(fmt::format("--time-plan {}: expected four numbers from 1 on, then 1,1",
                                fmt::join(parts, ",")));
  const collectives::RankGrid grid{parts[0], parts[1], parts[2], parts[3]};
  if (!divides(parts, *workload->plan))
    throw UserError(fmt::format("--time-plan {}: {} has {} ranks", fmt::join(parts, ","),
                                workload->plan->place, workload->plan->ranks()));
  workload->plan->grid = grid;
  return true;
}

std::vector<SearchTrial> try_plans(const RunOptions& options, const SearchWorkload& workload,
                                   const use::Model& model) {
  const std::atomic<bool>* stop = catch_interrupts();
  std::vector<SearchTrial> trials;
  for (const collectives::RankGrid& grid : grids_of(*workload.plan)) {
    SearchTrial trial;
    trial.grid = grid;
    try {
      use::check_parts(model, grid);
    } catch (const UserError& error) {
      trial.refused = error.what();
    }
    trials.push_back(trial);
  }
  run_trials(trials.size(), options.quiet, stop, [&](std::size_t n, const std::atomic<bool>* ends) {
    SearchTrial& trial = trials[n];
    if (!trial.refused.empty()) return;
    const TrialResult result =
        run_trial(arguments_of(options, trial.grid), text_of(trial), workload.plan->place, ends);
    trial.refused = result.refused;
    if (trial.refused.empty()) trial.us = result.json.at("us");
  });
  if (sort_trials(&trials, [](const SearchTrial& trial) { return trial.us; }) == 0)
    throw UserError(fmt::format("{}: no way to divide the search among {} ranks; {}: {}",
                                workload.plan->place, workload.plan->ranks(),
                                text_of(trials.front()), trials.front().refused));
  return trials;
}

int print_time(double us) {
  fmt::print("{}\n", nlohmann::json{{"us", us}}.dump());
  return 0;
}

}  // namespace tern::app
