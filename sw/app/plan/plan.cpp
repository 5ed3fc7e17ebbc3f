// SPDX-License-Identifier: Apache-2.0
#include "sw/app/plan/plan.h"

#include <fmt/format.h>

#include <numeric>

#include "sw/app/collectives/group_option.h"
#include "sw/app/kinds/operands.h"
#include "sw/app/plan/chips_option.h"
#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "sw/collectives/algorithms/algorithms.h"
#include "sw/collectives/choice/choice_table.h"
#include "sw/collectives/verify.h"
#include "sw/kernels/builder/cores/collective_plan.h"
#include "sw/kernels/builder/memory/limits.h"
#include "sw/system/fabric.h"
#include "systemc/fabric/levels/levels.h"

namespace tern::app {

using config::YamlMap;
using config::YamlValue;

namespace {

// Parts of a program are counted by partitions.
constexpr unsigned kMostRanks = kernels::kPartitions;
// Ways to divide a model that a plan will have, and has not.
constexpr const char* kOtherWays[] = {"tensor", "sequence", "pipeline", "expert",
                                      "optimiser_sharding"};

collectives::Problem sum_among(unsigned ranks) {
  collectives::Problem problem;
  problem.operation = collectives::Operation::kAllReduce;
  problem.ranks = ranks;
  return problem;
}

bool flags_suffice(const collectives::Schedule& schedule) {
  std::vector<unsigned> all(schedule.problem.ranks);
  std::iota(all.begin(), all.end(), 0);
  return kernels::CollectiveFlags().reserve(kernels::flows_of(schedule), {all}, 0) <=
         kernels::kMostFlags;
}

Plan load_section(const YamlMap& map, const YamlValue& value) {
  Plan plan;
  plan.place = plan.sum_place = fmt::format("{}: key '{}'", value.source(), value.key());
  const YamlValue system = map.get("system");
  plan.system = system_of(system);
  if (plan.system.chip.empty()) system.fail("a system whose chips have a preset");
  plan.chips = chips_of(map.get("chips"), system::Fabric(plan.system), kMostRanks);
  if (const auto v = map.find("cores"))
    plan.cores = static_cast<unsigned>(
        v->as_integer(1, kMostRanks / static_cast<unsigned>(plan.chips.size())));
  const YamlValue data = map.get("data");
  plan.data = static_cast<unsigned>(data.as_integer(1, kMostRanks));
  for (const char* way : kOtherWays) {
    const auto v = map.find(way);
    if (v && v->text() != "1" && v->text() != "false")
      v->fail("1: plans divide the batch alone so far (key 'data')");
  }
  if (plan.data != plan.ranks()) data.fail(fmt::format("{}: the cores of all chips", plan.ranks()));
  if (const auto v = map.find("level")) plan.level = v->as_choice(fabric::level_names());
  if (const auto v = map.find("sum")) {
    // Those of a group with axes are all there are.
    std::vector<std::string> names = collectives::algorithms_for(sum_among(4), {2, 2});
    names.insert(names.begin(), "table");
    plan.algorithm = v->as_choice(names);
    plan.sum_place = fmt::format("{}: key '{}'", v->source(), v->key());
  }
  return plan;
}

}  // namespace

Plan load_plan(const YamlValue& value) {
  if (value.is_map()) return load_section(value.as_map(), value);
  return read_named(value, [&](const std::string& path) {
    const YamlMap map = YamlMap::from_file(path);
    Plan plan = load_section(map, value);
    map.finish();
    return plan;
  });
}

std::shared_ptr<const collectives::Schedule> Plan::all_reduce(std::uint64_t bytes) const {
  if (ranks() == 1) return nullptr;
  try {
    const system::Fabric fabric(system);
    const collectives::Problem problem = sum_among(ranks());
    const bool chip_by_chip = cores == 1;
    const collectives::Axes axes =
        chip_by_chip ? axes_of(fabric, chips) : collectives::Axes{ranks()};
    std::vector<std::string> names = {algorithm};
    if (algorithm == "table") {
      const collectives::GroupLayout group{system.name,
                                           chip_by_chip && is_whole_torus(fabric, chips), axes};
      names = collectives::algorithms_for(problem, axes);
      names.insert(names.begin(),
                   collectives::ChoiceTable::builtin().choose(problem, group, bytes));
    }
    for (const std::string& name : names) {
      auto schedule =
          std::make_shared<collectives::Schedule>(collectives::make_schedule(name, problem, axes));
      if (!flags_suffice(*schedule)) continue;
      collectives::verify(*schedule);
      return schedule;
    }
    throw UserError(fmt::format("{} among {} ranks takes more than the {} flags of a program",
                                names.front(), ranks(), kernels::kMostFlags));
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: {}", sum_place, error.what()));
  }
}

std::string Plan::describe() const {
  const std::string text =
      fmt::format("{} of {}", base::counted(chips.size(), "chip"), base::printable(system.name));
  return cores > 1 ? fmt::format("{} cores of each of {}", cores, text) : text;
}

}  // namespace tern::app
