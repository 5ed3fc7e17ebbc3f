// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/algorithms/algorithms.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "sw/base/user_error.h"
#include "sw/collectives/algorithms/all_to_all.h"
#include "sw/collectives/algorithms/builder.h"
#include "sw/collectives/algorithms/one_to_all.h"
#include "sw/collectives/algorithms/parts.h"
#include "sw/collectives/algorithms/reductions.h"

namespace tern::collectives {

namespace {

using Make = Schedule (*)(const std::string& name, const Problem& problem, const Axes& axes);

struct Algorithm {
  AlgorithmInfo info;
  std::vector<Operation> operations;
  enum Needs { kAnything, kPowerOfTwo, kSeveralAxes } needs;
  Make make;
};

constexpr Operation kReduce = Operation::kAllReduce, kGather = Operation::kAllGather,
                    kScatter = Operation::kReduceScatter, kAllToAll = Operation::kAllToAll,
                    kAllToAllV = Operation::kAllToAllV, kBroadcast = Operation::kBroadcast,
                    kPermute = Operation::kPermute, kBarrier = Operation::kBarrier;

const std::vector<Algorithm>& all() {
  static const std::vector<Algorithm> list = {
      {{"ring", "from neighbour to neighbour"},
       {kReduce, kGather, kScatter, kBroadcast},
       Algorithm::kAnything,
       make_ring},
      {{"two-rings", "half of the data each way around"},
       {kReduce, kGather, kScatter},
       Algorithm::kAnything,
       make_two_rings},
      {{"mesh", "everybody with everybody at once"},
       {kReduce, kGather, kScatter, kAllToAll, kAllToAllV, kBroadcast, kPermute, kBarrier},
       Algorithm::kAnything,
       make_mesh},
      {{"one-step", "all data to everybody, who adds them"},
       {kReduce},
       Algorithm::kAnything,
       make_one_step},
      {{"doubling", "pairs with all data, at distances of 1, 2, 4 ..."},
       {kReduce, kGather, kBarrier},
       Algorithm::kPowerOfTwo,
       make_doubling},
      {{"halving-doubling", "pairs with halves, quarters ..., and back"},
       {kReduce, kScatter},
       Algorithm::kPowerOfTwo,
       make_halving_doubling},
      {{"pairwise", "one partner after the other"},
       {kAllToAll, kAllToAllV},
       Algorithm::kAnything,
       make_pairwise},
      {{"tree", "each that has it sends it on"}, {kBroadcast}, Algorithm::kAnything, make_tree},
      {{"scatter-gather", "parts to everybody, which a ring gathers"},
       {kBroadcast},
       Algorithm::kAnything,
       make_scatter_gather},
      {{"hierarchical", "inside of the first axis, across, inside"},
       {kReduce, kGather, kScatter, kAllToAll},
       Algorithm::kSeveralAxes,
       make_hierarchical},
      {{"hierarchical-mesh", "likewise, each level all at once"},
       {kReduce, kGather, kScatter},
       Algorithm::kSeveralAxes,
       make_hierarchical_mesh},
      {{"axes", "rings along one axis after the other; parts begin with different ones"},
       {kReduce, kGather, kScatter},
       Algorithm::kSeveralAxes,
       make_axes},
      {{"mesh-axes", "likewise, on each axis all at once"},
       {kReduce, kGather, kScatter},
       Algorithm::kSeveralAxes,
       make_mesh_axes},
      {{"pipelined-axes", "likewise in four parts, which follow one another on each axis"},
       {kReduce, kGather, kScatter},
       Algorithm::kSeveralAxes,
       make_pipelined_axes},
      {{"across", "rings along all axes but the last one, then across it on what is left"},
       {kReduce, kGather, kScatter},
       Algorithm::kSeveralAxes,
       make_across},
      {{"mesh-across", "likewise, on each axis all at once"},
       {kReduce, kGather, kScatter},
       Algorithm::kSeveralAxes,
       make_mesh_across},
  };
  return list;
}

bool does(const Algorithm& algorithm, Operation operation) {
  const auto& list = algorithm.operations;
  return std::find(list.begin(), list.end(), operation) != list.end();
}

// Nothing, or why not.
std::string why_not(const Algorithm& algorithm, const Problem& problem, const Axes& axes) {
  if (!does(algorithm, problem.operation))
    return fmt::format("it does not do {}", name_of(problem.operation));
  if (algorithm.needs == Algorithm::kPowerOfTwo && !is_power_of_two(problem.ranks))
    return fmt::format("{} ranks are no power of two", problem.ranks);
  if (algorithm.needs == Algorithm::kSeveralAxes &&
      std::count_if(axes.begin(), axes.end(), [](unsigned size) { return size > 1; }) < 2)
    return "it wants a group with two axes at least";
  return "";
}

}  // namespace

const std::vector<AlgorithmInfo>& algorithms() {
  static const std::vector<AlgorithmInfo> infos = [] {
    std::vector<AlgorithmInfo> list;
    for (const Algorithm& algorithm : all()) list.push_back(algorithm.info);
    return list;
  }();
  return infos;
}

std::vector<std::string> algorithms_of(Operation operation) {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : all()) {
    if (does(algorithm, operation)) names.push_back(algorithm.info.name);
  }
  return names;
}

std::vector<std::string> algorithms_for(const Problem& problem, const Axes& axes) {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : all()) {
    if (why_not(algorithm, problem, axes).empty()) names.push_back(algorithm.info.name);
  }
  return names;
}

Schedule make_schedule(const std::string& name, const Problem& problem, const Axes& axes) {
  problem.check();
  const std::vector<unsigned> sizes(axes.begin(), axes.end());
  if (std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{1}, std::multiplies<>()) !=
      problem.ranks)
    throw UserError(
        fmt::format("axes {} are not {} ranks", fmt::join(sizes, " x "), problem.ranks));
  for (const Algorithm& algorithm : all()) {
    if (algorithm.info.name != name) continue;
    const std::string reason = why_not(algorithm, problem, axes);
    if (!reason.empty()) throw UserError(fmt::format("algorithm {}: {}", name, reason));
    return algorithm.make(name, problem, axes);
  }
  std::vector<std::string> names;
  for (const AlgorithmInfo& info : algorithms()) names.push_back(info.name);
  throw UserError(fmt::format("no algorithm '{}': there are {}", name, fmt::join(names, ", ")));
}

}  // namespace tern::collectives
