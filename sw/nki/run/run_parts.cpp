// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/run/run_parts.h"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "systemc/trace/sim_time.h"

namespace tern::nki {

namespace {

class PartsRun {
 public:
  PartsRun(Platform& platform, std::vector<Executable>& parts)
      : platform_(platform), parts_(parts) {}

  PartsResult run(const Platform::InputViews& inputs) {
    for (unsigned core = 0; core < parts_.size(); ++core) allocate(core);
    for (const auto& [name, bytes] : inputs) {
      const auto buffer = buffers_.find(name);
      if (buffer == buffers_.end()) continue;
      platform_.runtime.copy_to_device(buffer->second, bytes.data(), bytes.size());
    }
    std::vector<runtime::Program> programs;
    for (unsigned core = 0; core < parts_.size(); ++core) {
      programs.push_back(platform_.runtime.load(std::move(parts_[core]), bindings_[core], core, 0));
    }
    std::deque<HostedChip::Running> running;
    for (unsigned core = 0; core < programs.size(); ++core) {
      running.emplace_back(platform_.hosted, programs[core].executable(), core);
    }
    const ChipCounters before = chip_counters(platform_.chip);
    // The others wait for core 0.
    for (std::size_t core = programs.size(); core-- > 0;) platform_.runtime.execute(programs[core]);
    PartsResult result;
    for (runtime::Program& program : programs) {
      const runtime::RunResult part = platform_.runtime.wait(program);
      result.start_fs = std::max(result.start_fs, to_fs(part.start));
    }
    // The host sees the interrupts of several cores one after the other.
    for (unsigned core = 0; core < programs.size(); ++core) {
      result.end_fs =
          std::max(result.end_fs, platform_.chip.core(core).program_times().last_end_fs());
    }
    result.counters = chip_counters(platform_.chip);
    result.counters -= before;
    for (const std::string& name : outputs_) {
      Bytes& bytes = result.outputs[name];
      bytes.resize(buffers_.at(name).bytes());
      platform_.runtime.copy_from_device(buffers_.at(name), bytes.data(), bytes.size());
    }
    return result;
  }

 private:
  void allocate(unsigned core) {
    for (const TensorInfo& tensor : parts_[core].tensors) {
      auto found = buffers_.find(tensor.name);
      if (found == buffers_.end()) {
        found =
            buffers_
                .emplace(tensor.name, platform_.runtime.allocate(tensor.name, tensor.bytes(), core))
                .first;
      }
      bindings_[core][tensor.name] = &found->second;
      if (tensor.kind == TensorInfo::Kind::kOutput) outputs_.insert(tensor.name);
    }
  }

  Platform& platform_;
  std::vector<Executable>& parts_;  // given to the runtime
  std::map<std::string, runtime::Buffer> buffers_;
  std::map<unsigned, runtime::Runtime::Bindings> bindings_;
  std::set<std::string> outputs_;
};

}  // namespace

PartsResult run_parts(Platform& platform, std::vector<Executable> parts,
                      const Platform::InputViews& inputs, const runtime::Overhead& overhead,
                      const Simulation::Options& options) {
  PartsResult result;
  if (parts.size() == 1) {  // a call also checks the inputs
    CallResult call;
    platform.run([&] { call = platform.call_with(std::move(parts.front()), inputs); }, options);
    result.outputs = std::move(call.outputs);
    result.start_fs = to_fs(call.run.start);
    result.end_fs = to_fs(call.run.end);
    result.counters = std::move(call.counters);
    return result;
  }
  platform.run([&] { result = PartsRun(platform, parts).run(inputs); }, options);
  result.end_fs += to_fs(overhead.end);
  return result;
}

}  // namespace tern::nki
