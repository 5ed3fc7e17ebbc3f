// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/train/plan_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "sw/app/host/interrupt.h"
#include "sw/app/kinds/train/plan_timer.h"
#include "sw/app/kinds/train/train_task.h"
#include "sw/app/kinds/train/training_chip.h"
#include "sw/app/plan/trials.h"
#include "sw/base/stop.h"
#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "sw/train/checkpoint.h"
#include "systemc/chip/simulation.h"

namespace tern::app {
namespace {

using Json = nlohmann::json;

// One with the micro-batches of the plan; else, of a pipeline, from one to four times as many as
// stages, too.
void add_ways(const TextTraining& training, PlanTrial trial, std::vector<PlanTrial>* trials) {
  constexpr unsigned kMostTimes = 4;
  const auto add = [&](unsigned micro_batches) {
    trial.micro_batches = micro_batches;
    try {
      TextTraining divided = training;
      divided.divide(trial);
      trial.micro_batches = divided.plan->micro_batches;
    } catch (const UserError& error) {
      trial.micro_batches = std::max(micro_batches, 1u);
      trial.refused = error.what();
    }
    trials->push_back(trial);
  };
  add(training.plan->micro_batches);
  if (training.plan->micro_batches != 0 || trial.grid.pipeline == 1 || !trial.refused.empty())
    return;
  const unsigned usual = trial.micro_batches;
  for (unsigned micro_batches = 1; micro_batches <= kMostTimes * trial.grid.pipeline;
       micro_batches *= 2) {
    if (micro_batches == usual) continue;
    if (micro_batches == 1 || training.fills_slabs(trial.grid, micro_batches)) add(micro_batches);
  }
}

// With these parts: those of the batch may share out experts, and divide the optimiser's state.
void add_parts_of_batch(const TextTraining& training, const collectives::RankGrid& grid,
                        std::vector<PlanTrial>* trials) {
  const Plan& plan = *training.plan;
  std::vector<unsigned> experts = {plan.grid.expert};
  if (plan.grid.expert == 0) {
    experts = {1};
    for (unsigned parts = 2; parts <= training.spec.experts; ++parts) {
      if (training.spec.experts % parts == 0 && grid.batch_parts() % parts == 0)
        experts.push_back(parts);
    }
  }
  std::vector<bool> shardings = {plan.optimiser_sharding};
  if (plan.sharding_open && grid.batch_parts() > 1) shardings = {false, true};
  PlanTrial trial;
  trial.grid = grid;
  for (const unsigned parts : experts) {
    trial.grid.expert = parts;
    for (const bool sharding : shardings) {
      trial.optimiser_sharding = sharding;
      add_ways(training, trial, trials);
    }
  }
}

// The ways to divide among all ranks; those that the model or the sums do not allow with a reason.
std::vector<PlanTrial> ways(const TextTraining& training) {
  std::vector<PlanTrial> trials;
  for (const collectives::RankGrid& grid : grids_of(*training.plan))
    add_parts_of_batch(training, grid, &trials);
  return trials;
}

void run(const RunOptions& options, const std::string& place, const std::atomic<bool>* stop,
         PlanTrial* trial) {
  const collectives::RankGrid& grid = trial->grid;
  const auto arguments =
      trial_arguments(options, {grid.data, grid.sequence, grid.pipeline, grid.tensor, grid.expert,
                                trial->micro_batches, trial->optimiser_sharding ? 1U : 0U});
  const TrialResult result = run_trial(arguments, text_of(*trial), place, stop);
  trial->refused = result.refused;
  if (!trial->refused.empty()) return;
  trial->times.step_us = result.json.at("step_us");
  trial->times.alone_us = result.json.at("alone_us");
  trial->times.handshakes_us = trial->times.alone_us + result.json.at("bubbles_us").get<double>();
}

void run_all(const RunOptions& options, const std::string& place, const std::atomic<bool>* stop,
             std::vector<PlanTrial>* trials) {
  try {
    run_trials(trials->size(), options.quiet, stop,
               [&](std::size_t n, const std::atomic<bool>* ends) {
                 PlanTrial& trial = (*trials)[n];
                 if (trial.refused.empty()) run(options, place, ends, &trial);
               });
  } catch (const Interrupted&) {
    for (const PlanTrial& trial : *trials) {
      if (trial.times.step_us > 0)
        fmt::print(stderr, "{}: {:.1f} us a step\n", text_of(trial), trial.times.step_us);
    }
    throw;
  }
}

}  // namespace

void refuse_with_plan(const RunOptions& options, const Plan& plan) {
  const auto refuse = [&](bool given, const char* option) {
    if (given) throw UserError(fmt::format("{}: not with {}", plan.place, option));
  };
  refuse(!options.train.rtl_steps.empty(), "--rtl-steps");
  refuse(options.asks_for_backends(), "RTL");
  refuse(!options.wave.file.empty(), "--wave");
  refuse(!options.train.save_chip.empty(), "--save-chip");
  refuse(!options.train.restore_chip.empty(), "--restore-chip");
}

bool take_timed_parts(const RunOptions& options, TrainWorkload* workload) {
  const std::vector<unsigned>& parts = options.train.time_plan;
  if (parts.empty()) return false;
  if (!workload->text || !workload->text->plan)
    throw UserError(fmt::format("--time-plan: {} has no key 'plan'", options.workload));
  const auto refuse = [](bool given, const char* option) {
    if (given) throw UserError(fmt::format("--time-plan: not with {}, nothing is trained", option));
  };
  refuse(!options.report.empty(), "--report");
  refuse(options.train.resume, "--resume");
  refuse(!options.train.checkpoint.empty(), "--checkpoint");
  refuse(!options.output.empty(), "--output");
  refuse(!options.wave.file.empty(), "--wave");
  const Plan& plan = *workload->text->plan;
  if (std::count(parts.begin(), parts.begin() + 6, 0U) > 0 || (parts.size() > 6 && parts[6] > 1))
    throw UserError(
        fmt::format("--time-plan {}: expected six numbers from 1 on, then perhaps 0 or 1",
                    fmt::join(parts, ",")));
  const collectives::RankGrid grid{parts[0], parts[1], parts[2], parts[3], parts[4]};
  if (!divides(parts, plan)) {
    throw UserError(fmt::format("--time-plan {}: {} has {} ranks", fmt::join(parts, ","),
                                plan.place, plan.ranks()));
  }
  workload->text->divide(
      {grid, parts[5], parts.size() > 6 ? parts[6] != 0 : plan.optimiser_sharding});
  return true;
}

namespace {

// Throws UserError if the checkpoint has none that fit.
void take_parts_of(const CheckpointHead& checkpoint, TrainWorkload* workload) {
  const std::string setting = train::setting_of(checkpoint.text, kPlanSetting);
  const Plan& plan = *workload->text->plan;
  Division division;
  collectives::RankGrid& grid = division.grid;
  division.micro_batches = 1;
  constexpr int kNumbers = 6;
  const bool none = setting.empty() && plan.ranks() == 1;
  const bool is_plan =
      setting.find_first_not_of("0123456789,") == std::string::npos &&
      std::sscanf(setting.c_str(), "%3u,%3u,%3u,%3u,%3u,%4u", &grid.data, &grid.sequence,
                  &grid.pipeline, &grid.tensor, &grid.expert, &division.micro_batches) == kNumbers;
  const auto fits = [](unsigned key, unsigned parts) {
    return parts != 0 && (key == 0 || key == parts);
  };
  if (!(none || is_plan) || grid.ranks() != plan.ranks() || !fits(plan.grid.data, grid.data) ||
      !fits(plan.grid.sequence, grid.sequence) || !fits(plan.grid.pipeline, grid.pipeline) ||
      !fits(plan.grid.tensor, grid.tensor) || !fits(plan.grid.expert, grid.expert) ||
      !fits(plan.micro_batches, division.micro_batches)) {
    throw UserError(fmt::format(
        "{}: of another training: its {} is {}, which {} does not allow", checkpoint.from,
        kPlanSetting, setting.empty() ? "missing" : base::printable(setting), plan.place));
  }
  division.optimiser_sharding = plan.optimiser_sharding;
  if (plan.sharding_open)
    division.optimiser_sharding = !train::setting_of(checkpoint.text, kScatterSetting).empty();
  try {
    workload->text->divide(division);
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: of another training: {}", checkpoint.from, error.what()));
  }
}

}  // namespace

void take_resumed_parts(const std::vector<CheckpointHead>& checkpoints, TrainWorkload* workload) {
  std::optional<UserError> first;
  for (const CheckpointHead& checkpoint : checkpoints) {
    try {
      return take_parts_of(checkpoint, workload);
    } catch (const UserError& error) {
      if (!first) first = error;
    }
  }
  throw *first;  // there is one at least
}

std::vector<PlanTrial> try_plans(const RunOptions& options, const TextTraining& training) {
  const std::atomic<bool>* stop = catch_interrupts();
  std::vector<PlanTrial> trials = ways(training);
  run_all(options, training.plan->place, stop, &trials);
  if (sort_trials(&trials, [](const PlanTrial& trial) { return trial.times.step_us; }) == 0) {
    throw UserError(fmt::format(
        "{}: no way to divide batch, windows, blocks and layers among {} ranks; {}: {}",
        training.plan->place, training.ranks(), text_of(trials.front()), trials.front().refused));
  }
  return trials;
}

int time_plan(const RunOptions& options, const TrainWorkload& workload) {
  const auto task = make_text_task(*workload.text, options.seed);
  const Plan& plan = *workload.text->plan;
  const ChipConfig chip = load_chip_config(options.chip, options.overrides).chip;
  const system::Fabric fabric(plan.system);
  Simulation simulation;
  TrainingChip all(fabric, plan.chips, plan.level, chip, task->models());
  PlanTimer timer(*task, plan, fabric, chip);
  Json result;
  simulation.run([&] {
    const train::State begin = train::initial_state(task->models().front().state, options.seed);
    const std::vector<float> hyper = train::hyper_of(task->rules(), 1, workload.schedule.rate);
    const train::Batch batch = task->batch(0);
    all.set_state(begin);
    const TrainingChip::StepResult step = all.step(batch, hyper);
    const PlanTimes times = timer.measure(begin, batch, hyper, step.simulated_us);
    result = {{"step_us", times.step_us},
              {"alone_us", times.alone_us},
              {"bubbles_us", times.bubbles_us()},
              {"exposed_us", times.exposed_us()}};
  });
  fmt::print("{}\n", result.dump());
  return 0;
}

}  // namespace tern::app
