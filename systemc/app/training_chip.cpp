// SPDX-License-Identifier: Apache-2.0
#include "systemc/app/training_chip.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "sw/kernels/matmul_data.h"
#include "systemc/cosim/rtl_chip_options.h"
#include "systemc/numerics/convert.h"

namespace tern::app {

using train::DType;

TrainingChip::TrainingChip(const std::string& name, const ChipConfig& config,
                           const train::Model& model)
    : config_(config), model_(model), irq_((name + "_irq").c_str()) {
  chip_ = std::make_unique<Chip>(name.c_str(), config_, rtl_chip_options(), &bus_);
  host_ = std::make_unique<runtime::HostPort>((name + "_host").c_str());
  host_->socket.bind(chip_->host);
  host_->irq.bind(irq_);
  chip_->irq.bind(irq_);
}

TrainingChip::~TrainingChip() = default;

void TrainingChip::load() {
  if (runtime_) return;
  runtime_ = std::make_unique<runtime::Runtime>(*host_);
  allocate("x", model_.x_bytes);
  allocate("labels", model_.labels * sizeof(std::int32_t));
  allocate("hyper", train::kHyperColumns * sizeof(float));
  allocate("metrics", 2 * sizeof(float));
  allocate(model_.evaluated, model_.labels * sizeof(float));
  for (const train::StateTensor& tensor : model_.state) allocate(tensor.name, tensor.bytes());
  step_ = load(model_.build_step(config_, nullptr));
  evaluation_ = load(model_.build_evaluation(config_));
}

void TrainingChip::allocate(const std::string& name, std::uint64_t bytes) {
  buffers_.emplace(name, runtime_->allocate(name, bytes));
}

runtime::Program TrainingChip::load(Executable program) {
  runtime::Runtime::Bindings bindings;
  for (const TensorInfo& tensor : program.tensors)
    bindings[tensor.name] = &buffers_.at(tensor.name);
  return runtime_->load(std::move(program), bindings);
}

void TrainingChip::copy_in(const train::Batch& batch) {
  runtime_->copy_to_device(buffers_.at("x"), batch.x.data(), batch.x.size());
  runtime_->copy_to_device(buffers_.at("labels"), batch.labels.data(),
                           batch.labels.size() * sizeof(std::int32_t));
}

std::vector<float> TrainingChip::read(const std::string& name, DType dtype, std::size_t count) {
  std::vector<std::uint8_t> bytes(count * numerics::dtype_size(dtype));
  runtime_->copy_from_device(buffers_.at(name), bytes.data(), bytes.size());
  std::vector<float> values(count);
  numerics::widen(dtype, bytes.data(), values.data(), count);
  return values;
}

TrainingChip::StepResult TrainingChip::step(const train::Batch& batch,
                                            const std::vector<float>& hyper) {
  load();
  copy_in(batch);
  runtime_->copy_to_device(buffers_.at("hyper"), hyper.data(), hyper.size() * sizeof(float));
  chip_->core(0).reset_tensor_counters();
  const runtime::RunResult run = runtime_->run(*step_);
  const std::vector<float> metrics = read("metrics", DType::kFp32, 2);
  const TensorEngineCounters& tensor = chip_->core(0).tensor_counters();
  StepResult result;
  result.loss = metrics[0];
  result.correct = static_cast<std::uint32_t>(metrics[1]);
  result.simulated_us = run.seconds() * 1e6;
  result.tensor_cycles = tensor.last_cycle - tensor.first_cycle;
  result.tensor_columns = tensor.columns;
  result.macs = tensor.macs;
  return result;
}

std::vector<float> TrainingChip::evaluate(const train::Batch& batch) {
  load();
  copy_in(batch);
  runtime_->run(*evaluation_);
  return read(model_.evaluated, DType::kFp32, batch.labels.size());
}

train::State TrainingChip::state() {
  load();
  train::State state;
  for (const train::StateTensor& tensor : model_.state) {
    state.emplace_back(tensor.bytes());
    runtime_->copy_from_device(buffers_.at(tensor.name), state.back().data(), tensor.bytes());
  }
  return state;
}

void TrainingChip::set_state(const train::State& state) {
  load();
  const auto& tensors = model_.state;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    runtime_->copy_to_device(buffers_.at(tensors[i].name), state[i].data(), state[i].size());
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
    chip_->core(0).reset_tensor_counters();
    auto program = runtime_->load(kernels::build_matmul(half, config_), bindings);
    runtime_->run(program);
  }
  const TensorEngineCounters& tensor = chip_->core(0).tensor_counters();
  result.tensor_cycles = tensor.last_cycle - tensor.first_cycle;
  runtime_->copy_from_device(buffers.back(), result.c.data(), result.c.size() * sizeof(float));
  return result;
}

std::optional<std::string> TrainingChip::first_not_finite(const train::Batch& batch,
                                                          const std::vector<float>& hyper) {
  load();
  if (!debugging_) {
    Executable program = model_.build_step(config_, &probes_);
    for (const train::Probe& probe : probes_)
      allocate(probe.tensor, probe.rows * probe.columns * numerics::dtype_size(probe.dtype));
    debugging_ = load(std::move(program));
  }
  copy_in(batch);
  runtime_->copy_to_device(buffers_.at("hyper"), hyper.data(), hyper.size() * sizeof(float));
  runtime_->run(*debugging_);
  for (const train::Probe& probe : probes_) {
    const std::vector<float> values = read(probe.tensor, probe.dtype, probe.rows * probe.columns);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isfinite(values[i])) continue;
      const std::uint64_t row = i / probe.columns, column = i % probe.columns;
      return fmt::format("{} [{}, {}] = {}, written by {}", probe.what, row, column, values[i],
                         probe.writer(row, column));
    }
  }
  return std::nullopt;
}

}  // namespace tern::app
