// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/run/run_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <utility>

#include "sw/base/user_error.h"
#include "sw/runtime/running_together.h"
#include "sw/spec/generated/address_map.h"
#include "systemc/trace/sim_time.h"

namespace tern::nki {

namespace {

// Where a program runs, and how it is addressed by the others.
struct Place {
  runtime::Runtime* runtime = nullptr;
  HostedChip* hosted = nullptr;
  unsigned core = 0;
  std::uint64_t window = 0;                                    // of the core
  std::function<std::uint64_t(std::uint64_t own)> address_of;  // in HBM
};

class PartsRun {
 public:
  PartsRun(std::vector<Place> places, runtime::ProgramFile& program)
      : places_(std::move(places)), parts_(program.parts), ranks_(program.ranks) {
    for (const Place& place : places_) windows_.push_back(place.window);
  }

  PartsResult run(const Platform::InputViews& inputs) {
    for (unsigned part = 0; part < parts_.size(); ++part) allocate(part);
    for (const auto& [name, bytes] : inputs) {
      const auto tensor = tensors_.find(name);
      if (tensor == tensors_.end()) continue;
      tensor->second.runtime->copy_to_device(tensor->second.buffer, bytes.data(), bytes.size());
    }
    std::vector<runtime::Program> programs;
    for (unsigned part = 0; part < parts_.size(); ++part) programs.push_back(load(part));
    std::deque<HostedChip::Running> running;
    for (unsigned part = 0; part < programs.size(); ++part) {
      running.emplace_back(*places_[part].hosted, programs[part].executable(), places_[part].core);
    }
    Chip& first = places_.front().hosted->chip();
    const ChipCounters before = chip_counters(first);
    // The others wait for the first one.
    for (std::size_t part = programs.size(); part-- > 0;)
      places_[part].runtime->execute(programs[part]);
    PartsResult result;
    wait_for_failure(programs);
    for (std::size_t part = 0; part < programs.size(); ++part) {
      const runtime::RunResult run = places_[part].runtime->wait(programs[part]);
      result.start_fs = std::max(result.start_fs, to_fs(run.start));
    }
    // The host sees the interrupts of several cores one after the other.
    for (const Place& place : places_) {
      result.end_fs = std::max(result.end_fs,
                               place.hosted->chip().core(place.core).program_times().last_end_fs());
    }
    result.counters = chip_counters(first);
    result.counters -= before;
    for (const std::string& name : outputs_) {
      Bytes& bytes = result.outputs[name];
      const Tensor& tensor = tensors_.find(name)->second;
      bytes.resize(tensor.buffer.bytes());
      tensor.runtime->copy_from_device(tensor.buffer, bytes.data(), bytes.size());
    }
    return result;
  }

 private:
  struct Tensor {
    runtime::Runtime* runtime;  // of its chip
    runtime::Buffer buffer;
  };

  // A part that fails leaves others waiting: its own fault is what went wrong.
  void wait_for_failure(std::vector<runtime::Program>& programs) {
    std::vector<runtime::RunningProgram> running;
    for (std::size_t part = 0; part < programs.size(); ++part)
      running.push_back({&places_[part].hosted->host(), places_[part].runtime, &programs[part]});
    const std::size_t failed = runtime::run_to_the_end(running);
    try {
      if (failed != 0) running[failed].runtime->wait(*running[failed].program);
    } catch (const RunError& error) {
      if (!ranks_) throw;
      throw RunError(fmt::format("rank {}: {}", failed, error.what()));
    }
  }

  runtime::Program load(unsigned part) {
    const Place& place = places_[part];
    if (!ranks_)
      return place.runtime->load(std::move(parts_[part]), bindings_[part], place.core, 0);
    return place.runtime->load(
        std::move(parts_[part]), bindings_[part], place.core, windows_,
        [this, part](unsigned rank, const std::string& tensor) {
          return places_[rank].address_of(bindings_[rank].at(of_rank(tensor, part, rank)).address);
        });
  }

  // The name that a tensor has in another rank: "x@1" is "x@2" there.
  static std::string of_rank(const std::string& name, unsigned own, unsigned rank) {
    const std::string end = "@" + std::to_string(own);
    if (name.size() < end.size() || name.compare(name.size() - end.size(), end.size(), end) != 0)
      return name;  // scratch of the builder
    return name.substr(0, name.size() - end.size()) + "@" + std::to_string(rank);
  }

  void allocate(unsigned part) {
    const Place& place = places_[part];
    for (const TensorInfo& tensor : parts_[part].tensors) {
      auto found = tensors_.find(tensor.name);
      if (found == tensors_.end() || ranks_) {
        found = tensors_.emplace(
            tensor.name, Tensor{place.runtime,
                                place.runtime->allocate(tensor.name, tensor.bytes(), place.core)});
      }
      bindings_[part][tensor.name] = &found->second.buffer;
      if (tensor.kind == TensorInfo::Kind::kOutput) outputs_.insert(tensor.name);
    }
  }

  const std::vector<Place> places_;
  std::vector<Executable>& parts_;  // given to the runtime
  const bool ranks_;
  std::vector<std::uint64_t> windows_;
  std::multimap<std::string, Tensor> tensors_;
  std::map<unsigned, runtime::Runtime::Bindings> bindings_;
  std::set<std::string> outputs_;
};

// The cores of a chip by itself.
std::vector<Place> places_of(Platform& platform, std::size_t parts) {
  std::vector<Place> places;
  for (unsigned core = 0; core < parts; ++core) {
    places.push_back({&platform.runtime, &platform.hosted, core,
                      TERN_CORE_BASE + core * std::uint64_t{TERN_CORE_STRIDE},
                      [](std::uint64_t own) { return own; }});
  }
  return places;
}

}  // namespace

runtime::Overhead overhead_of(const CoreConfig& core) {
  return {sc_core::sc_time(core.kernel_start_ns, sc_core::SC_NS),
          sc_core::sc_time(core.kernel_end_ns, sc_core::SC_NS)};
}

RunResponse response_of(PartsResult&& result, const runtime::Overhead& overhead) {
  RunResponse response;
  response.latency_fs = result.end_fs - result.start_fs;
  response.start_fs = to_fs(overhead.start);
  response.end_fs = to_fs(overhead.end);
  for (auto& [name, bytes] : result.outputs) response.outputs.push_back({name, std::move(bytes)});
  return response;
}

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
  platform.run(
      [&] { result = PartsRun(places_of(platform, program.parts.size()), program).run(inputs); },
      options);
  result.end_fs += to_fs(overhead.end);
  return result;
}

PartsResult run_ranks(ChipSystem& system, runtime::ProgramFile program,
                      const Platform::InputViews& inputs, const runtime::Overhead& overhead) {
  const std::size_t ranks = program.parts.size();
  if (ranks % system.chips() != 0)
    throw UserError(fmt::format("{} ranks do not divide among {} chips", ranks, system.chips()));
  const std::size_t cores = ranks / system.chips();
  std::vector<std::unique_ptr<runtime::Runtime>> runtimes;
  std::vector<Place> places;
  for (unsigned chip = 0; chip < system.chips(); ++chip) {
    runtimes.push_back(std::make_unique<runtime::Runtime>(system.chip(chip).host()));
    runtimes.back()->set_overhead(overhead);
    for (unsigned core = 0; core < cores; ++core) {
      places.push_back({runtimes.back().get(), &system.chip(chip), core, system.window(chip, core),
                        [&system, chip](std::uint64_t own) { return system.address(chip, own); }});
    }
  }
  PartsResult result = PartsRun(std::move(places), program).run(inputs);
  result.end_fs += to_fs(overhead.end);
  return result;
}

}  // namespace tern::nki
