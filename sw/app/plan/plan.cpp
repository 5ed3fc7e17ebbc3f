// SPDX-License-Identifier: Apache-2.0
#include "sw/app/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/app/kinds/operands.h"
#include "sw/app/plan/chips_option.h"
#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "sw/collectives/algorithms/algorithms.h"
#include "sw/collectives/choice/choice_table.h"
#include "sw/collectives/verify.h"
#include "sw/kernels/builder/cores/collective_plan.h"
#include "sw/kernels/builder/memory/limits.h"
#include "sw/spec/generated/dma.h"
#include "sw/system/fabric.h"
#include "systemc/collectives/layout.h"
#include "systemc/fabric/levels/levels.h"

namespace tern::app {

using collectives::Operation;
using collectives::RankGrid;
using config::YamlMap;
using config::YamlValue;

namespace {

// Parts of a program are counted by partitions.
constexpr unsigned kMostRanks = kernels::kPartitions;
constexpr unsigned kMostMicroBatches = 1024;

collectives::Problem sum_among(
    unsigned ranks, collectives::Operation operation = collectives::Operation::kAllReduce) {
  collectives::Problem problem;
  problem.operation = operation;
  problem.ranks = ranks;
  return problem;
}

// What the table knows the system by: its name if that is a preset's, else the first preset of such
// chips.
std::string measured_as(const system::SystemConfig& system) {
  const std::vector<std::string> presets = system::system_names();
  if (std::find(presets.begin(), presets.end(), system.name) != presets.end()) return system.name;
  const auto alike = std::find_if(presets.begin(), presets.end(), [&](const std::string& name) {
    return system::load_system(name).chip == system.chip;
  });
  return alike == presets.end() ? system.name : *alike;
}

// Chooses the schedules of a plan one after the other: each takes flags of the same programs.
class Chooser {
 public:
  Chooser(const Plan& plan, Plan::Choices* choices)
      : plan_(plan), fabric_(plan.system), system_(measured_as(plan.system)), choices_(choices) {}

  std::shared_ptr<const collectives::Schedule> handover();
  // The first whose chunks divide the elements, and that the flags suffice for.
  std::shared_ptr<const collectives::Schedule> find(const Plan::Need& need);

 private:
  std::vector<std::string> names_for(const collectives::Problem& problem, const Plan::Need& need,
                                     const collectives::Axes& axes, std::string* whose) const;
  collectives::Axes axes_for(const RankGrid::Groups& groups) const;

  const Plan& plan_;
  const system::Fabric fabric_;
  const std::string system_;
  Plan::Choices* const choices_;
  kernels::CollectiveFlags flags_;
  unsigned used_ = 0;
};

// How the chips of each group are laid out: along axes, if they are so in all of them.
collectives::Axes Chooser::axes_for(const RankGrid::Groups& groups) const {
  collectives::Axes flat{static_cast<unsigned>(groups.front().size())};
  if (plan_.cores > 1) return flat;
  std::optional<collectives::Axes> axes;
  for (const auto& group : groups) {
    std::vector<std::uint32_t> chips;
    chips.reserve(group.size());
    for (const unsigned rank : group) chips.push_back(plan_.chips[rank]);
    const collectives::Axes found = collectives::axes_of(fabric_, chips);
    if (!axes) axes = found;
    if (!std::equal(found.begin(), found.end(), axes->begin(), axes->end())) return flat;
  }
  return axes.value_or(flat);
}

// The one that is named; or of the table, and then all others. whose: the group that the table has
// it of.
std::vector<std::string> Chooser::names_for(const collectives::Problem& problem,
                                            const Plan::Need& need, const collectives::Axes& axes,
                                            std::string* whose) const {
  if (need.algorithm.name != "table") return {need.algorithm.name};
  std::vector<std::string> names = collectives::algorithms_for(problem, axes);
  const bool torus = plan_.cores == 1 && problem.ranks == plan_.chips.size() &&
                     collectives::is_whole_torus(fabric_, plan_.chips);
  const collectives::GroupLayout group{system_, torus, axes,
                                       collectives::GroupLayout::Level::kCores};
  const auto found = collectives::ChoiceTable::builtin().find(problem, group, need.bytes);
  if (!found) return names;
  names.insert(names.begin(), found->algorithm);
  *whose = found->like.empty() ? fmt::format("{} of {}", group.text(), group.system) : found->like;
  const std::uint64_t measured = std::clamp(need.bytes, found->first, found->last);
  if (need.bytes != measured) *whose += fmt::format(", {} bytes", measured);
  return names;
}

std::shared_ptr<const collectives::Schedule> Chooser::find(const Plan::Need& need) {
  // Chips that add in their DMA engines do so from whole beats on.
  constexpr std::uint64_t kGrain = TERN_DMA_BEAT_BYTES / sizeof(float);
  const auto ranks = static_cast<unsigned>(need.groups.front().size());
  if (ranks == 1) return nullptr;
  try {
    const collectives::Problem problem = sum_among(ranks, need.operation);
    const collectives::Axes axes = axes_for(need.groups);
    std::string reason, whose;
    for (const std::string& name : names_for(problem, need, axes, &whose)) {
      auto schedule =
          std::make_shared<collectives::Schedule>(collectives::make_schedule(name, problem, axes));
      if (need.elements % (schedule->chunks * kGrain) != 0) {
        if (reason.empty())
          reason = fmt::format("{} makes {} chunks of whole {} bytes, not {} elements", name,
                               schedule->chunks, TERN_DMA_BEAT_BYTES, need.elements);
        continue;
      }
      kernels::CollectiveFlags with = flags_;
      const unsigned end = with.reserve(kernels::flows_of(*schedule), need.groups, used_);
      if (end > kernels::kMostFlags) {
        if (reason.empty())
          reason = fmt::format(
              "with the plan's other exchanges, {} among {} ranks takes more than the {} "
              "flags of a program",
              name, ranks, kernels::kMostFlags);
        continue;
      }
      collectives::verify(*schedule);
      flags_ = with;
      used_ = end;
      if (choices_ != nullptr && !whose.empty())
        choices_->push_back(fmt::format("{} by {}, {} {}{}", need.what, name,
                                        reason.empty() ? "as for" : "not as for", whose,
                                        reason.empty() ? "" : ": " + reason));
      return schedule;
    }
    throw UserError(reason);
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: {}", need.algorithm.place, error.what()));
  }
}

// From each rank of a stage to its counterpart in the next one, and back.
std::shared_ptr<const collectives::Schedule> Chooser::handover() {
  const RankGrid& grid = plan_.grid;
  if (grid.pipeline == 1) return nullptr;
  collectives::Problem problem;
  problem.operation = collectives::Operation::kPermute;
  problem.to = {1, collectives::Problem::kNobody};
  auto schedule = std::make_shared<collectives::Schedule>(
      collectives::make_schedule("mesh", problem, collectives::Axes{problem.ranks}));
  collectives::verify(*schedule);
  const auto flows = kernels::flows_of(*schedule);
  for (unsigned stage = 0; stage + 1 < grid.pipeline; ++stage) {
    auto pairs = grid.between_stages(stage);
    used_ = flags_.reserve(flows, pairs, used_);
    for (auto& pair : pairs) std::reverse(pair.begin(), pair.end());
    used_ = flags_.reserve(flows, pairs, used_);
  }
  if (used_ > kernels::kMostFlags)
    throw UserError(fmt::format("{}: {} stages take more than the {} flags of a program",
                                plan_.place, grid.pipeline, kernels::kMostFlags));
  return schedule;
}

Plan load_section(const YamlMap& map, const YamlValue& value) {
  Plan plan;
  plan.place = plan.sum.place = plan.tensor_sum.place = plan.sequence_sum.place =
      plan.expert_exchange.place = fmt::format("{}: key '{}'", value.source(), value.key());
  const YamlValue system = map.get("system");
  plan.system = system_of(system);
  if (plan.system.chip.empty()) system.fail("a system whose chips have a preset");
  plan.chips = chips_of(map.get("chips"), system::Fabric(plan.system), kMostRanks);
  if (const auto v = map.find("cores"))
    plan.cores = static_cast<unsigned>(
        v->as_integer(1, kMostRanks / static_cast<unsigned>(plan.chips.size())));
  const auto parts = [](const YamlValue& v) {
    if (v.text() == "auto") return 0u;
    const std::string text = v.text();
    const bool number = !text.empty() && text.size() <= 3 &&
                        text.find_first_not_of("0123456789") == std::string::npos;
    const unsigned count = number ? static_cast<unsigned>(std::stoul(text)) : 0;
    if (count == 0 || count > kMostRanks)
      v.fail(fmt::format("a whole number from 1 to {}, or auto", kMostRanks));
    return count;
  };
  const auto data = map.find("data");
  if (data) plan.grid.data = parts(*data);
  if (const auto v = map.find("sequence")) plan.grid.sequence = parts(*v);
  if (const auto v = map.find("pipeline")) plan.grid.pipeline = parts(*v);
  if (const auto v = map.find("tensor")) plan.grid.tensor = parts(*v);
  if (const auto v = map.find("micro_batches"))
    plan.micro_batches = static_cast<unsigned>(v->as_integer(1, kMostMicroBatches));
  if (const auto v = map.find("expert")) {
    plan.grid.expert = parts(*v);
    const unsigned in = plan.grid.batch_parts();
    if (plan.grid.expert != 0 && in % plan.grid.expert != 0)
      v->fail(fmt::format("a divisor of data * sequence = {}", in));
  }
  if (const auto v = map.find("optimiser_sharding")) {
    plan.sharding_open = v->text() == "auto";
    plan.optimiser_sharding = !plan.sharding_open && v->as_bool();
    if (plan.optimiser_sharding && plan.grid.batch_parts() == 1)
      v->fail("data * sequence = 1 leaves nothing to divide");
  }
  const RankGrid& grid = plan.grid;
  if (grid.ranks() != 0 && plan.ranks() != grid.ranks()) {
    const bool alone = grid.sequence * grid.sharers() == 1;
    (alone && data ? *data : value)
        .fail(alone
                  ? fmt::format("{}: the cores of all chips", plan.ranks())
                  : fmt::format("data * sequence * pipeline * tensor = {}: the cores of all chips",
                                plan.ranks()));
  }
  unsigned left = plan.ranks();  // for those that are open
  for (const auto& [key, count] :
       {std::pair{"data", grid.data}, std::pair{"sequence", grid.sequence},
        std::pair{"pipeline", grid.pipeline}, std::pair{"tensor", grid.tensor}}) {
    if (grid.ranks() != 0 || count == 0) continue;
    if (left % count != 0) {
      const bool first = left == plan.ranks();
      map.get(key).fail(first ? fmt::format("a divisor of {}, the cores of all chips", left)
                              : fmt::format("a divisor of {}: with the other keys, of {} cores",
                                            left, plan.ranks()));
    }
    left /= count;
  }
  if (const auto v = map.find("host_checkpoints")) {
    HostCheckpointsKey& to = plan.host_checkpoints.emplace();
    to.place = fmt::format("{}: key '{}'", v->source(), v->key());
    if (const auto replicas = v->as_map().find("replicas"))
      to.replicas = static_cast<unsigned>(replicas->as_integer(0, 1));
  }
  if (const auto v = map.find("level")) plan.level = v->as_choice(fabric::level_names());
  // Those that do all of these operations; a group with axes has all there are.
  const auto algorithm = [&](const char* key, Plan::Algorithm* chosen,
                             const std::vector<Operation>& operations) {
    const auto v = map.find(key);
    if (!v) return;
    std::vector<std::string> names = {"table"};
    for (const std::string& name :
         collectives::algorithms_for(sum_among(4, operations.front()), {2, 2})) {
      const auto others = collectives::algorithms_for(sum_among(4, operations.back()), {2, 2});
      if (std::count(others.begin(), others.end(), name) > 0) names.push_back(name);
    }
    *chosen = {v->as_choice(names), fmt::format("{}: key '{}'", v->source(), v->key())};
  };
  algorithm("sum", &plan.sum, {Operation::kAllReduce});
  algorithm("tensor_sum", &plan.tensor_sum, {Operation::kAllReduce});
  algorithm("sequence_sum", &plan.sequence_sum, {Operation::kAllGather, Operation::kReduceScatter});
  algorithm("expert_exchange", &plan.expert_exchange, {Operation::kAllToAll});
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

collectives::RankSchedules Plan::sums(const Sizes& sizes, Choices* choices) const {
  Chooser chooser(*this, choices);
  collectives::RankSchedules sums;
  sums.handover = chooser.handover();
  sums.activations =
      chooser.find({"sums within layers", Operation::kAllReduce, tensor_sum, sizes.activation_bytes,
                    sizes.row_elements, grid.along_tensor()});
  const auto of_windows = [&](const char* what, Operation operation) {
    return chooser.find({what, operation, sequence_sum, sizes.window_bytes, sizes.window_elements,
                         grid.along_sequence()});
  };
  sums.window_gather = of_windows("keys and values", Operation::kAllGather);
  sums.window_scatter = of_windows("gradients of these", Operation::kReduceScatter);
  sums.expert_exchange =
      chooser.find({"experts' characters", Operation::kAllToAll, expert_exchange,
                    sizes.expert_bytes, sizes.expert_elements, grid.along_expert()});
  const auto of_gradients = [&](const char* what, Operation operation,
                                const RankGrid::Groups& groups) {
    return chooser.find({what, operation, sum, sizes.bucket_bytes, 0, groups});
  };
  if (grid.expert > 1)
    sums.expert_gradients =
        of_gradients("experts' gradients", Operation::kAllReduce, grid.along_same_expert());
  sums.gradients = of_gradients("gradients", Operation::kAllReduce, grid.along_batch());
  if (optimiser_sharding) {
    sums.scatter =
        of_gradients("parts of gradients", Operation::kReduceScatter, grid.along_batch());
    sums.gather = of_gradients("parameters", Operation::kAllGather, grid.along_batch());
  }
  return sums;
}

std::shared_ptr<const collectives::Schedule> Plan::schedule(const Need& need,
                                                            Choices* choices) const {
  return Chooser(*this, choices).find(need);
}

std::shared_ptr<const collectives::Schedule> Plan::handover() const {
  return Chooser(*this, nullptr).handover();
}

std::string Plan::describe() const {
  const std::string text =
      fmt::format("{} of {}", base::counted(chips.size(), "chip"), base::printable(system.name));
  return cores > 1 ? fmt::format("{} cores of each of {}", cores, text) : text;
}

}  // namespace tern::app
