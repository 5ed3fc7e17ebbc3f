// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/run/run_parts.h"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "sw/spec/generated/address_map.h"
#include "systemc/trace/sim_time.h"

namespace tern::nki {

namespace {

class PartsRun {
 public:
  PartsRun(Platform& platform, runtime::ProgramFile& program)
      : platform_(platform), parts_(program.parts), ranks_(program.ranks) {}

  PartsResult run(const Platform::InputViews& inputs) {
    for (unsigned core = 0; core < parts_.size(); ++core) allocate(core);
    for (const auto& [name, bytes] : inputs) {
      const auto buffer = buffers_.find(name);
      if (buffer == buffers_.end()) continue;
      platform_.runtime.copy_to_device(buffer->second, bytes.data(), bytes.size());
    }
    std::vector<runtime::Program> programs;
    for (unsigned core = 0; core < parts_.size(); ++core) {
      programs.push_back(load(core));
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
      const runtime::Buffer& buffer = buffers_.find(name)->second;
      bytes.resize(buffer.bytes());
      platform_.runtime.copy_from_device(buffer, bytes.data(), bytes.size());
    }
    return result;
  }

 private:
  runtime::Program load(unsigned core) {
    if (!ranks_) return platform_.runtime.load(std::move(parts_[core]), bindings_[core], core, 0);
    std::vector<std::uint64_t> windows;
    for (unsigned rank = 0; rank < bindings_.size(); ++rank)
      windows.push_back(TERN_CORE_BASE + rank * std::uint64_t{TERN_CORE_STRIDE});
    return platform_.runtime.load(std::move(parts_[core]), bindings_[core], core, windows,
                                  [&](unsigned rank, const std::string& tensor) {
                                    return bindings_[rank].at(of_rank(tensor, core, rank)).address;
                                  });
  }

  // The name that a tensor has in another rank: "x@1" is "x@2" there.
  static std::string of_rank(const std::string& name, unsigned own, unsigned rank) {
    const std::string end = "@" + std::to_string(own);
    if (name.size() < end.size() || name.compare(name.size() - end.size(), end.size(), end) != 0)
      return name;  // scratch of the builder
    return name.substr(0, name.size() - end.size()) + "@" + std::to_string(rank);
  }

  void allocate(unsigned core) {
    for (const TensorInfo& tensor : parts_[core].tensors) {
      auto found = buffers_.find(tensor.name);
      if (found == buffers_.end() || ranks_) {
        found = buffers_.emplace(tensor.name,
                                 platform_.runtime.allocate(tensor.name, tensor.bytes(), core));
      }
      bindings_[core][tensor.name] = &found->second;
      if (tensor.kind == TensorInfo::Kind::kOutput) outputs_.insert(tensor.name);
    }
  }

  Platform& platform_;
  std::vector<Executable>& parts_;  // given to the runtime
  const bool ranks_;
  std::multimap<std::string, runtime::Buffer> buffers_;
  std::map<unsigned, runtime::Runtime::Bindings> bindings_;
  std::set<std::string> outputs_;
};

}  // namespace

PartsResult run_parts(Platform& platform, runtime::ProgramFile program,
                      const Platform::InputViews& inputs, const runtime::Overhead& overhead,
                      const Simulation::Options& options) {
  PartsResult result;
  if (program.parts.size() == 1) {  // a call also checks the inputs
    CallResult call;
    platform.run([&] { call = platform.call_with(std::move(program.parts.front()), inputs); },
                 options);
    result.outputs = std::move(call.outputs);
    result.start_fs = to_fs(call.run.start);
    result.end_fs = to_fs(call.run.end);
    result.counters = std::move(call.counters);
    return result;
  }
  platform.run([&] { result = PartsRun(platform, program).run(inputs); }, options);
  result.end_fs += to_fs(overhead.end);
  return result;
}

}  // namespace tern::nki
