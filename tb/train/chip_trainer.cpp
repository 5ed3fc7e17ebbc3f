// SPDX-License-Identifier: Apache-2.0
#include "tb/train/chip_trainer.h"

#include <stdexcept>

#include "systemc/numerics/convert.h"

namespace tern::tb {

using numerics::DType;

ChipTrainer::ChipTrainer(Platform& platform, const train::MlpSpec& spec, const train::State& state,
                         bool probes, const kernels::CoreGroup& group, const Change& change)
    : platform_(platform), spec_(spec), group_(group), share_(train::share_of(spec, group.cores)) {
  Executable step =
      train::build_training_step(spec, platform.config, probes ? &probes_ : nullptr, group);
  change(&step);
  const std::size_t features = spec.sizes.front();
  allocate("x", share_ * features * numerics::dtype_size(spec.operand()));
  allocate("labels", 4 * share_);
  allocate("hyper", 4 * train::kHyperColumns);
  allocate("metrics", 8);
  allocate("correct", 4 * share_);
  const auto tensors = train::state_tensors(spec);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    allocate(tensors[i].name, tensors[i].bytes());
    platform.runtime.copy_to_device(buffers_.at(tensors[i].name), state[i].data(), state[i].size());
  }
  for (const train::Probe& probe : probes_)
    allocate(probe.tensor, probe.rows * probe.columns * numerics::dtype_size(probe.dtype));
  runtime::Runtime::Bindings bindings;
  for (const auto& [name, buffer] : buffers_) bindings[name] = &buffer;
  const auto bound = [&](const Executable& program) {
    runtime::Runtime::Bindings used;
    for (const auto& tensor : program.tensors) used[tensor.name] = bindings.at(tensor.name);
    return used;
  };
  Executable evaluation = train::build_evaluation(spec, platform.config, group.cores);
  const auto step_bindings = bound(step), evaluation_bindings = bound(evaluation);
  step_ = platform.runtime.load(std::move(step), step_bindings, group.core);
  evaluation_ = platform.runtime.load(std::move(evaluation), evaluation_bindings, group.core);
}

void ChipTrainer::allocate(const std::string& name, std::uint64_t bytes) {
  buffers_.emplace(name, platform_.runtime.allocate(name, bytes, group_.core));
}

void ChipTrainer::copy_batch(const std::vector<double>& x,
                             const std::vector<std::int32_t>& labels) {
  const std::size_t features = spec_.sizes.front(), first = group_.core * share_;
  const auto from = x.begin() + static_cast<std::ptrdiff_t>(first * features);
  const std::vector<float> singles(from, from + static_cast<std::ptrdiff_t>(share_ * features));
  std::vector<std::uint8_t> bytes(singles.size() * numerics::dtype_size(spec_.operand()));
  numerics::narrow(spec_.operand(), singles.data(), bytes.data(), singles.size());
  platform_.runtime.copy_to_device(buffers_.at("x"), bytes.data(), bytes.size());
  platform_.runtime.copy_to_device(buffers_.at("labels"), &labels[first], 4 * share_);
}

ChipTrainer::Result ChipTrainer::step(const std::vector<double>& x,
                                      const std::vector<std::int32_t>& labels, double rate) {
  copy_in(x, labels, rate);
  execute();
  return wait();
}

void ChipTrainer::copy_in(const std::vector<double>& x, const std::vector<std::int32_t>& labels,
                          double rate) {
  copy_batch(x, labels);
  const std::vector<float> hyper = train::hyper_of(spec_, ++steps_, rate);
  platform_.runtime.copy_to_device(buffers_.at("hyper"), hyper.data(), 4 * hyper.size());
}

ChipTrainer::Result ChipTrainer::wait() {
  platform_.runtime.wait(*step_);
  const std::vector<double> metrics = read("metrics", DType::kFp32, 2);
  return {metrics[0], static_cast<std::size_t>(metrics[1])};
}

std::size_t ChipTrainer::evaluate(const std::vector<double>& x,
                                  const std::vector<std::int32_t>& labels) {
  copy_batch(x, labels);
  platform_.runtime.run(*evaluation_);
  double sum = 0;
  for (const double one : read("correct", DType::kFp32, share_)) sum += one;
  return static_cast<std::size_t>(sum);
}

train::State ChipTrainer::state() {
  train::State state;
  for (const train::StateTensor& tensor : train::state_tensors(spec_)) {
    state.emplace_back(tensor.bytes());
    platform_.runtime.copy_from_device(buffers_.at(tensor.name), state.back().data(),
                                       tensor.bytes());
  }
  return state;
}

std::vector<double> ChipTrainer::values(const std::string& name) {
  for (const train::StateTensor& tensor : train::state_tensors(spec_)) {
    if (tensor.name == name) return read(name, tensor.dtype, tensor.elements());
  }
  for (const train::Probe& probe : probes_) {
    if (probe.what == name) return read(probe.tensor, probe.dtype, probe.rows * probe.columns);
  }
  throw std::runtime_error("no tensor " + name);
}

std::vector<double> ChipTrainer::read(const std::string& name, DType dtype, std::size_t count) {
  std::vector<std::uint8_t> bytes(count * numerics::dtype_size(dtype));
  platform_.runtime.copy_from_device(buffers_.at(name), bytes.data(), bytes.size());
  std::vector<float> singles(count);
  numerics::widen(dtype, bytes.data(), singles.data(), count);
  return {singles.begin(), singles.end()};
}

}  // namespace tern::tb
