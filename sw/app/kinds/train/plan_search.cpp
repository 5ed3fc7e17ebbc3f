// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/train/plan_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "sw/app/host/interrupt.h"
#include "sw/app/host/progress.h"
#include "sw/app/kinds/train/plan_timer.h"
#include "sw/app/kinds/train/train_task.h"
#include "sw/app/kinds/train/training_chip.h"
#include "sw/base/child_process.h"
#include "sw/base/stop.h"
#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "sw/train/checkpoint.h"
#include "systemc/chip/simulation.h"

namespace tern::app {
namespace {

using Json = nlohmann::json;

std::vector<std::string> arguments_of(const RunOptions& options, const PlanTrial& trial) {
  std::vector<std::string> arguments = {base::own_program(), "run", "--chip", options.chip};
  for (const ConfigOverride& setting : options.overrides)
    arguments.push_back(fmt::format("--set={}={}", setting.key, setting.value));
  arguments.push_back(fmt::format("--seed={}", options.seed));
  arguments.push_back(fmt::format(
      "--time-plan={},{},{},{},{},{},{}", trial.grid.data, trial.grid.sequence, trial.grid.pipeline,
      trial.grid.tensor, trial.grid.expert, trial.micro_batches, trial.optimiser_sharding ? 1 : 0));
  arguments.insert(arguments.end(), {"--quiet", "--", options.workload});
  return arguments;
}

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
  const Plan& plan = *training.plan;
  std::vector<PlanTrial> trials;
  const auto wanted = [](unsigned key, unsigned parts) { return key == 0 || key == parts; };
  const auto divisors = [&](unsigned of, unsigned key) {
    std::vector<unsigned> all;
    for (unsigned parts = 1; parts <= of; ++parts) {
      if (of % parts == 0 && wanted(key, parts)) all.push_back(parts);
    }
    return all;
  };
  const unsigned ranks = plan.ranks();
  for (const unsigned sharers : divisors(ranks, 0)) {
    for (const unsigned pipeline : divisors(sharers, plan.grid.pipeline)) {
      for (const unsigned sequence : divisors(ranks / sharers, plan.grid.sequence)) {
        const collectives::RankGrid grid{ranks / sharers / sequence, sequence, pipeline,
                                         sharers / pipeline};
        if (wanted(plan.grid.data, grid.data) && wanted(plan.grid.tensor, grid.tensor))
          add_parts_of_batch(training, grid, &trials);
      }
    }
  }
  return trials;
}

void run_trial(const RunOptions& options, const std::atomic<bool>* stop, PlanTrial* trial) {
  const base::ChildResult child = base::run_child(arguments_of(options, *trial), stop);
  const Json result = Json::parse(child.out, nullptr, false);
  constexpr int kUserError = 2;
  if (child.exit_code == kUserError) {
    trial->refused = child.last_message();
    return;
  }
  // Any other failure says nothing about the plan, and must not choose another one.
  if (child.exit_code != 0 || !result.is_object()) {
    const std::string why = child.last_message();
    throw RunError(fmt::format("the planner's run of {} ended with code {}{}", text_of(*trial),
                               child.exit_code, why.empty() ? "" : ": " + why));
  }
  trial->times.step_us = result.at("step_us");
  trial->times.alone_us = result.at("alone_us");
  trial->times.handshakes_us = trial->times.alone_us + result.at("bubbles_us").get<double>();
}

void run_all(const RunOptions& options, const std::atomic<bool>* stop,
             std::vector<PlanTrial>* trials) {
  Progress progress("plans", options.quiet);
  std::atomic<std::size_t> next{0}, done{0};
  std::atomic<bool> ends{false};  // interrupted, or one has failed
  std::mutex failing;
  std::exception_ptr failure;
  std::vector<std::thread> workers;
  const std::size_t most = std::max(1u, std::thread::hardware_concurrency());
  for (std::size_t w = 0; w < std::min(most, trials->size()); ++w) {
    workers.emplace_back([&] {
      for (std::size_t i = next++; i < trials->size() && !ends; i = next++) {
        PlanTrial& trial = (*trials)[i];
        try {
          if (trial.refused.empty()) run_trial(options, &ends, &trial);
        } catch (...) {
          const std::lock_guard<std::mutex> lock(failing);
          if (!failure && !ends) failure = std::current_exception();
          ends = true;
        }
        ++done;
      }
    });
  }
  while (done < trials->size() && !ends) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (*stop) ends = true;
    progress.update(static_cast<double>(done) / static_cast<double>(trials->size()),
                    fmt::format("{} of {} timed", done.load(), trials->size()));
  }
  for (std::thread& worker : workers) worker.join();
  if (*stop) {
    for (const PlanTrial& trial : *trials) {
      if (trial.times.step_us > 0)
        fmt::print(stderr, "{}: {:.1f} us a step\n", text_of(trial), trial.times.step_us);
    }
    throw Interrupted();
  }
  if (failure) std::rethrow_exception(failure);
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
  if (grid.ranks() != plan.ranks()) {
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
  run_all(options, stop, &trials);
  const auto refused = std::stable_partition(
      trials.begin(), trials.end(), [](const PlanTrial& trial) { return trial.refused.empty(); });
  std::stable_sort(trials.begin(), refused, [](const PlanTrial& a, const PlanTrial& b) {
    return a.times.step_us < b.times.step_us;
  });
  if (refused == trials.begin()) {
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
