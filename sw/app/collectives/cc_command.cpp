// SPDX-License-Identifier: Apache-2.0
#include "sw/app/collectives/cc_command.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/app/collectives/cc_record.h"
#include "sw/app/collectives/group_option.h"
#include "sw/app/host/interrupt.h"
#include "sw/app/host/progress.h"
#include "sw/app/host/size_option.h"
#include "sw/app/report/named_files.h"
#include "sw/app/report/report_folder.h"
#include "sw/app/report/write_report.h"
#include "sw/base/atomic_file.h"
#include "sw/base/user_error.h"
#include "sw/collectives/evaluate.h"
#include "sw/collectives/schedule_file.h"
#include "sw/collectives/verify.h"
#include "systemc/fabric/faults/fault_script.h"
#include "systemc/fabric/faults/fault_state.h"
#include "systemc/fabric/levels/levels.h"
#include "systemc/fabric/packet/routes.h"
#include "systemc/fabric/packet/shape.h"
#include "systemc/fabric/traffic/traffic_run.h"

namespace tern::app {

namespace {

using collectives::Operation;
using collectives::Problem;
using collectives::Schedule;

class Run {
 public:
  explicit Run(const CcOptions& options)
      : options_(options), fabric_(system::load_system(options.system)) {
    record_.chips = group_of(fabric_, options.group);
    axes_ = axes_of(fabric_, record_.chips);
    record_.planes = options.planes.value_or(planes_of(fabric_));
    Problem& problem = record_.problem;
    const auto& names = collectives::operation_names();
    problem.operation = static_cast<Operation>(
        std::find(names.begin(), names.end(), options.operation) - names.begin());
    problem.ranks = static_cast<unsigned>(record_.chips.size());
    problem.root = options.root;
    if (problem.operation == Operation::kPermute)
      problem.to = collectives::next_of_each(problem.ranks);
    problem.check();
    if (!options.faults.empty()) {
      if (options.level == "ideal")
        throw UserError(fmt::format(
            "--faults {}: not at level ideal, which has no links to break: packet or flow",
            options.faults));
      faults_ = fabric::faults::load_fault_script(options.faults, fabric_);
    }
    choose_schedules();
    choose_sizes();
  }

  int run() {
    prepare_report_folder(options_.report, "cc");
    Progress progress(fmt::format("{} level", options_.level), options_.quiet);
    const std::size_t all = sizes_.size() * schedules_.size();
    for (const std::uint64_t bytes : sizes_) {
      const std::size_t first = record_.points.size();
      fabric::Time best = fabric::kNever;
      for (const auto& [hottest, schedule] : in_order(bytes)) {
        const double before = static_cast<double>(done_++) / static_cast<double>(all);
        // Whatever else it does, its busiest link alone takes longer.
        if (options_.algorithm == "best" && hottest > best) continue;
        CcPoint point = measure(*schedule, bytes, [&](double share) {
          progress.update(before + share / static_cast<double>(all));
        });
        point.hottest = hottest;
        if (point.result.lost == 0) best = std::min(best, point.result.time);
        record_.points.push_back(std::move(point));
      }
      mark_best(first);
    }
    for (const CcPoint& point : record_.points)
      record_.bounds.push_back(
          collectives::bound_of(record_.problem, record_.chips, fabric_, point.bytes));
    const Report report = report_of(record_, fabric_, options_);
    const int code = write_report(report, options_.report, options_.json);
    return std::any_of(record_.points.begin(), record_.points.end(),
                       [](const CcPoint& point) { return point.result.lost > 0; })
               ? 1
               : code;
  }

 private:
  void choose_schedules() {
    if (!options_.schedule.empty()) {
      Schedule schedule = collectives::load_schedule(options_.schedule);
      if (schedule.problem.operation != record_.problem.operation)
        throw UserError(fmt::format("{}: it is for {}, not {}", options_.schedule,
                                    name_of(schedule.problem.operation), options_.operation));
      if (schedule.problem.ranks != record_.problem.ranks)
        throw UserError(fmt::format("{}: {} ranks, and the group has {}", options_.schedule,
                                    schedule.problem.ranks, record_.problem.ranks));
      record_.problem = schedule.problem;
      schedules_.push_back(std::move(schedule));
    } else if (options_.algorithm == "best" || options_.algorithm == "all") {
      for (const std::string& name : collectives::algorithms_for(record_.problem, axes_))
        schedules_.push_back(collectives::make_schedule(name, record_.problem, axes_));
    } else {
      schedules_.push_back(collectives::make_schedule(options_.algorithm, record_.problem, axes_));
    }
    verify_schedules();
    if (options_.write.empty()) return;
    if (schedules_.size() > 1)
      throw UserError("--write: of one algorithm: name it with --algorithm");
    base::write_file(options_.write, collectives::text_of(schedules_.front()));
  }

  // Of several those that are too large are left out, with the reason.
  void verify_schedules() {
    std::vector<Schedule> verified;
    for (Schedule& schedule : schedules_) {
      try {
        collectives::verify(schedule);
        verified.push_back(std::move(schedule));
      } catch (const UserError& error) {
        if (schedules_.size() == 1) throw;
        record_.skipped.push_back(error.what());
      }
    }
    if (verified.empty()) throw UserError(record_.skipped.front());
    schedules_ = std::move(verified);
  }

  void choose_sizes() {
    const std::uint64_t begin = size_option("--begin", options_.begin),
                        end = size_option("--end", options_.end);
    if (begin > end)
      throw UserError(
          fmt::format("--begin {} is more than --end {}", options_.begin, options_.end));
    if (record_.problem.operation == Operation::kBarrier) {
      sizes_ = {0};
      return;
    }
    // Parts of ranks are equal: a size is rounded up to them.
    const std::uint64_t unit =
        std::uint64_t{record_.problem.parts()} * (options_.element == "fp32" ? 4 : 2);
    for (std::uint64_t bytes = begin; bytes <= end; bytes *= options_.factor) {
      const std::uint64_t whole = (std::max<std::uint64_t>(bytes, 1) + unit - 1) / unit * unit;
      if (sizes_.empty() || sizes_.back() != whole) sizes_.push_back(whole);
      if (bytes == 0) break;
    }
  }

  collectives::Placed placed_with(std::uint64_t bytes) const {
    return {record_.chips, bytes, record_.planes,
            static_cast<std::uint8_t>(options_.traffic_class)};
  }

  // What the busiest link carries. At level ideal links are not shared, and faults change the
  // routes: 0.
  fabric::Time hottest_of(const Schedule& schedule, std::uint64_t bytes) const {
    if (faults_ || options_.level == "ideal") return 0;
    const auto routes = fabric::packet::routes_of(fabric_);
    const std::vector<fabric::Time> busy =
        fabric::channel_times(fabric::packet::shape_of(fabric_, routes->vcs()), *routes,
                              collectives::transfers_of(schedule, placed_with(bytes)));
    return *std::max_element(busy.begin(), busy.end());
  }

  // All schedules; for the best one those first whose links have the least to carry.
  std::vector<std::pair<fabric::Time, const Schedule*>> in_order(std::uint64_t bytes) const {
    std::vector<std::pair<fabric::Time, const Schedule*>> order;
    for (const Schedule& schedule : schedules_)
      order.emplace_back(hottest_of(schedule, bytes), &schedule);
    if (options_.algorithm == "best")
      std::stable_sort(order.begin(), order.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
    return order;
  }

  CcPoint measure(const Schedule& schedule, std::uint64_t bytes,
                  const std::function<void(double)>& progress) {
    std::optional<fabric::faults::FaultState> faults;
    if (faults_) faults.emplace(fabric_, *faults_, options_.seed);
    const auto transport = faults ? fabric::make_transport(options_.level, *faults)
                                  : fabric::make_transport(options_.level, fabric_);
    const std::atomic<bool>* const stop = catch_interrupts();
    const collectives::Placed placed = placed_with(bytes);
    CcPoint point;
    point.bytes = bytes;
    point.algorithm = schedule.name;
    point.result = collectives::run_schedule(
        schedule, placed, collectives::core_times_of(fabric_.config().collectives), *transport,
        [&](double share) {
          if (*stop) throw RunError("interrupted");
          progress(share);
        });
    return point;
  }

  // Of those of one size; only it stays where the best one is asked for.
  void mark_best(std::size_t first) {
    const auto begin = record_.points.begin() + static_cast<std::ptrdiff_t>(first);
    const auto best =
        std::min_element(begin, record_.points.end(), [](const CcPoint& a, const CcPoint& b) {
          return std::pair(a.result.lost, a.result.time) < std::pair(b.result.lost, b.result.time);
        });
    best->best = schedules_.size() > 1;
    if (options_.algorithm != "best") return;
    const CcPoint kept = *best;
    record_.points.resize(first);
    record_.points.push_back(kept);
  }

  const CcOptions& options_;
  const system::Fabric fabric_;
  std::optional<fabric::faults::FaultScript> faults_;
  collectives::Axes axes_;
  std::vector<Schedule> schedules_;
  std::vector<std::uint64_t> sizes_;
  std::size_t done_ = 0;
  CcRecord record_;
};

}  // namespace

int cc_command(const CcOptions& options) {
  NamedFiles files;
  files.inputs = {options.system};
  for (const std::string& input : {options.faults, options.schedule}) {
    if (!input.empty()) files.inputs.push_back(input);
  }
  files.outputs = {{"--write", options.write}};
  files.report = options.report;
  files.report_name = "cc";
  refuse_overwriting(files);
  return Run(options).run();
}

}  // namespace tern::app
