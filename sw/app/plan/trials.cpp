// SPDX-License-Identifier: Apache-2.0
#include "sw/app/plan/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>

#include "sw/app/host/progress.h"
#include "sw/base/child_process.h"
#include "sw/base/stop.h"
#include "sw/base/user_error.h"

namespace tern::app {

std::vector<collectives::RankGrid> grids_of(const Plan& plan) {
  std::vector<collectives::RankGrid> grids;
  const auto wanted = [](unsigned key, unsigned parts) { return key == 0 || key == parts; };
  const auto divisors = [&](unsigned of, unsigned key) {
    std::vector<unsigned> all;
    for (unsigned parts = 1; parts <= of; ++parts) {
      if (of % parts == 0 && wanted(key, parts)) all.push_back(parts);
    }
    return all;
  };
  const unsigned ranks = plan.ranks();
  for (const unsigned sharers : divisors(ranks, 0)) {
    for (const unsigned pipeline : divisors(sharers, plan.grid.pipeline)) {
      for (const unsigned sequence : divisors(ranks / sharers, plan.grid.sequence)) {
        const collectives::RankGrid grid{ranks / sharers / sequence, sequence, pipeline,
                                         sharers / pipeline, plan.grid.expert};
        if (wanted(plan.grid.data, grid.data) && wanted(plan.grid.tensor, grid.tensor))
          grids.push_back(grid);
      }
    }
  }
  return grids;
}

bool divides(const std::vector<unsigned>& parts, const Plan& plan) {
  unsigned left = plan.ranks();
  for (std::size_t n = 0; n < 4; ++n) {
    if (left % parts.at(n) != 0) return false;
    left /= parts[n];
  }
  return left == 1;
}

std::vector<std::string> trial_arguments(const RunOptions& options,
                                         const std::vector<unsigned>& parts,
                                         const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {base::own_program(), "run", "--chip", options.chip};
  for (const ConfigOverride& setting : options.overrides)
    arguments.push_back(fmt::format("--set={}={}", setting.key, setting.value));
  arguments.push_back(fmt::format("--seed={}", options.seed));
  arguments.push_back(fmt::format("--time-plan={}", fmt::join(parts, ",")));
  arguments.insert(arguments.end(), more.begin(), more.end());
  arguments.insert(arguments.end(), {"--quiet", "--", options.workload});
  return arguments;
}

TrialResult run_trial(const std::vector<std::string>& arguments, const std::string& shown,
                      const std::string& place, const std::atomic<bool>* stop) {
  const base::ChildResult child = base::run_child(arguments, stop);
  TrialResult result{nlohmann::json::parse(child.out, nullptr, false), ""};
  constexpr int kUserError = 2;
  if (child.exit_code == kUserError) {
    result.refused = child.last_message();
    const std::string before = place + ": ";
    if (result.refused.compare(0, before.size(), before) == 0)
      result.refused.erase(0, before.size());
    return result;
  }
  // Any other failure says nothing about the plan, and must not choose another one.
  if (child.exit_code != 0 || !result.json.is_object()) {
    const std::string why = child.last_message();
    throw RunError(fmt::format("the planner's run of {} ended with code {}{}", shown,
                               child.exit_code, why.empty() ? "" : ": " + why));
  }
  return result;
}

void run_trials(std::size_t count, bool quiet, const std::atomic<bool>* stop,
                const std::function<void(std::size_t, const std::atomic<bool>*)>& run) {
  Progress progress("plans", quiet);
  std::atomic<std::size_t> next{0}, done{0};
  std::atomic<bool> ends{false};  // interrupted, or one has failed
  std::mutex failing;
  std::exception_ptr failure;
  std::vector<std::thread> workers;
  const std::size_t most = std::max(1u, std::thread::hardware_concurrency());
  for (std::size_t w = 0; w < std::min(most, count); ++w) {
    workers.emplace_back([&] {
      for (std::size_t i = next++; i < count && !ends; i = next++) {
        try {
          run(i, &ends);
        } catch (...) {
          const std::lock_guard<std::mutex> lock(failing);
          if (!failure && !ends) failure = std::current_exception();
          ends = true;
        }
        ++done;
      }
    });
  }
  while (done < count && !ends) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (*stop) ends = true;
    progress.update(static_cast<double>(done) / static_cast<double>(count),
                    fmt::format("{} of {} timed", done.load(), count));
  }
  for (std::thread& worker : workers) worker.join();
  if (*stop) throw Interrupted();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tern::app
