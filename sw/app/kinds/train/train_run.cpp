// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <numeric>
#include <set>

#include "sw/app/host/interrupt.h"
#include "sw/app/host/measured_chip.h"
#include "sw/app/host/progress.h"
#include "sw/app/host/run_wave.h"
#include "sw/app/kinds/train/checkpoint_file.h"
#include "sw/app/kinds/train/host_checkpoints.h"
#include "sw/app/kinds/train/plan_search.h"
#include "sw/app/kinds/train/plan_timer.h"
#include "sw/app/kinds/train/rtl_step.h"
#include "sw/app/kinds/train/scaling_run.h"
#include "sw/app/kinds/train/train_record.h"
#include "sw/app/kinds/train/train_task.h"
#include "sw/app/kinds/train/train_weights.h"
#include "sw/app/kinds/train/train_workload.h"
#include "sw/app/kinds/train/training_chip.h"
#include "sw/app/report/text.h"
#include "sw/app/report/write_report.h"
#include "sw/base/atomic_file.h"
#include "sw/base/seconds_since.h"
#include "sw/base/user_error.h"
#include "sw/platform/live/live_publisher.h"
#include "sw/train/checkpoint.h"
#include "systemc/chip/simulation.h"

namespace tern::app {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kSnapshotKind = "train";
constexpr std::uint64_t kSnapshotSteps = 64;  // a fault is looked for from the newest one on

std::vector<std::uint64_t> sizes_of(const std::vector<train::StateTensor>& tensors) {
  std::vector<std::uint64_t> sizes;
  sizes.reserve(tensors.size());
  for (const train::StateTensor& tensor : tensors) sizes.push_back(tensor.bytes());
  return sizes;
}

// The chip that repeats steps: the blocks that the command line asks for, otherwise all of core 0.
ChipConfig with_rtl(RunOptions options) {
  if (!options.asks_for_backends()) options.rtl = {"all"};
  return chip_of(options);
}

const Plan* plan_of(const TrainWorkload& w) {
  return w.text && w.text->plan ? &*w.text->plan : nullptr;
}

// The whole run; everything but the constructor in the host thread.
class Training {
 public:
  Training(const RunOptions& options, const TrainWorkload& workload, const ChipConfig& chip,
           TrainRecord* record)
      : w_(workload),
        stop_(catch_interrupts()),
        record_(record),
        watches_(!options.report.empty()),
        path_(checkpoint_path(options, workload)),
        named_by_(checkpoint_named_by(options)),
        weights_(options, workload),
        task_(w_.text ? make_text_task(*w_.text, options.seed)
                      : make_image_task(*w_.images, options.seed)),
        model_(task_->models().front()),
        steps_(task_->steps_of(task_->evaluations())),
        rtl_steps_(options.train.rtl_steps.begin(), options.train.rtl_steps.end()),
        repeats_all_(rtl_steps_.empty() && options.asks_for_backends()),
        progress_(workload.name, options.quiet),
        fabric_(plan_of(w_) != nullptr ? std::make_unique<system::Fabric>(plan_of(w_)->system)
                                       : nullptr),
        chip_owner_(make_chip(chip)),
        chip_(*chip_owner_) {
    if (plan_of(w_) != nullptr)
      plan_timer_ = std::make_unique<PlanTimer>(*task_, *plan_of(w_), *fabric_, chip);
    if (!rtl_steps_.empty() && *rtl_steps_.rbegin() >= steps_) {
      throw UserError(fmt::format("--rtl-steps: step {}: this training has steps 0..{}",
                                  *rtl_steps_.rbegin(), steps_ - 1));
    }
    if (repeats_all_ || !rtl_steps_.empty()) {
      const ChipConfig rtl = with_rtl(options);
      wave_ = chip_wave(options.wave, rtl);
      rtl_ = std::make_unique<TrainingChip>("rtl", rtl, task_->models(), options.rtl_threads,
                                            wave_.get());
    } else if (!options.wave.file.empty()) {
      throw UserError("--wave: of kind train the steps in RTL: add --rtl-steps or --rtl");
    }
    // A network that does not fit is refused before its weights are made.
    static_cast<void>(model_.build_step(chip, nullptr));
    now_.settings = w_.settings(options.seed, chip);
    prepare_snapshots(options);
    if (options.train.resume || snapshot_) {
      const std::string& from = snapshot_ ? options.train.restore_chip : path_.string();
      now_ = snapshot_ ? train::checkpoint_of(snapshot_->owner_state(), from, now_.settings,
                                              sizes_of(model_.state))
                       : newest_checkpoint();
      for (std::size_t t = 0; t < model_.state.size(); ++t) {
        if (!is_finite(model_.state[t], now_.state[t]))
          throw UserError(
              fmt::format("{}: damaged: '{}' is not finite", from, model_.state[t].name));
      }
      for (std::size_t i = 0; i < now_.evaluations.size(); ++i) {
        if (i < task_->evaluations() && now_.evaluations[i].step != task_->steps_of(i + 1)) {
          throw UserError(fmt::format("{}: damaged: evaluation {} after step {}, expected {}", from,
                                      i + 1, now_.evaluations[i].step, task_->steps_of(i + 1)));
        }
      }
      if (now_.step > steps_ || now_.evaluations.size() > task_->evaluations()) {
        throw UserError(fmt::format("{}: damaged: step {} of {}, evaluation {} of {}", from,
                                    now_.step, steps_, now_.evaluations.size(),
                                    task_->evaluations()));
      }
      if (!rtl_steps_.empty() && *rtl_steps_.begin() < now_.step) {
        throw UserError(fmt::format("--rtl-steps: step {}: the checkpoint stands behind step {}",
                                    *rtl_steps_.begin(), now_.step - 1));
      }
    } else {
      now_.state = train::initial_state(model_.state, options.seed);
      apply_start(w_, model_.state, &now_.state);
    }
    if (save_step_ && (*save_step_ <= now_.step || *save_step_ > steps_)) {
      throw UserError(
          fmt::format("--save-step: {}: expected {} to {}", *save_step_, now_.step + 1, steps_));
    }
    try_checkpoint(path_, named_by_, w_);
    if (plan_of(w_) != nullptr && plan_of(w_)->host_checkpoints)
      hosts_ =
          std::make_unique<HostCheckpoints>(chip_, *plan_of(w_), *fabric_, hosts_folder_of(path_));
    record->first_step = now_.step;
    record->all_steps = steps_;
    task_->begin(record);
    record->checkpoint_path = path_.string();
    if (record->plan) record->plan->tensor_clock_ghz = chip.core.tensor_clock_ghz;
  }

  void show(live::Publisher& live) {
    if (chip_.chips() == 1) live.add(chip_.hosted(), "chip");
    for (unsigned n = 0; chip_.chips() > 1 && n < chip_.chips(); ++n)
      live.add(chip_.hosted(n), fabric_->nodes()[plan_of(w_)->chips[n]].name);
  }

  void run() {
    if (snapshot_) {
      chip_.restore(*snapshot_);
    } else {
      chip_.set_state(now_.state);
    }
    if (watches_) chip_.watch_step();
    snapshot_step_ = now_.step;
    epoch_begin_ = Clock::now();
    finish_epochs();  // a run may have been interrupted in front of an evaluation
    while (now_.step < steps_ && !*stop_) {
      step();
      finish_epochs();
      const bool due = w_.checkpoint_every != 0 && now_.step % w_.checkpoint_every == 0;
      if (hosts_) {
        to_hosts(due);
      } else {
        if (due || now_.step - snapshot_step_ >= kSnapshotSteps) take_snapshot();
        if (due) write_checkpoint();
      }
      if (save_step_ == now_.step) save_chip();
    }
    if (hosts_) {
      hosts_->finish();
      to_hosts(false);
      record_->plan->hosts = hosts_->record();
    }
    take_snapshot();
    write_checkpoint();
    if (!save_step_ && !save_path_.empty()) save_chip();
    record_->interrupted = now_.step < steps_;
    fill_record();
    if (now_.step < steps_) return;
    task_->finish(chip_, now_, record_);
    weights_.write(model_.state, now_.state, record_);
  }

 private:
  std::unique_ptr<TrainingChip> make_chip(const ChipConfig& chip) const {
    const Plan* plan = plan_of(w_);
    if (plan == nullptr) return std::make_unique<TrainingChip>("chip", chip, task_->models());
    return std::make_unique<TrainingChip>(*fabric_, plan->chips, plan->level, chip,
                                          task_->models());
  }

  void write_checkpoint() const {
    make_checkpoint_folder(path_);
    train::write_checkpoint(path_, now_, named_by_);
  }

  // The file's, or that of the hosts if it is newer.
  train::Checkpoint newest_checkpoint() const {
    FoundCheckpoint found =
        find_checkpoint(path_, plan_of(w_) != nullptr ? hosts_folder_of(path_) : fs::path(),
                        now_.settings, sizes_of(model_.state));
    record_->resumed_from =
        fmt::format("after step {}, from {}", found.checkpoint.step, found.from);
    return std::move(found.checkpoint);
  }

  // What has arrived becomes the state that faults are looked for from; another one follows.
  void to_hosts(bool due) {
    if (due) hosts_->finish();
    if (auto complete = hosts_->take_complete()) {
      check_finite(complete->state, complete->step);
      now_.state = std::move(complete->state);
      snapshot_step_ = complete->step;
    }
    if (due) hosts_->begin(now_);
  }

  void prepare_snapshots(const RunOptions& options) {
    const bool saves = !options.train.save_chip.empty();
    if (!saves && options.train.restore_chip.empty()) return;
    if (rtl_ != nullptr) {
      throw UserError(fmt::format("{}: not with RTL, whose state cannot be saved",
                                  saves ? "--save-chip" : "--restore-chip"));
    }
    save_path_ = options.train.save_chip;
    save_step_ = options.train.save_step;
    if (saves) base::AtomicFile probe(save_path_);
    if (!options.train.restore_chip.empty())
      snapshot_.emplace(options.train.restore_chip, kSnapshotKind, chip_.config());
  }

  // The chip between two steps, and what the host knows of the training.
  void save_chip() {
    take_snapshot();
    base::AtomicFile file(save_path_);
    chip_.save({kSnapshotKind, train::checkpoint_bytes(now_)}, file);
    record_->chip_path = save_path_.string();
  }

  std::vector<float> hyper(std::uint64_t step) const {
    return train::hyper_of(task_->rules(), step + 1, w_.schedule.at(step, steps_));
  }

  // The task's own change of the state. What it does to the score belongs to the report only.
  void change_state() {
    if (!task_->changes_state(now_.step)) return;
    now_.state = chip_.state();
    task_->change_state(&now_.state);
    snapshot_step_ = now_.step;
    chip_.set_state(now_.state);
    now_.changed_score = task_->evaluate(chip_);
  }

  void step() {
    change_state();
    const bool replays = repeats_all_ || rtl_steps_.count(now_.step) != 0;
    train::State before;
    if (replays) before = chip_.state();
    const auto begin = Clock::now();
    const train::Batch batch = task_->batch(now_.step);
    const bool times = record_->plan && record_->plan->times.step_us == 0;
    const bool beside = hosts_ && hosts_->busy();
    const TrainingChip::StepResult result = chip_.step(batch, hyper(now_.step));
    record_->steps_wall_s += base::seconds_since(begin);
    if (times) {
      record_->plan->times =
          plan_timer_->measure(now_.state, batch, hyper(now_.step), result.simulated_us);
    }
    record_->steps_us += result.simulated_us;
    if (hosts_) hosts_->stepped(result.simulated_us, beside);
    if (!std::isfinite(result.loss))
      find_fault(fmt::format("the loss of step {} is {}", now_.step, result.loss), now_.step);
    if (replays) replay(before, batch, result);
    now_.losses.push_back(result.loss);
    now_.correct.push_back(result.correct);
    now_.step += 1;
    newest_ = result;
    progress_.update(
        static_cast<double>(now_.step) / static_cast<double>(steps_),
        fmt::format(
            "step {} of {}, loss {:.4f}{}", now_.step, steps_, result.loss,
            now_.evaluations.empty() ? "" : ", " + task_->note(now_.evaluations.back().score)));
  }

  // Evaluates as often as it is due.
  void finish_epochs() {
    while (now_.evaluations.size() < task_->evaluations() &&
           now_.step >= task_->steps_of(now_.evaluations.size() + 1)) {
      now_.evaluations.push_back({now_.step, task_->evaluate(chip_)});
      wall_s_.resize(now_.evaluations.size());
      wall_s_.back() = base::seconds_since(epoch_begin_);
      epoch_begin_ = Clock::now();
    }
  }

  // The state as it stands becomes what checkpoints hold and faults are looked for from.
  void take_snapshot() {
    if (snapshot_step_ == now_.step) return;
    train::State state = chip_.state();
    check_finite(state, now_.step);
    now_.state = std::move(state);
    snapshot_step_ = now_.step;
  }

  void check_finite(const train::State& state, std::uint64_t step) {
    const auto& tensors = model_.state;
    for (std::size_t t = 0; t < tensors.size(); ++t) {
      if (!is_finite(tensors[t], state[t]))
        find_fault(fmt::format("'{}' is not finite after step {}", tensors[t].name, step - 1),
                   step - 1);
    }
  }

  static bool is_finite(const train::StateTensor& tensor, const std::vector<std::uint8_t>& bytes) {
    // The exponent of FP32 and BF16 lies in the upper half of the word.
    const std::size_t size = numerics::dtype_size(tensor.dtype);
    if (tensor.dtype == train::DType::kUint32) return true;
    for (std::size_t at = size - 2; at < bytes.size(); at += size) {
      const unsigned half = bytes[at] | static_cast<unsigned>(bytes[at + 1]) << 8;
      if ((half & 0x7F80u) == 0x7F80u) return false;
    }
    return true;
  }

  // Repeats the steps since the snapshot as debugging builds.
  [[noreturn]] void find_fault(const std::string& what, std::uint64_t last) {
    chip_.set_state(now_.state);
    for (std::uint64_t step = snapshot_step_; step <= last; ++step) {
      if (const auto fault = chip_.first_not_finite(task_->batch(step), hyper(step)))
        throw RunError(fmt::format("{}; first in step {}: {}", what, step, *fault));
    }
    throw RunError(what + "; a debugging build of the steps before it shows nothing");
  }

  // The step once more, from the same state, on RTL.
  void replay(const train::State& before, const train::Batch& batch,
              const TrainingChip::StepResult& model) {
    const auto begin = Clock::now();
    // The model's chip has the traces of a step before it: positions of arbiters, tables.
    if (now_.step > record_->first_step && record_->rtl_steps.empty()) {
      rtl_->set_state(before);
      rtl_->step(batch, hyper(now_.step));
    }
    rtl_->set_state(before);
    const TrainingChip::StepResult rtl = rtl_->step(batch, hyper(now_.step));
    RtlStep result =
        compare_step(now_.step, model_.state, {model, chip_.state()}, {rtl, rtl_->state()});
    result.wall_s = base::seconds_since(begin);
    record_->rtl_steps.push_back(result);
  }

  void fill_record() {
    record_->steps = now_.step;
    record_->losses = now_.losses;
    record_->correct = now_.correct;
    for (std::uint64_t step = 0; step < now_.step; ++step)
      record_->rates.push_back(w_.schedule.at(step, steps_));
    wall_s_.resize(now_.evaluations.size());
    std::uint64_t first = 0;
    for (std::size_t e = 0; e < now_.evaluations.size(); ++e) {
      const auto& evaluation = now_.evaluations[e];
      TrainRecord::Epoch epoch;
      epoch.step = evaluation.step;
      task_->score(evaluation.score, &epoch);
      epoch.wall_s = wall_s_[e];
      // A batch of more than all images may end several epochs: they have its loss.
      if (first == evaluation.step && first > 0) first -= 1;
      const auto begin = now_.losses.begin() + static_cast<std::ptrdiff_t>(first);
      const auto end = now_.losses.begin() + static_cast<std::ptrdiff_t>(evaluation.step);
      epoch.loss = std::accumulate(begin, end, 0.0) /
                   static_cast<double>(std::max<std::ptrdiff_t>(end - begin, 1));
      first = evaluation.step;
      record_->epochs.push_back(epoch);
    }
    record_->watched_step = chip_.watched_step();
    record_->step_us = newest_.simulated_us;
    record_->macs = newest_.macs;
    record_->tensor_utilisation = newest_.tensor_cycles == 0
                                      ? 0
                                      : static_cast<double>(newest_.tensor_columns) /
                                            static_cast<double>(newest_.tensor_cycles);
  }

  const TrainWorkload& w_;
  const std::atomic<bool>* stop_;
  TrainRecord* record_;
  const bool watches_;
  const fs::path path_;
  const base::NamedBy named_by_;
  const TrainedWeights weights_;
  const std::unique_ptr<TrainTask> task_;
  const train::Model& model_;
  const std::uint64_t steps_;
  const std::set<std::uint64_t> rtl_steps_;
  const bool repeats_all_;
  Progress progress_;
  const std::unique_ptr<system::Fabric> fabric_;  // of a plan
  const std::unique_ptr<TrainingChip> chip_owner_;
  TrainingChip& chip_;
  std::unique_ptr<PlanTimer> plan_timer_;   // null without a plan
  std::unique_ptr<HostCheckpoints> hosts_;  // null: checkpoints are files only
  std::unique_ptr<wave::ChipWave> wave_;    // of rtl_, outlives it
  std::unique_ptr<TrainingChip> rtl_;
  fs::path save_path_;                      // of the chip; empty: it is not saved
  std::optional<std::uint64_t> save_step_;  // none: at the end of the run
  std::optional<ChipSnapshot> snapshot_;    // to continue from
  train::Checkpoint now_;                   // its state is that of snapshot_step_
  std::uint64_t snapshot_step_ = 0;
  TrainingChip::StepResult newest_;
  std::vector<double> wall_s_;  // of the epochs of this run
  Clock::time_point epoch_begin_;
};

void refuse_options(const RunOptions& options) {
  if (!options.trace.empty()) {
    throw UserError("--trace: not with kind train; --report draws the first step of the run");
  }
}

}  // namespace

int run_train(const RunOptions& options, const TrainWorkload& given) {
  refuse_options(options);
  TrainWorkload workload = given;
  Plan* const plan = workload.text && workload.text->plan ? &*workload.text->plan : nullptr;
  const bool times_plan = take_timed_parts(options, &workload);
  const std::optional<ImageTraining>& images = workload.images;
  if (images && images->scaling) {
    if (!options.train.save_chip.empty() || !options.train.restore_chip.empty())
      throw UserError("--save-chip, --restore-chip: not with key 'scaling', which trains anew");
    return run_scaling(options, workload);
  }
  TrainRecord record;
  static_cast<RunHeader&>(record) = run_header(options, workload);
  if (plan != nullptr) refuse_with_plan(options, *plan);
  const ChipConfig chip = load_chip_config(options.chip, options.overrides).chip;
  refuse_rtl(chip, "kind train");
  if (plan != nullptr && plan->cores > chip.cores)
    throw UserError(fmt::format("{}: {} cores of a chip, and '{}' has {}", plan->place, plan->cores,
                                chip.name, chip.cores));
  record.chip = chip.name;
  if (times_plan) return time_plan(options, workload);
  std::vector<PlanTrial> trials;
  const fs::path checkpoint = checkpoint_path(options, workload);
  if (plan != nullptr && plan->open() && options.train.resume) {
    take_resumed_parts(checkpoint_heads(checkpoint, *workload.text), &workload);
  } else if (plan != nullptr && plan->open()) {
    try_checkpoint(checkpoint, checkpoint_named_by(options), workload);
    trials = try_plans(options, *workload.text);
    workload.text->divide(trials.front());
  }
  if (images) {
    record.cores = images->cores;
    images->check_cores(chip, record.cores);
  }
  Simulation simulation;
  {
    // Interrupts are looked for between steps: a step that has begun is finished.
    Training training(options, workload, chip, &record);
    if (record.plan) record.plan->trials = std::move(trials);
    live::Publisher live;
    training.show(live);
    live.watch(simulation);
    simulation.run([&] { training.run(); });
  }
  check_wave(options.wave);
  return write_report(report_of(record), options.report, options.json);
}

std::vector<Kind> train_kinds() {
  Kind kind = make_kind("train", load_train, run_train,
                        {"",
                         {},
                         {{"step us", "/step_us"},
                          {"tensor utilisation", "/tensor_utilisation", true},
                          {"accuracy", "/accuracy", true},
                          {"held-out loss", "/text/held_out_loss", false, 4}},
                         true},
                        {"--resume", "--checkpoint", "--rtl-steps", "--output", "--save-chip",
                         "--restore-chip", "--time-plan"});
  kind.chip = [](const config::YamlMap& top) {
    const auto plan = top.find("plan");
    return plan ? load_plan(*plan).system.chip : std::string();
  };
  return {std::move(kind)};
}

}  // namespace tern::app
