// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/train/training_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sw/numerics/convert.h"
#include "sw/train/tensor_part.h"

namespace tern::app {

using train::DType;

namespace {

// The elements of a rank; fewer if the batch ends before.
template <typename Element>
std::vector<Element> cut(const std::vector<Element>& all, const train::Model::Slice& slice) {
  std::vector<Element> own;
  for (std::uint64_t s = 0; s < slice.samples; ++s) {
    const std::uint64_t first = std::min<std::uint64_t>(slice.first + s * slice.pitch, all.size());
    const std::uint64_t end = std::min<std::uint64_t>(first + slice.run, all.size());
    own.insert(own.end(), all.begin() + static_cast<std::ptrdiff_t>(first),
               all.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return own;
}

// Probes of the backward pass begin with one of these, its first matrix.
const std::string kGradient = "gradient ";

}  // namespace

TrainingCore::TrainingCore(runtime::Runtime& runtime, const ChipConfig& chip,
                           const train::Model& model, unsigned core, unsigned rank)
    : runtime_(runtime), chip_(chip), model_(model), core_(core), rank_(rank) {
  allocate("x", model_.x_bytes);
  allocate("labels", model_.labels * sizeof(std::int32_t));
  allocate("hyper", train::kHyperColumns * sizeof(float));
  allocate("metrics", 2 * sizeof(float));
  allocate(model_.evaluated, model_.labels * sizeof(float));
  for (std::size_t t = 0; t < model_.state.size(); ++t) allocate(model_.state[t].name, bytes_of(t));
  made_step_ = model_.build_step(chip_, nullptr);
  made_evaluation_ = model_.build_evaluation(chip_);
  allocate_scratch(made_step_);
  allocate_scratch(made_evaluation_);
}

void TrainingCore::load_programs(const std::vector<std::uint64_t>& peers,
                                 const runtime::Runtime::PeerTensorAddress& tensor_of) {
  peers_ = peers;
  tensor_of_ = tensor_of;
  step_ = load(std::move(made_step_), true);
  evaluation_ = load(std::move(made_evaluation_), model_.group > 1);
}

void TrainingCore::allocate_scratch(const Executable& program) {
  for (const TensorInfo& tensor : program.tensors) {
    if (tensor.kind == TensorInfo::Kind::kScratch && buffers_.count(tensor.name) == 0)
      allocate(tensor.name, tensor.bytes());
  }
}

void TrainingCore::allocate(const std::string& name, std::uint64_t bytes) {
  if (bytes == 0) return;
  buffers_.emplace(name, runtime_.allocate(name, bytes, core_));
}

runtime::Program TrainingCore::load(Executable program, bool together) {
  runtime::Runtime::Bindings bindings;
  for (const TensorInfo& tensor : program.tensors)
    bindings[tensor.name] = &buffers_.at(tensor.name);
  if (!together || peers_.empty()) return runtime_.load(std::move(program), bindings, core_);
  return runtime_.load(std::move(program), bindings, core_, peers_, tensor_of_);
}

void TrainingCore::copy_in(const train::Batch& batch) {
  const auto copy = [&](const char* name, const auto& all, std::uint64_t own) {
    const auto part = cut(all, model_.slice(rank_, own));
    runtime_.copy_to_device(buffers_.at(name), part.data(), part.size() * sizeof part[0]);
  };
  copy("x", batch.x, model_.x_bytes);
  copy("labels", batch.labels, model_.labels);
}

void TrainingCore::copy_in(const std::vector<float>& hyper) {
  runtime_.copy_to_device(buffers_.at("hyper"), hyper.data(), hyper.size() * sizeof(float));
}

std::vector<float> TrainingCore::read(const std::string& name, DType dtype, std::size_t count) {
  std::vector<std::uint8_t> bytes(count * numerics::dtype_size(dtype));
  runtime_.copy_from_device(buffers_.at(name), bytes.data(), bytes.size());
  std::vector<float> values(count);
  numerics::widen(dtype, bytes.data(), values.data(), count);
  return values;
}

TrainingCore::Metrics TrainingCore::metrics() {
  const std::vector<float> metrics = read("metrics", DType::kFp32, 2);
  return {metrics[0], static_cast<std::uint32_t>(metrics[1])};
}

void TrainingCore::evaluated(std::vector<float>* of_batch) {
  const std::vector<float> own = read(model_.evaluated, DType::kFp32, model_.labels);
  const train::Model::Slice slice = model_.slice(rank_, own.size());
  for (std::uint64_t s = 0; s < slice.samples; ++s) {
    const std::uint64_t at = slice.first + s * slice.pitch;
    for (std::uint64_t i = at; i < std::min<std::uint64_t>(at + slice.run, of_batch->size()); ++i)
      (*of_batch)[i] = own[s * slice.run + i - at];
  }
}

void TrainingCore::prepare_prediction() {
  if (made_prediction_ || prediction_) return;
  const train::Model::Prediction& prediction = *model_.prediction;
  allocate("window", prediction.window * sizeof(std::int32_t));
  allocate("logits", std::uint64_t{prediction.window} * prediction.choices * sizeof(float));
  made_prediction_ = prediction.build(chip_);
  allocate_scratch(*made_prediction_);
}

runtime::Program& TrainingCore::prediction(const std::vector<std::int32_t>& window) {
  if (made_prediction_) {
    prediction_ = load(std::move(*made_prediction_), model_.group > 1);
    made_prediction_.reset();
  }
  const std::uint64_t own = model_.prediction->window;
  const std::uint64_t part = rank_ / model_.sharers % model_.sample_parts;
  runtime_.copy_to_device(buffers_.at("window"), window.data() + part * own,
                          own * sizeof(std::int32_t));
  return *prediction_;
}

std::vector<float> TrainingCore::predicted() {
  return read("logits", DType::kFp32,
              std::uint64_t{model_.prediction->window} * model_.prediction->choices);
}

std::uint64_t TrainingCore::bytes_of(std::size_t tensor) const {
  const train::StateTensor& whole = model_.state[tensor];
  return model_.parts.empty() ? whole.bytes() : train::part_of(whole, model_.parts[tensor]).bytes();
}

train::State TrainingCore::state() {
  train::State state;
  for (std::size_t t = 0; t < model_.state.size(); ++t) {
    state.emplace_back(bytes_of(t));
    if (state.back().empty()) continue;
    runtime_.copy_from_device(buffers_.at(model_.state[t].name), state[t].data(), state[t].size());
  }
  return state;
}

train::State TrainingCore::part_of(const train::State& state) const {
  if (model_.parts.empty()) return state;
  train::State part;
  for (std::size_t t = 0; t < state.size(); ++t)
    part.push_back(train::cut(model_.state[t], model_.parts[t], state[t]));
  return part;
}

void TrainingCore::set_state(const train::State& state) {
  const train::State part = part_of(state);
  for (std::size_t t = 0; t < part.size(); ++t) {
    if (part[t].empty()) continue;
    runtime_.copy_to_device(buffers_.at(model_.state[t].name), part[t].data(), part[t].size());
  }
}

runtime::Program& TrainingCore::state_copy(const std::vector<train::StateShare>& shares,
                                           std::uint64_t bytes) {
  if (state_copy_) return *state_copy_;
  kept_ = runtime_.allocate("kept", std::max<std::uint64_t>(bytes, 1), core_);
  Executable program = train::build_state_copy(chip_, model_, shares);
  runtime::Runtime::Bindings bindings;
  for (const TensorInfo& tensor : program.tensors) {
    if (tensor.kind == TensorInfo::Kind::kInput) bindings[tensor.name] = &buffers_.at(tensor.name);
    for (const train::StateShare& share : shares) {
      if (tensor.name == train::kept_name(model_.state[share.tensor]))
        bindings[tensor.name] = {kept_.address() + share.place, tensor.bytes()};
    }
  }
  state_copy_ = runtime_.load(std::move(program), bindings, core_);
  return *state_copy_;
}

// In pieces: the host's other copies wait for one at most.
std::vector<std::uint8_t> TrainingCore::kept() {
  constexpr std::uint64_t kPiece = 1 << 20;
  std::vector<std::uint8_t> bytes(kept_.bytes());
  for (std::uint64_t at = 0; at < bytes.size(); at += kPiece)
    runtime_.copy_from_device(kept_, &bytes[at], std::min(kPiece, bytes.size() - at), at);
  return bytes;
}

runtime::Program& TrainingCore::debugging() {
  if (!debugging_) {
    Executable program = model_.build_step(chip_, &probes_);
    for (const train::Probe& probe : probes_)
      allocate(probe.tensor, probe.rows * probe.columns * numerics::dtype_size(probe.dtype));
    debugging_ = load(std::move(program), true);
  }
  return *debugging_;
}

bool TrainingCore::is_back(std::size_t probe) const {
  const auto end = probes_.begin() + static_cast<std::ptrdiff_t>(probe) + 1;
  return std::any_of(probes_.begin(), end, [](const train::Probe& before) {
    return before.what.compare(0, kGradient.size(), kGradient) == 0;
  });
}

std::optional<std::string> TrainingCore::not_finite(std::size_t which) {
  const train::Probe& probe = probes_.at(which);
  const std::vector<float> values = read(probe.tensor, probe.dtype, probe.rows * probe.columns);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    const std::uint64_t row = i / probe.columns, column = i % probe.columns;
    return fmt::format("{} [{}, {}] = {}, written by {}", probe.what, row, column, values[i],
                       probe.writer(row, column));
  }
  return std::nullopt;
}

}  // namespace tern::app
