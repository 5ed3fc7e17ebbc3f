// SPDX-License-Identifier: Apache-2.0
#include "sw/config/settings_without_effect.h"

#include <fmt/format.h>

#include <algorithm>

namespace tern::config {
namespace {

bool of_a_preset(const ConfigValue& value) {
  return value.source.rfind("sw/config/presets/", 0) == 0;
}

bool any_rtl(const std::vector<Backend>& backends) {
  return std::any_of(backends.begin(), backends.end(),
                     [](Backend b) { return b != Backend::kModel; });
}

// Why the setting does nothing; empty: it does something.
std::string reason(const ChipConfig& chip, const std::string& key) {
  const bool exp_unit = chip.core.vector.exp_per_cycle > 0;
  if (key == "core.vector.exp_per_cycle" && exp_unit && !chip.core.scalar_features.all_operators)
    return "attention uses the unit together with activate2: set "
           "core.scalar.features.all_operators=true as well";
  if (key == "exp" && !exp_unit && any_rtl(chip.exp))
    return "the chip has no exponential unit (core.vector.exp_per_cycle is 0)";
  const bool of_generators =
      key.rfind("dma.hwdge_", 0) == 0 ||
      (key == "dma.descriptors" && chip.dma.descriptors != DescriptorChoice::kHost);
  if (of_generators && !chip.dma.hwdge)
    return "the chip has no descriptor generators (dma.hwdge is false)";
  if (key == "hbm.refresh_postpone" && chip.hbm.refresh == hbm::Refresh::kBlocking)
    return "hbm.refresh is blocking, which postpones nothing";
  if (key == "hbm.refresh_postpone" && chip.hbm.refresh == hbm::Refresh::kOff)
    return "hbm.refresh is off";
  for (const auto& [unit, qos] :
       {std::pair("dma", &chip.dma.qos), std::pair("noc", &chip.noc.qos)}) {
    if (key == fmt::format("{}.shares", unit) && qos->policy == qos::Policy::kRoundRobin)
      return fmt::format("{}.policy is round_robin, which has no shares", unit);
    if (key == fmt::format("{}.bucket_bytes", unit) && qos->policy == qos::Policy::kRoundRobin)
      return fmt::format("{}.policy is round_robin, which has no buckets", unit);
  }
  return "";
}

}  // namespace

std::vector<std::string> settings_without_effect(const ChipConfig& chip,
                                                 const std::vector<ConfigValue>& values) {
  std::vector<std::string> lines;
  for (const ConfigValue& value : values) {
    if (of_a_preset(value)) continue;
    const std::string why = reason(chip, value.key);
    if (!why.empty())
      lines.push_back(fmt::format("{}: key '{}': no effect: {}", value.source, value.key, why));
  }
  return lines;
}

}  // namespace tern::config
