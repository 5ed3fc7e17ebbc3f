// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/parallel/parallel_workload.h"

#include <fmt/format.h>

#include "sw/app/kinds/operands.h"
#include "sw/app/plan/chips_option.h"
#include "sw/app/report/text.h"
#include "systemc/fabric/levels/levels.h"

namespace tern::app {

namespace {

using config::YamlMap;
using config::YamlValue;

// `faults`: a script of what happens to the links while the programs run.
void load_faults(const YamlValue& value, ParallelWorkload* w) {
  w->faults_place = fmt::format("{}: key 'faults'", value.source());
  if (w->level != "packet")
    throw UserError(fmt::format("{}: at level packet, not at level {}", w->faults_place, w->level));
  w->faults = read_named(value, [&](const std::string& path) {
    return fabric::faults::load_fault_script(path, system::Fabric(w->system));
  });
}

}  // namespace

ParallelWorkload load_parallel(const YamlMap& top, std::uint64_t /*seed*/) {
  constexpr std::int64_t kTile = 128, kMostTokens = 512;
  ParallelWorkload w;
  w.system = system_of(top.get("system"));
  w.chips =
      chips_of(top.get("chips"), system::Fabric(w.system), kernels::ParallelMlpSpec::kMostParts);
  if (w.system.chip.empty()) top.get("system").fail("a system whose chips have a preset");
  w.spec.parts = static_cast<unsigned>(w.chips.size());
  const auto number = [&](const char* key, std::uint32_t value, std::int64_t unit,
                          std::int64_t most) {
    const auto given = top.find(key);
    if (!given) return value;
    const auto number = static_cast<std::uint32_t>(given->as_integer(unit, most));
    if (number % unit != 0) given->fail(fmt::format("a multiple of {}", unit));
    return number;
  };
  w.spec.model = number("model", 512, kTile, 2048);
  w.spec.hidden = number("hidden", static_cast<std::uint32_t>(kTile * 4 * w.spec.parts),
                         kTile * w.spec.parts, 65536);
  w.spec.tokens = number("tokens", 512, 16, kMostTokens);
  if (auto v = top.find("function")) w.function = v->as_choice({"gelu", "silu", "relu"});
  w.spec.function = w.function == "gelu"   ? kernels::Activation::kGelu
                    : w.function == "silu" ? kernels::Activation::kSilu
                                           : kernels::Activation::kRelu;
  if (auto v = top.find("level")) w.level = v->as_choice(fabric::level_names());
  if (auto v = top.find("faults")) load_faults(*v, &w);
  w.outputs = load_outputs(top);
  return w;
}

std::string ParallelWorkload::describe() const {
  return fmt::format("{} {}-{}-{}, {} tokens, divided among {} chips of {}", function, spec.model,
                     spec.hidden, spec.model, spec.tokens, chips.size(), system.name);
}

}  // namespace tern::app
