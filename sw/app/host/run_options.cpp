// SPDX-License-Identifier: Apache-2.0
#include "sw/app/host/run_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/base/user_error.h"

namespace tern::app {

const char* backend_name(Backend backend) {
  static constexpr const char* kNames[] = {"model", "rtl", "both", "fpga"};
  return kNames[static_cast<unsigned>(backend)];
}

bool RunOptions::asks_for_backends() const {
  return !rtl.empty() || std::any_of(backends.begin(), backends.end(),
                                     [](const auto& backend) { return backend.has_value(); });
}

std::vector<ConfigOverride> RunOptions::all_overrides() const {
  std::vector<ConfigOverride> all = overrides;
  const auto named = [](const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  if (!rtl.empty()) {
    const ChipConfig config = load_chip_config(chip, overrides).chip;
    std::vector<std::string> cores = rtl_cores;
    if (cores.empty()) cores = {std::to_string(core.value_or(0))};
    if (named(cores, "all")) {
      cores.clear();
      for (unsigned core = 0; core < config.cores; ++core) cores.push_back(std::to_string(core));
    }
    for (const RtlBlock& block : kRtlBlocks) {
      if (!named(rtl, block.name) &&
          (!named(rtl, "all") || missing_block(config, block) != nullptr))
        continue;
      for (const std::string& core : cores)
        all.push_back({fmt::format("{}.{}", block.key, core), "rtl", "--rtl"});
    }
  }
  for (std::size_t i = 0; i < backends.size(); ++i) {
    if (!backends[i]) continue;
    all.push_back({fmt::format("{}.{}", kRtlBlocks[i].key, core.value_or(0)),
                   backend_name(*backends[i]), fmt::format("--{}", kRtlBlocks[i].name)});
  }
  return all;
}

ChipConfig chip_of(const RunOptions& options) {
  ChipConfig chip = load_chip_config(options.chip, options.all_overrides()).chip;
  if (options.fpga_port && !std::count(chip.tensor.begin(), chip.tensor.end(), Backend::kFpga)) {
    throw UserError("--fpga-port: no core has its tensor engine on a board: add --tensor fpga");
  }
  for (const RtlBlock& block : kRtlBlocks) {
    const char* missing = missing_block(chip, block);
    if (missing == nullptr) continue;
    for (const Backend backend : chip.*block.place) {
      if (backend == Backend::kModel) continue;
      throw UserError(fmt::format("key '{}': '{}': chip '{}' has no {} ({})", block.key,
                                  backend_name(backend), chip.name, block.what, missing));
    }
  }
  return chip;
}

}  // namespace tern::app
