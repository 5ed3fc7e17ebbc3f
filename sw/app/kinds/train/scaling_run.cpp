// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/train/scaling_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "sw/app/host/interrupt.h"
#include "sw/app/host/measured_chip.h"
#include "sw/app/host/progress.h"
#include "sw/app/kinds/train/scaling_record.h"
#include "sw/app/kinds/train/training_core.h"
#include "sw/app/report/write_report.h"
#include "sw/base/user_error.h"
#include "sw/platform/live/live_publisher.h"
#include "systemc/chip/simulation.h"

namespace tern::app {
namespace {

// What a program's engines read from other cores or write there.
std::uint64_t bytes_between_cores(const Executable& program) {
  std::uint64_t bytes = 0;
  for (const auto& ring : program.rings) {
    for (const auto& engine : ring.second) {
      for (const DescriptorPair& pair : engine) {
        const bool flag = pair.source.space == DmaAddress::Space::kValue;
        const bool leaves = names_peer(pair.source) || names_peer(pair.destination);
        if (leaves && !flag) bytes += pair.bytes;
      }
    }
  }
  return bytes;
}

class Scaling {
 public:
  Scaling(const TrainWorkload& all, MeasuredChip& chip, std::uint64_t seed)
      : w_(*all.images),
        schedule_(all.schedule),
        chip_(chip),
        seed_(seed),
        images_(*w_.training, w_.scale, w_.spec.operand()),
        log_(std::make_shared<CoreLog>()) {
    chip_.trace().add_sink(log_);
  }

  // In the host thread.
  ScalingPoint measure(bool weak, unsigned cores) {
    train::MlpSpec spec = w_.spec;
    if (weak) spec.batch = w_.scaling->batch_per_core * cores;
    ScalingPoint point;
    point.weak = weak;
    point.cores = cores;
    point.batch = spec.batch;
    runtime::Runtime runtime(chip_.host());
    std::vector<std::unique_ptr<TrainingCore>> group;
    std::vector<runtime::RunningProgram> programs;
    const auto models = train::mlp_models(spec, cores);
    for (unsigned core = 0; core < cores; ++core) {
      group.push_back(std::make_unique<TrainingCore>(runtime, chip_.config(), models[core], core));
      group.back()->load_programs();
      group.back()->set_state(train::initial_state(models[core].state, seed_));
      programs.push_back({&chip_.host(), &runtime, &group.back()->step()});
      point.bytes += bytes_between_cores(programs.back().program->executable());
    }
    train::SampleOrder order(w_.training->count, spec.batch, seed_);
    const unsigned steps = w_.scaling->steps;
    for (unsigned step = 0; step < steps; ++step) {
      const train::Batch batch = images_.batch(order.of_step(step));
      const auto hyper = train::hyper_of(spec, step + 1, schedule_.at(step, steps));
      for (auto& core : group) {
        core->copy_in(batch);
        core->copy_in(hyper);
      }
      log_->begin(cores);
      runtime::run_together(programs);
      if (step > 0 || steps == 1) add(log_->times(), 1.0 / std::max(1u, steps - 1), &point.times);
      float loss = 0;
      for (auto& core : group) loss += core->metrics().loss;
      point.losses.push_back(loss);
    }
    const train::State state = group.front()->state();
    for (unsigned core = 1; core < cores; ++core) {
      const train::State other = group[core]->state();
      for (std::size_t t = 0; t < state.size() && point.state_difference.empty(); ++t) {
        if (other[t] != state[t])
          point.state_difference = fmt::format("'{}' of core {}", models[0].state[t].name, core);
      }
    }
    return point;
  }

 private:
  static void add(const CoreTimes& times, double weight, CoreTimes* sum) {
    sum->us += weight * times.us;
    sum->computing_us += weight * times.computing_us;
    sum->reduction_us += weight * times.reduction_us;
    sum->busiest = times.busiest;
    sum->busiest_us += weight * times.busiest_us;
  }

  const ImageTraining& w_;
  const train::Schedule schedule_;
  MeasuredChip& chip_;
  const std::uint64_t seed_;
  const train::Images images_;
  std::shared_ptr<CoreLog> log_;
};

void refuse_options(const RunOptions& options, const TrainWorkload& workload) {
  if (options.train.resume || !options.train.checkpoint.empty() || !options.train.rtl_steps.empty())
    throw UserError("--resume, --checkpoint, --rtl-steps: not with a section 'scaling'");
  if (!options.wave.file.empty()) throw UserError("--wave: not with a section 'scaling'");
  if (options.asks_for_backends())
    throw UserError("--rtl: not with a section 'scaling', which runs on the model");
  if (!options.output.empty() || !workload.outputs.empty() || workload.start)
    throw UserError("'output', --output, 'start': not with a section 'scaling'");
}

}  // namespace

int run_scaling(const RunOptions& options, const TrainWorkload& workload) {
  refuse_options(options, workload);
  const ImageTraining& w = *workload.images;
  const ChipConfig config = load_chip_config(options.chip, options.overrides).chip;
  refuse_rtl(config, "kind train");
  w.check_cores(config, w.scaling->cores.back());
  ScalingRecord record;
  static_cast<RunHeader&>(record) = run_header(options, workload);
  record.chip = config.name;
  record.steps = w.scaling->steps;
  Simulation simulation;
  MeasuredChip chip("chip", config);
  Scaling scaling(workload, chip, options.seed);
  Progress progress(workload.name, options.quiet);
  const std::size_t all = 2 * w.scaling->cores.size();
  Simulation::Options run;
  run.stop = catch_interrupts();
  run.progress = [&](std::uint64_t) {
    progress.update(static_cast<double>(record.points.size()) / static_cast<double>(all),
                    fmt::format("{} of {} measurements", record.points.size(), all));
  };
  live::Publisher live;
  live.add(chip, "chip");
  live.watch(simulation);
  simulation.run(
      [&] {
        for (const bool weak : {false, true}) {
          for (const unsigned cores : w.scaling->cores)
            record.points.push_back(scaling.measure(weak, cores));
        }
      },
      run);
  return write_report(report_of(record), options.report, options.json);
}

}  // namespace tern::app
