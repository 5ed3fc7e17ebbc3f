// SPDX-License-Identifier: Apache-2.0
#include "sw/platform/platform.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sw/base/atomic_file.h"
#include "sw/base/user_error.h"
#include "sw/platform/chip_snapshot.h"

namespace tern {
namespace {

constexpr const char* kSnapshotKind = "platform";

using Inputs = Platform::InputViews;

bool is_input(const TensorInfo& tensor) {
  return tensor.kind == TensorInfo::Kind::kInput || tensor.kind == TensorInfo::Kind::kWeight;
}

// Before anything takes simulated time.
void check_inputs(const Executable& program, const Inputs& inputs) {
  for (const auto& [name, bytes] : inputs) {
    const auto tensor = std::find_if(program.tensors.begin(), program.tensors.end(),
                                     [&n = name](const TensorInfo& t) { return t.name == n; });
    if (tensor == program.tensors.end()) {
      throw UserError(fmt::format("program '{}' has no tensor '{}'", program.name, name));
    }
    if (bytes.size() != tensor->bytes()) {
      throw UserError(fmt::format("program '{}': tensor '{}' takes {} bytes, got {}", program.name,
                                  name, tensor->bytes(), bytes.size()));
    }
  }
  for (const TensorInfo& tensor : program.tensors) {
    if (is_input(tensor) && inputs.count(tensor.name) == 0) {
      throw UserError(
          fmt::format("program '{}': input '{}' is missing", program.name, tensor.name));
    }
  }
}

}  // namespace

Platform::Platform(const std::string& preset, const std::vector<ConfigOverride>& overrides,
                   const ChipOptions& options)
    : hosted("chip", load_chip_config(preset, overrides).chip, options),
      config(hosted.config()),
      trace(hosted.trace()),
      chip(hosted.chip()),
      port(hosted.host()),
      runtime(port) {}

void Platform::run(const std::function<void()>& program, Simulation::Options options) {
  if (!options.describe_rest) options.describe_rest = [this] { return chip.describe_stall(); };
  simulation.run(program, options);
}

CallResult Platform::call(Executable program, const std::map<std::string, Bytes>& inputs,
                          unsigned core) {
  Inputs views;
  for (const auto& [name, bytes] : inputs)
    views[name] = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  return call_with(std::move(program), views, core);
}

CallResult Platform::call_with(Executable program, const Inputs& inputs, unsigned core) {
  check_inputs(program, inputs);
  if (sc_core::sc_get_current_process_handle().valid())
    return call_in_thread(std::move(program), inputs, core);
  CallResult result;
  run([&] { result = call_in_thread(std::move(program), inputs, core); });
  return result;
}

void Platform::save(const std::string& path, const std::string& notes) {
  base::AtomicFile file(path);
  in_thread([&] { save_chip(hosted, {kSnapshotKind, notes}, file); });
}

std::string Platform::restore(const std::string& path) {
  const ChipSnapshot snapshot(path, kSnapshotKind, config);
  in_thread([&] { snapshot.restore(hosted); });
  return snapshot.owner_state();
}

void Platform::in_thread(const std::function<void()>& body) {
  if (sc_core::sc_get_current_process_handle().valid()) return body();
  run(body);
}

CallResult Platform::call_in_thread(Executable executable, const Inputs& inputs, unsigned core) {
  CallResult result;
  const std::vector<TensorInfo> tensors = executable.tensors;
  std::vector<tern::runtime::Buffer> buffers;
  buffers.reserve(tensors.size());
  tern::runtime::Runtime::Bindings bindings;
  for (const TensorInfo& tensor : tensors) {
    buffers.push_back(runtime.allocate(tensor.name, tensor.bytes(), core));
    bindings[tensor.name] = &buffers.back();
    const auto bytes = inputs.find(tensor.name);
    if (bytes != inputs.end())
      runtime.copy_to_device(buffers.back(), bytes->second.data(), bytes->second.size());
  }
  tern::runtime::Program program = runtime.load(std::move(executable), bindings, core);
  const HostedChip::Running running(hosted, program.executable());
  const ChipCounters before = chip_counters(chip);
  result.run = runtime.run(program);
  result.counters = chip_counters(chip);
  result.counters -= before;
  for (std::size_t t = 0; t < buffers.size(); ++t) {
    const TensorInfo& tensor = tensors[t];
    if (tensor.kind != TensorInfo::Kind::kOutput) continue;
    Bytes& bytes = result.outputs[tensor.name];
    bytes.resize(tensor.bytes());
    runtime.copy_from_device(buffers[t], bytes.data(), bytes.size());
  }
  return result;
}

}  // namespace tern
