// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/run/run_system.h"

#include <fmt/format.h>

#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "sw/base/stop.h"
#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "sw/nki/run/run_hint.h"
#include "sw/nki/run/run_observer.h"
#include "sw/nki/run/run_parts.h"
#include "sw/runtime/program_file.h"
#include "sw/system/fabric.h"
#include "sw/system/system_config.h"
#include "systemc/fabric/levels/levels.h"
#include "systemc/trace/sim_time.h"

namespace tern::nki {

namespace {

constexpr const char* kLevel = "packet";

// The system. UserError if it has too few chips, or chips of another preset.
system::SystemConfig system_of(const RunRequest& request) {
  const auto refuse = [](bool given, const char* what) {
    if (given) throw UserError(fmt::format("run_ranks on several chips: no {}", what));
  };
  refuse(!request.trace_file.empty(), "trace");
  refuse(!request.report_folder.empty(), "report");
  refuse(!request.wave_file.empty(), "waveform");
  system::SystemConfig config = system::load_system(request.system);
  const std::string name = base::printable(request.system);
  if (request.chips > config.chips())
    throw UserError(fmt::format("system {} has {}, not {}", name,
                                base::counted(config.chips(), "chip"), request.chips));
  if (config.chip.empty())
    throw UserError(fmt::format("system {}: expected a system whose chips have a preset", name));
  if (request.chip != config.chip)
    throw UserError(fmt::format("system {} has chips of preset {}, the kernel is for {}", name,
                                base::printable(config.chip), base::printable(request.chip)));
  return config;
}

}  // namespace

RunResponse run_on_system(const RunRequest& request, const Message& message) {
  const system::Fabric fabric(system_of(request));
  const ChipConfig chip = load_chip_config(request.chip, overrides_of(request)).chip;
  Simulation simulation;
  const runtime::Overhead overhead = overhead_of(chip.core);
  runtime::ProgramFile program = runtime::load_program(request.program);
  message.release(request.program);
  Platform::InputViews inputs;
  for (const NamedView& tensor : request.inputs) inputs[tensor.name] = tensor.bytes;
  std::vector<std::uint32_t> chips(request.chips);
  std::iota(chips.begin(), chips.end(), 0);
  ChipSystem system(fabric, chips, chip, fabric::make_transport(kLevel, fabric));
  Simulation::Options options;
  options.stop = &base::stop_request();
  options.progress = RunHint(program.parts.front().name);
  PartsResult result;
  simulation.run([&] { result = run_ranks(system, std::move(program), inputs, overhead); },
                 options);
  return response_of(std::move(result), overhead);
}

}  // namespace tern::nki
