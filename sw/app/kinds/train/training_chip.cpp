// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/train/training_chip.h"

#include <fmt/format.h>

#include <utility>

#include "sw/app/host/run_wave.h"
#include "sw/base/user_error.h"
#include "sw/kernels/matmul_data.h"
#include "systemc/cosim/rtl_statistics.h"

namespace tern::app {

TrainingChip::TrainingChip(const std::string& name, const ChipConfig& config,
                           std::vector<train::Model> models, unsigned rtl_threads,
                           wave::ChipWave* wave)
    : chip_(name, config, rtl_chip_options(rtl_threads, {}, wave)), models_(std::move(models)) {
  listen(wave, chip_.trace());
}

TrainingChip::~TrainingChip() = default;

void TrainingChip::load() {
  if (runtime_) return;
  runtime_ = std::make_unique<runtime::Runtime>(chip_.host());
  for (unsigned core = 0; core < models_.size(); ++core)
    cores_.push_back(
        std::make_unique<TrainingCore>(*runtime_, chip_.config(), models_[core], core));
}

void TrainingChip::copy_in(const train::Batch& batch, const std::vector<float>* hyper) {
  load();
  for (auto& core : cores_) {
    core->copy_in(batch);
    if (hyper != nullptr) core->copy_in(*hyper);
  }
}

template <typename ProgramOf>
runtime::RunResult TrainingChip::run(ProgramOf program_of) {
  std::vector<runtime::Program*> programs;
  for (auto& core : cores_) programs.push_back(&program_of(*core));
  chip_.set_running(programs.front()->executable());  // the other cores have its like
  chip_.settle();
  if (watch_) {
    watch_->before = chip_counters(chip_.chip());
    watch_->energy->begin();  // without the copies of the batch
  }
  return run_together(chip_.host(), *runtime_, programs);
}

void TrainingChip::watch_step() {
  watch_ = {std::make_shared<trace::SpanLog>("core0"),
            std::make_shared<ProfileLog>("core0"),
            std::make_shared<BoundLog>(chip_.config(), 0),
            std::make_shared<EnergyLog>(chip_.config()),
            {}};
  chip_.trace().add_sink(watch_->spans);
  chip_.trace().add_sink(watch_->profile);
  chip_.trace().add_sink(watch_->bounds);
  chip_.trace().add_sink(watch_->energy);
}

void TrainingChip::finish_watch(const runtime::RunResult& run) {
  chip_.trace().remove_sinks();
  auto record = std::make_shared<ProgramRecord>();
  record->title = "A step of core 0.";
  record->begin_fs = run.start.value();
  record->end_fs = run.end.value();
  record->log = watch_->spans;
  record->phases = watch_->bounds->phases(record->begin_fs, record->end_fs);
  ChipCounters counters = chip_counters(chip_.chip());
  counters -= watch_->before;
  record->energy = watch_->energy->use(record->begin_fs, record->end_fs, counters.hbm_bus_bytes());
  record->parts = watch_->profile->parts();
  record->lines = watch_->profile->lines();
  watched_ = record;
  watch_.reset();
}

TrainingChip::StepResult TrainingChip::step(const train::Batch& batch,
                                            const std::vector<float>& hyper) {
  copy_in(batch, &hyper);
  for (unsigned core = 0; core < cores_.size(); ++core)
    chip_.chip().core(core).reset_tensor_counters();
  const runtime::RunResult run =
      this->run([](TrainingCore& core) -> runtime::Program& { return core.step(); });
  if (watch_) finish_watch(run);
  const TensorActivity& tensor = chip_.chip().core(0).tensor_counters();
  StepResult result;
  for (unsigned core = 0; core < cores_.size(); ++core) {
    const TrainingCore::Metrics metrics = cores_[core]->metrics();
    result.loss += metrics.loss;
    result.correct += metrics.correct;
    result.macs += chip_.chip().core(core).tensor_counters().macs;
  }
  result.simulated_us = run.seconds() * 1e6;
  result.tensor_cycles = tensor.last_cycle - tensor.first_cycle;
  result.tensor_columns = tensor.columns;
  return result;
}

std::vector<float> TrainingChip::evaluate(const train::Batch& batch) {
  copy_in(batch, nullptr);
  run([](TrainingCore& core) -> runtime::Program& { return core.evaluation(); });
  std::vector<float> all;
  for (auto& core : cores_) {
    const std::vector<float> part = core->evaluated();
    all.insert(all.end(), part.begin(), part.end());
  }
  all.resize(batch.labels.size());
  return all;
}

std::vector<float> TrainingChip::predict(const std::vector<std::int32_t>& window) {
  load();
  return cores_.front()->predict(window);
}

train::State TrainingChip::state() {
  load();
  train::State state = cores_.front()->state();
  for (unsigned core = 1; core < cores_.size(); ++core) {
    const train::State other = cores_[core]->state();
    for (std::size_t t = 0; t < state.size(); ++t) {
      if (other[t] == state[t]) continue;
      throw RunError(fmt::format("'{}' of core {} differs from that of core 0",
                                 models_[core].state[t].name, core));
    }
  }
  return state;
}

void TrainingChip::set_state(const train::State& state) {
  load();
  for (auto& core : cores_) core->set_state(state);
}

void TrainingChip::save(const SnapshotOwner& owner, base::AtomicFile& file) {
  save_chip(chip_, owner, file);
}

// The programs are loaded as on the chip that was saved: the host then knows where they are.
void TrainingChip::restore(const ChipSnapshot& snapshot) {
  load();
  snapshot.restore(chip_);
}

TrainingChip::Product TrainingChip::product(const kernels::MatmulSpec& spec,
                                            const std::vector<float>& a,
                                            const std::vector<float>& b) {
  load();
  std::vector<runtime::Buffer> buffers;
  runtime::Runtime::Bindings bindings;
  const auto tensors = kernels::pack_matmul(spec, a, b);
  buffers.reserve(tensors.size() + 1);
  for (const kernels::MatmulTensor& tensor : tensors) {
    buffers.push_back(runtime_->allocate(tensor.name, tensor.bytes.size()));
    runtime_->copy_to_device(buffers.back(), tensor.bytes.data(), tensor.bytes.size());
    bindings[tensor.name] = &buffers.back();
  }
  Product result;
  result.c.resize(spec.m * spec.n);
  buffers.push_back(runtime_->allocate("c", result.c.size() * sizeof(float)));
  bindings["c"] = &buffers.back();
  for (const auto part : {kernels::MatmulPart::kLoad, kernels::MatmulPart::kCompute}) {
    kernels::MatmulSpec half = spec;
    half.part = part;
    chip_.chip().core(0).reset_tensor_counters();
    auto program = runtime_->load(kernels::build_matmul(half, chip_.config()), bindings);
    runtime_->run(program);
  }
  const TensorActivity& tensor = chip_.chip().core(0).tensor_counters();
  result.tensor_cycles = tensor.last_cycle - tensor.first_cycle;
  runtime_->copy_from_device(buffers.back(), result.c.data(), result.c.size() * sizeof(float));
  return result;
}

std::optional<std::string> TrainingChip::first_not_finite(const train::Batch& batch,
                                                          const std::vector<float>& hyper) {
  copy_in(batch, &hyper);
  run([](TrainingCore& core) -> runtime::Program& { return core.debugging(); });
  for (unsigned core = 0; core < cores_.size(); ++core) {
    if (const auto found = cores_[core]->first_not_finite())
      return cores_.size() == 1 ? *found : fmt::format("core {}: {}", core, *found);
  }
  return std::nullopt;
}

}  // namespace tern::app
