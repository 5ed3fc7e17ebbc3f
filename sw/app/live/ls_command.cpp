// SPDX-License-Identifier: Apache-2.0
// tern ls: the simulations that run, and the chips that could.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sw/app/live/live_options.h"
#include "sw/app/live/live_source.h"
#include "sw/app/report/json_text.h"
#include "sw/app/report/style.h"
#include "sw/app/report/text.h"
#include "sw/config/load_chip_config.h"
#include "sw/spec/generated/address_map.h"

namespace tern::app {

namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

constexpr double kGib = 1024.0 * 1024 * 1024, kMib = 1024.0 * 1024;

// The first row is the head.
void print_table(const Rows& rows) {
  std::vector<std::size_t> width(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c)
      width[c] = std::max(width[c], display_width(row[c]));
  }
  const Style style(coloured_output());
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      line += row[c];
      if (c + 1 < row.size()) line.append(width[c] - display_width(row[c]) + 2, ' ');
    }
    const bool head = &row == &rows.front();
    fmt::print("{}{}{}\n", head ? style.dim : "", line, head ? style.off : "");
  }
}

std::uint64_t memory_of(const live::Device& device) {
  std::uint64_t bytes = 0;
  for (const live::Stack& stack : device.stacks) bytes += stack.bytes;
  return bytes;
}

int list_presets(bool json) {
  Rows rows = {{"PRESET", "CORES", "MEMORY", "HBM", "SBUF OF A CORE", "TENSOR", "MX"}};
  Json list = Json::array();
  for (const std::string& name : preset_names()) {
    const ChipConfig chip = load_chip_config(name).chip;
    const std::uint64_t bytes = chip.hbm.stacks * chip.hbm.stack_bytes;
    const std::uint64_t sbuf = chip.core.sbuf_partition_bytes * TERN_CORE_SBUF_COUNT;
    rows.push_back({name, std::to_string(chip.cores),
                    fmt::format("{:g} GiB", static_cast<double>(bytes) / kGib),
                    fmt::format("{} x {:.0f} GB/s", chip.hbm.stacks, chip.hbm.stack_gb_per_s()),
                    fmt::format("{:g} MiB", static_cast<double>(sbuf) / kMib),
                    fmt::format("{:g} GHz", chip.core.tensor_clock_ghz),
                    chip.core.tensor.mx ? "yes" : "no"});
    list.push_back({{"preset", name},
                    {"nc_count", chip.cores},
                    {"memory_size", bytes},
                    {"hbm_stacks", chip.hbm.stacks},
                    {"hbm_stack_gb_per_s", chip.hbm.stack_gb_per_s()},
                    {"sbuf_bytes", sbuf},
                    {"tensor_clock_ghz", chip.core.tensor_clock_ghz},
                    {"mx", chip.core.tensor.mx}});
  }
  if (json) {
    fmt::print("{}", json_text(list));
  } else {
    print_table(rows);
  }
  return 0;
}

std::string connected_text(const live::Device& device) {
  return device.connected.empty() ? "-" : fmt::format("{}", fmt::join(device.connected, ", "));
}

void print_runs(const std::vector<live::State>& states) {
  if (states.empty()) return fmt::print("{}\n", nothing_text({}));
  Rows rows = {{"DEVICE", "CHIP", "CORES", "RUNNING", "MEMORY", "CONNECTED", "KIND", "PID",
                "SIMULATED", "SPEED", "COMMAND"}};
  for (const live::State& state : states) {
    const auto add = [&](const std::string& device, const std::string& chip,
                         const std::string& cores, const std::string& running,
                         const std::string& memory, const std::string& connected) {
      constexpr std::size_t kCommand = 60;
      std::string command = printable(state.command);
      if (display_width(command) > kCommand)
        command = printable(command.substr(0, kCommand)) + "...";
      rows.push_back({device, chip, cores, running, memory, connected, printable(state.kind),
                      std::to_string(state.pid), time_text(state.simulated_us),
                      fmt::format("{}/s", time_text(state.speed)), command});
    };
    for (const live::Device& device : state.devices) {
      const auto running =
          std::count_if(device.cores.begin(), device.cores.end(), [](const live::Core& core) {
            return core.state == live::CoreState::kRunning ||
                   core.state == live::CoreState::kStalled;
          });
      add(printable(device.name), printable(device.chip), std::to_string(device.cores.size()),
          std::to_string(running),
          fmt::format("{:g} GiB", static_cast<double>(memory_of(device)) / kGib),
          connected_text(device));
    }
    if (state.management)
      add("management", printable(state.management->board), std::to_string(state.management->harts),
          printable(state.management->phase), "-", "-");
  }
  print_table(rows);
}

Json json_of(const std::vector<live::State>& states) {
  Json list = Json::array();
  unsigned number = 0;
  for (const live::State& state : states) {
    const auto process = [&](const Json& cores) {
      return Json::array({{{"pid", state.pid},
                           {"command", state.command},
                           {"kind", state.kind},
                           {"neuroncore_ids", cores},
                           {"simulated_us", state.simulated_us},
                           {"wall_s", state.wall_s},
                           {"speed_us_per_s", state.speed}}});
    };
    for (const live::Device& device : state.devices) {
      Json cores = Json::array();
      for (std::size_t n = 0; n < device.cores.size(); ++n) {
        if (device.cores[n].state != live::CoreState::kIdle) cores.push_back(n);
      }
      list.push_back({{"neuron_device", number++},
                      {"name", device.name},
                      {"chip", device.chip},
                      {"connected_to", device.connected},
                      {"nc_count", device.cores.size()},
                      {"memory_size", memory_of(device)},
                      {"neuron_processes", process(cores)}});
    }
    if (state.management)
      list.push_back({{"board", state.management->board},
                      {"harts", state.management->harts},
                      {"phase", state.management->phase},
                      {"neuron_processes", process(Json::array())}});
  }
  return list;
}

}  // namespace

int ls_command(const LsOptions& options) {
  if (options.presets) return list_presets(options.json);
  const std::vector<live::State> states = LiveSource().read();
  if (options.json) {
    fmt::print("{}", json_text(json_of(states)));
  } else {
    print_runs(states);
  }
  return 0;
}

}  // namespace tern::app
