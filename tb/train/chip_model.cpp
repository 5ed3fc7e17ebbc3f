// SPDX-License-Identifier: Apache-2.0
#include "tb/train/chip_model.h"

#include <stdexcept>
#include <utility>

#include "sw/numerics/convert.h"

namespace tern::tb {

using numerics::DType;

ChipModel::ChipModel(Platform& platform, const train::Model& model,
                     const train::OptimiserRules& rules, const train::State& state, bool probes,
                     unsigned core, const Change& change)
    : platform_(platform), model_(model), rules_(rules), core_(core) {
  Executable step = model_.build_step(platform.config, probes ? &probes_ : nullptr);
  change(&step);
  allocate("x", model_.x_bytes);
  allocate("labels", 4 * std::uint64_t{model_.labels});
  allocate("hyper", 4 * train::kHyperColumns);
  allocate("metrics", 8);
  allocate(model_.evaluated, 4 * std::uint64_t{model_.labels});
  for (std::size_t i = 0; i < model_.state.size(); ++i) {
    const std::string& name = model_.state[i].name;
    allocate(name, model_.state[i].bytes());
    platform.runtime.copy_to_device(buffers_.at(name), state[i].data(), state[i].size());
  }
  for (const train::Probe& probe : probes_)
    allocate(probe.tensor, probe.rows * probe.columns * numerics::dtype_size(probe.dtype));
  step_ = load(std::move(step));
  evaluation_ = load(model_.build_evaluation(platform.config));
}

void ChipModel::allocate(const std::string& name, std::uint64_t bytes) {
  buffers_.emplace(name, platform_.runtime.allocate(name, bytes, core_));
}

runtime::Program ChipModel::load(Executable program) {
  runtime::Runtime::Bindings bindings;
  for (const auto& tensor : program.tensors) {
    if (tensor.kind == TensorInfo::Kind::kScratch && buffers_.count(tensor.name) == 0)
      allocate(tensor.name, tensor.bytes());
    bindings[tensor.name] = &buffers_.at(tensor.name);
  }
  return platform_.runtime.load(std::move(program), bindings, core_);
}

void ChipModel::copy_batch(const std::vector<std::uint8_t>& x,
                           const std::vector<std::int32_t>& labels) {
  platform_.runtime.copy_to_device(buffers_.at("x"), x.data(), x.size());
  platform_.runtime.copy_to_device(buffers_.at("labels"), labels.data(), 4 * labels.size());
}

ChipModel::Result ChipModel::step(const std::vector<std::uint8_t>& x,
                                  const std::vector<std::int32_t>& labels, double rate) {
  copy_in(x, labels, rate);
  execute();
  return wait();
}

void ChipModel::copy_in(const std::vector<std::uint8_t>& x, const std::vector<std::int32_t>& labels,
                        double rate) {
  copy_batch(x, labels);
  const std::vector<float> hyper = train::hyper_of(rules_, ++steps_, rate);
  platform_.runtime.copy_to_device(buffers_.at("hyper"), hyper.data(), 4 * hyper.size());
}

ChipModel::Result ChipModel::wait() {
  platform_.runtime.wait(*step_);
  const std::vector<double> metrics = read("metrics", DType::kFp32, 2);
  return {metrics[0], static_cast<std::size_t>(metrics[1])};
}

std::vector<double> ChipModel::evaluate(const std::vector<std::uint8_t>& x,
                                        const std::vector<std::int32_t>& labels) {
  copy_batch(x, labels);
  platform_.runtime.run(*evaluation_);
  return read(model_.evaluated, DType::kFp32, model_.labels);
}

train::State ChipModel::state() {
  train::State state;
  for (const train::StateTensor& tensor : model_.state) {
    state.emplace_back(tensor.bytes());
    platform_.runtime.copy_from_device(buffers_.at(tensor.name), state.back().data(),
                                       tensor.bytes());
  }
  return state;
}

std::vector<double> ChipModel::values(const std::string& name) {
  for (const train::StateTensor& tensor : model_.state) {
    if (tensor.name == name) return read(name, tensor.dtype, tensor.elements());
  }
  for (const train::Probe& probe : probes_) {
    if (probe.what == name) return read(probe.tensor, probe.dtype, probe.rows * probe.columns);
  }
  throw std::runtime_error("no tensor " + name);
}

std::vector<double> ChipModel::read(const std::string& name, DType dtype, std::size_t count) {
  std::vector<std::uint8_t> bytes(count * numerics::dtype_size(dtype));
  platform_.runtime.copy_from_device(buffers_.at(name), bytes.data(), bytes.size());
  std::vector<float> singles(count);
  numerics::widen(dtype, bytes.data(), singles.data(), count);
  return {singles.begin(), singles.end()};
}

}  // namespace tern::tb
