// SPDX-License-Identifier: Apache-2.0
#include "sw/nrt/model.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/base/user_error.h"

namespace tern::nrt {

using runtime::Runtime;
using runtime::Status;
using runtime::StatusError;

namespace {

bool same(const TensorInfo& a, const TensorInfo& b) {
  return a.kind == b.kind && a.dtype == b.dtype && a.shape == b.shape;
}

}  // namespace

Model::Model(runtime::ProgramFile file, const CoreSet& cores, System& system, double limit_seconds)
    : parts_(std::move(file.parts)), cores_(cores), limit_seconds_(limit_seconds) {
  if (parts_.size() != 1 && parts_.size() != cores.count)
    throw StatusError(Status::kNotEnoughCores,
                      fmt::format("program '{}' is for logical cores of {}, these are of {}",
                                  name(), parts_.size(), cores.count));
  for (const Executable& part : parts_) {
    if (std::all_of(part.queues.begin(), part.queues.end(),
                    [](const auto& queue) { return queue.empty(); }))
      throw StatusError(Status::kInvalid, fmt::format("program '{}' has no instructions", name()));
  }
  std::map<std::string, TensorInfo> all;
  for (const Executable& part : parts_) {
    for (const TensorInfo& tensor : part.tensors) {
      const auto [known, added] = all.emplace(tensor.name, tensor);
      if (!added && !same(known->second, tensor))
        throw StatusError(
            Status::kInvalid,
            fmt::format("program '{}': its parts disagree about tensor '{}'", name(), tensor.name));
    }
  }
  for (auto& [tensor_name, tensor] : all) {
    if (tensor.kind != TensorInfo::Kind::kScratch) {
      tensors_.push_back(tensor);
      continue;
    }
    Runtime& runtime = *system.device(cores_.device).runtime;
    scratch_.emplace(tensor_name, runtime.allocate(tensor_name, tensor.bytes(), cores_.first));
  }
}

Model::Views Model::bind(const Tensors& inputs, const Tensors& outputs) const {
  Views bound;
  for (const TensorInfo& info : tensors_) {
    const Tensors& set = is_output(info) ? outputs : inputs;
    const auto fail = [&](const std::string& what) {
      throw StatusError(Status::kInvalid,
                        fmt::format("program '{}': tensor '{}' {}", name(), info.name, what));
    };
    const auto found = set.find(info.name);
    if (found == set.end())
      fail(fmt::format("is missing in the set of {}", is_output(info) ? "outputs" : "inputs"));
    const View& tensor = *found->second;
    if (tensor.bytes != info.bytes())
      fail(fmt::format("takes {} bytes, got {}", info.bytes(), tensor.bytes));
    if (tensor.storage == nullptr) fail("has no bytes yet");
    if (!tensor.storage->on_host() && tensor.storage->device() != cores_.device)
      fail(fmt::format("is on chip {}, the program on chip {}", tensor.storage->device(),
                       cores_.device));
    bound.emplace(info.name, tensor);
  }
  return bound;
}

void Model::load(System& system, const Views& tensors) {
  System::Device& device = system.device(cores_.device);
  Addresses addresses;
  for (const auto& [tensor_name, tensor] : tensors) {
    Storage& storage = *tensor.storage;
    const std::uint64_t base =
        storage.on_host() ? storage.address_for(*device.chip) : storage.buffer().address();
    addresses.emplace(tensor_name, Runtime::Binding(base + tensor.offset, tensor.bytes));
  }
  for (const auto& [tensor_name, buffer] : scratch_)
    addresses.emplace(tensor_name, Runtime::Binding(&buffer));
  std::vector<std::uint64_t> numbers;
  for (const auto& entry : addresses) numbers.push_back(entry.second.address);
  if (!programs_.empty() && numbers == addresses_) return;
  programs_.clear();
  std::vector<runtime::Program> programs;
  for (unsigned part = 0; part < parts_.size(); ++part)
    programs.push_back(
        device.runtime->load(parts_[part], addresses, cores_.first + part, cores_.first));
  programs_ = std::move(programs);  // all of them, or none
  addresses_ = std::move(numbers);
}

// The first core last: where the parts begin together, it says when.
void Model::run_parts(Runtime& runtime) {
  for (std::size_t part = programs_.size(); part-- > 0;) runtime.execute(programs_[part]);
  sc_core::sc_time start = sc_core::SC_ZERO_TIME, end = sc_core::SC_ZERO_TIME;
  for (runtime::Program& program : programs_) {
    runtime::RunResult result;
    try {
      result = runtime.wait(program, limit_seconds_);
    } catch (const StatusError& error) {
      if (error.status() != Status::kTimeout) throw;
      // It may wait for a part that has failed: that one's error is the reason.
      for (runtime::Program& other : programs_) {
        if (runtime.failed(other)) runtime.wait(other, limit_seconds_);
      }
      throw;
    }
    start = std::max(start, result.start);
    end = std::max(end, result.end);
  }
  newest_ns_ = static_cast<std::uint64_t>((end - start).to_seconds() * 1e9);
}

void Model::recover(Runtime& runtime) {
  for (unsigned n = 0; n < cores_.count; ++n) runtime.reset(cores_.first + n);
}

void Model::execute(System& system, const Views& tensors) {
  System::Device& device = system.device(cores_.device);
  load(system, tensors);
  try {
    run_parts(*device.runtime);
  } catch (const StatusError& error) {
    if (error.status() == Status::kHardware) throw;
    recover(*device.runtime);
    throw StatusError(system.of_firmware(device, error.status()), error.what());
  }
}

}  // namespace tern::nrt
