// SPDX-License-Identifier: Apache-2.0
#include "sw/app/check/check_bench.h"

#include <utility>

#include "sw/base/stop.h"
#include "systemc/cosim/rtl_chip_options.h"

namespace tern::app {

namespace {

// Simulated; the longest program takes a hundredth of it.
constexpr double kLimitSeconds = 0.05;

}  // namespace

CheckBench::CheckBench(const ChipConfig& config, const std::vector<StuckBit>& stuck)
    : chip_("chip", config, with_stuck_bits(rtl_chip_options(), stuck)),
      stuck_("stuck", chip_.chip(), stuck) {}

runtime::Runtime& CheckBench::runtime() {
  using runtime::Runtime;
  // A copy by DMA engines under test would fail with them, or blame the cores whose data they copy.
  if (!runtime_)
    runtime_ =
        std::make_unique<Runtime>(chip_.host(), Runtime::Completion::kLine, Runtime::Copies::kBar);
  return *runtime_;
}

CheckBench::Loaded CheckBench::load(const Executable& program, unsigned core) {
  Loaded loaded;
  runtime::Runtime::Bindings bindings;
  for (const TensorInfo& tensor : program.tensors) {
    const auto buffer =
        loaded.buffers.emplace(tensor.name, runtime().allocate(tensor.name, tensor.bytes(), core));
    bindings[tensor.name] = &buffer.first->second;
  }
  loaded.program = std::make_unique<runtime::Program>(runtime().load(program, bindings, core));
  return loaded;
}

namespace {

// Why it failed; empty: it has not.
template <typename Action>
std::string failure_of(Action action) {
  try {
    action();
  } catch (const Interrupted&) {
    throw;
  } catch (const RunError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

void CheckBench::reset(unsigned core) {
  const std::string failure = failure_of([&] { runtime().reset(core); });
  if (!failure.empty()) given_up_[core] = "the core does not come to rest: " + failure;
}

std::map<unsigned, std::string> CheckBench::execute(std::map<unsigned, Loaded>& loaded) {
  std::map<unsigned, std::string> failures;
  for (auto& [core, each] : loaded) {
    const auto lost = given_up_.find(core);
    runtime::Program& program = *each.program;
    failures[core] =
        lost != given_up_.end() ? lost->second : failure_of([&] { runtime().execute(program); });
  }
  for (auto& [core, each] : loaded) {
    if (!failures[core].empty()) continue;
    runtime::Program& program = *each.program;
    failures[core] = failure_of([&] { runtime().wait(program, kLimitSeconds); });
    if (!failures[core].empty()) reset(core);
  }
  return failures;
}

std::string CheckBench::read(const Loaded& loaded, const std::string& tensor, void* data,
                             std::uint64_t bytes) {
  return failure_of([&] { runtime().copy_from_device(loaded.buffers.at(tensor), data, bytes); });
}

std::map<unsigned, CheckBench::Result> CheckBench::run(const Executable& program,
                                                       const std::map<std::string, Bytes>& inputs,
                                                       const std::vector<unsigned>& cores) {
  std::map<unsigned, Loaded> loaded;
  for (const unsigned core : cores) {
    Loaded each = load(program, core);
    for (const auto& [name, bytes] : inputs)
      runtime().copy_to_device(each.buffers.at(name), bytes.data(), bytes.size());
    // What a failed program leaves must not be the result of an earlier one.
    for (const TensorInfo& tensor : program.tensors) {
      if (tensor.kind != TensorInfo::Kind::kOutput) continue;
      const Bytes poison(tensor.bytes(), 0xA5);
      runtime().copy_to_device(each.buffers.at(tensor.name), poison.data(), poison.size());
    }
    loaded.emplace(core, std::move(each));
  }
  std::map<unsigned, Result> results;
  for (auto& [core, failure] : execute(loaded)) results[core].failure = failure;
  for (auto& [core, result] : results) {
    if (!result.failure.empty()) continue;
    for (const TensorInfo& tensor : program.tensors) {
      if (tensor.kind != TensorInfo::Kind::kOutput) continue;
      Bytes& bytes = result.outputs[tensor.name];
      bytes.resize(tensor.bytes());
      result.failure = read(loaded.at(core), tensor.name, bytes.data(), bytes.size());
      if (!result.failure.empty()) break;
    }
  }
  return results;
}

}  // namespace tern::app
