// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/train/plan_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

#include "sw/app/host/interrupt.h"
#include "sw/app/host/progress.h"
#include "sw/app/kinds/train/train_task.h"
#include "sw/app/kinds/train/training_chip.h"
#include "sw/base/child_process.h"
#include "sw/base/stop.h"
#include "sw/base/user_error.h"
#include "systemc/chip/simulation.h"

namespace tern::app {
namespace {

using Json = nlohmann::json;

std::vector<std::string> arguments_of(const RunOptions& options, const PlanTrial& trial) {
  std::vector<std::string> arguments = {base::own_program(), "run", "--chip", options.chip};
  for (const ConfigOverride& setting : options.overrides)
    arguments.push_back(fmt::format("--set={}={}", setting.key, setting.value));
  arguments.push_back(fmt::format("--seed={}", options.seed));
  arguments.push_back(fmt::format("--time-plan={},{}", trial.data, trial.tensor));
  arguments.insert(arguments.end(), {"--quiet", "--", options.workload});
  return arguments;
}

// The ways to divide among all ranks; those that the model or the sums do not allow with a reason.
std::vector<PlanTrial> ways(const TextTraining& training) {
  const Plan& plan = *training.plan;
  std::vector<PlanTrial> trials;
  for (unsigned data = plan.ranks(); data >= 1; --data) {
    if (plan.ranks() % data != 0) continue;
    PlanTrial trial;
    trial.data = data;
    trial.tensor = plan.ranks() / data;
    if (plan.data != 0 && plan.data != trial.data) continue;
    if (plan.tensor != 0 && plan.tensor != trial.tensor) continue;
    try {
      TextTraining divided = training;
      divided.divide(trial.data, trial.tensor);
    } catch (const UserError& error) {
      trial.refused = error.what();
    }
    trials.push_back(trial);
  }
  return trials;
}

void run_trial(const RunOptions& options, const std::atomic<bool>* stop, PlanTrial* trial) {
  const base::ChildResult child = base::run_child(arguments_of(options, *trial), stop);
  const Json result = Json::parse(child.out, nullptr, false);
  if (child.exit_code != 0 || !result.is_object()) {
    trial->refused = child.last_message();
    if (trial->refused.empty()) trial->refused = fmt::format("ended with code {}", child.exit_code);
    return;
  }
  trial->step_us = result.at("step_us");
  trial->alone_us = result.at("alone_us");
  trial->macs = result.at("macs");
}

void run_all(const RunOptions& options, const std::atomic<bool>* stop,
             std::vector<PlanTrial>* trials) {
  Progress progress("plans", options.quiet);
  std::atomic<std::size_t> next{0}, done{0};
  std::vector<std::thread> workers;
  const std::size_t most = std::max(1u, std::thread::hardware_concurrency());
  for (std::size_t w = 0; w < std::min(most, trials->size()); ++w) {
    workers.emplace_back([&] {
      for (std::size_t i = next++; i < trials->size() && !*stop; i = next++) {
        PlanTrial& trial = (*trials)[i];
        try {
          if (trial.refused.empty()) run_trial(options, stop, &trial);
        } catch (const std::exception& error) {
          trial.refused = error.what();
        }
        ++done;
      }
    });
  }
  while (done < trials->size() && !*stop) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    progress.update(static_cast<double>(done) / static_cast<double>(trials->size()),
                    fmt::format("{} of {} timed", done.load(), trials->size()));
  }
  for (std::thread& worker : workers) worker.join();
}

}  // namespace

void refuse_with_plan(const RunOptions& options, const Plan& plan) {
  const auto refuse = [&](bool given, const char* option) {
    if (given) throw UserError(fmt::format("{}: not with {}", plan.place, option));
  };
  refuse(!options.train.rtl_steps.empty(), "--rtl-steps");
  refuse(options.asks_for_backends(), "RTL");
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
  const Plan& plan = *workload->text->plan;
  if (parts[0] * parts[1] != plan.ranks()) {
    throw UserError(fmt::format("--time-plan {},{}: {} has {} ranks", parts[0], parts[1],
                                plan.place, plan.ranks()));
  }
  workload->text->divide(parts[0], parts[1]);
  return true;
}

std::vector<PlanTrial> try_plans(const RunOptions& options, const TextTraining& training) {
  const std::atomic<bool>* stop = catch_interrupts();
  std::vector<PlanTrial> trials = ways(training);
  run_all(options, stop, &trials);
  if (*stop) throw Interrupted();
  const auto refused = std::stable_partition(
      trials.begin(), trials.end(), [](const PlanTrial& trial) { return trial.refused.empty(); });
  std::stable_sort(trials.begin(), refused,
                   [](const PlanTrial& a, const PlanTrial& b) { return a.step_us < b.step_us; });
  if (refused == trials.begin()) {
    throw UserError(
        fmt::format("{}: no way to divide batch and layers among {} ranks; data {}, "
                    "tensor {}: {}",
                    training.plan->place, training.ranks(), trials.front().data,
                    trials.front().tensor, trials.front().refused));
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
  const auto share = task->share_alone();
  std::unique_ptr<TrainingChip> alone;
  if (share) alone = std::make_unique<TrainingChip>("alone", chip, std::vector{*share});
  Json result;
  simulation.run([&] {
    const train::State begin = train::initial_state(task->models().front().state, options.seed);
    const std::vector<float> hyper = train::hyper_of(task->rules(), 1, workload.schedule.rate);
    const train::Batch batch = task->batch(0);
    all.set_state(begin);
    const TrainingChip::StepResult step = all.step(batch, hyper);
    result = {{"step_us", step.simulated_us}, {"alone_us", step.simulated_us}, {"macs", step.macs}};
    if (!alone) return;
    alone->set_state(begin);
    result["alone_us"] = alone->step(batch, hyper).simulated_us;
  });
  fmt::print("{}\n", result.dump());
  return 0;
}

}  // namespace tern::app
