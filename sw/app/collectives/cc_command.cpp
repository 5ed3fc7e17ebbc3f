// SPDX-License-Identifier: Apache-2.0
#include "sw/app/collectives/cc_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "sw/app/collectives/cc_checks.h"
#include "sw/app/collectives/cc_choice.h"
#include "sw/app/collectives/cc_record.h"
#include "sw/app/collectives/core_level.h"
#include "sw/app/collectives/group_option.h"
#include "sw/app/host/interrupt.h"
#include "sw/app/host/progress.h"
#include "sw/app/host/size_option.h"
#include "sw/app/link_faults/fault_tables.h"
#include "sw/app/report/report_folder.h"
#include "sw/app/report/text.h"
#include "sw/app/report/write_report.h"
#include "sw/base/atomic_file.h"
#include "sw/base/user_error.h"
#include "sw/collectives/evaluate.h"
#include "sw/collectives/schedule_file.h"
#include "sw/collectives/verify.h"
#include "sw/config/load_chip_config.h"
#include "systemc/collectives/layout.h"
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
  Run(const CcOptions& options, const std::string& system)
      : options_(options), fabric_(system::load_system(system, options.units)) {
    record_.system = fabric_.config().name;
    fabric::check_level(options.level, fabric_);
    const std::vector<std::uint32_t> chips = group_of(fabric_, options.group, options.cores);
    axes_ = collectives::axes_of(fabric_, chips);
    record_.chip = fabric_.config().chip;
    record_.torus = collectives::is_whole_torus(fabric_, chips);
    record_.units = fabric_.nodes()[chips.front()].unit != fabric_.nodes()[chips.back()].unit;
    place_ranks(chips);
    record_.axes.assign(axes_.begin(), axes_.end());
    record_.planes = options.planes.value_or(collectives::planes_of(fabric_));
    Problem& problem = record_.problem;
    problem.ranks = static_cast<unsigned>(record_.chips.size());
    problem.root = options.root;
    set_operation(&problem);
    problem.check();
    check_element();
    if (!options.faults.empty()) {
      if (options.level == "cores") throw UserError("--faults: not at level cores: packet or flow");
      if (options.level == "ideal")
        throw UserError(fmt::format(
            "--faults {}: not at level ideal, which has no links to break: packet or flow",
            options.faults));
      faults_ = fabric::faults::load_fault_script(options.faults, fabric_);
    }
    if (options.level == "cores") {
      if (fabric_.config().chip.empty())
        throw UserError(fmt::format("--level cores: of '{}' no chip is modelled: packet or flow",
                                    fabric_.config().name));
      CoreLevel::Options core;
      core.chips = chips;
      core.cores = options.cores;
      core.element = element();
      core.priority = options.traffic_class;
      core.seed = options.seed;
      core_level_.emplace(fabric_, core);
    }
    choose_sizes();
    choose_schedules(system);
    if (core_level_ && schedules_.size() == 1) check_sizes(schedules_.front());
  }

  CcRecord run() {
    Progress progress(
        options_.systems.size() > 1 ? record_.system : fmt::format("{} level", options_.level),
        options_.quiet);
    const std::size_t all = sizes_.size() * schedules_.size();
    for (const std::uint64_t bytes : sizes_) {
      const std::size_t first = record_.points.size();
      fabric::Time best = fabric::kNever;
      for (const auto& [hottest, schedule] : in_order(bytes)) {
        const double before = static_cast<double>(done_++) / static_cast<double>(all);
        // Whatever else it does, its busiest link alone takes longer.
        if (is_best_only(bytes) && hottest > best) continue;
        auto point = measure_if_possible(*schedule, bytes, [&](double share) {
          progress.update(before + share / static_cast<double>(all));
        });
        if (!point) continue;
        point->hottest = hottest_of(*schedule, point->bytes);
        if (point->result.lost == 0) best = std::min(best, point->result.time);
        record_.points.push_back(std::move(*point));
      }
      mark_best(first, bytes);
    }
    if (record_.points.empty()) throw UserError(record_.skipped.back());
    // A program on simulated chips begins before its collective: only the network bounds it.
    const collectives::Bounds bounds(record_.problem, record_.chips, fabric_,
                                     core_level_ ? collectives::CoreTimes{} : core_times());
    for (const CcPoint& point : record_.points) {
      collectives::Bound bound = bounds.of(buffer_bytes(point.bytes));
      if (options_.level == "ideal") bound.links = bound.cut = 0;  // links are not shared
      record_.bounds.push_back(bound);
    }
    return record_;
  }

 private:
  void set_operation(Problem* problem) const {
    constexpr unsigned kTokens = 16;  // for each rank, of each
    const auto& names = collectives::operation_names();
    const bool pair = options_.operation == "send_recv";
    problem->operation =
        pair ? Operation::kPermute
             : static_cast<Operation>(std::find(names.begin(), names.end(), options_.operation) -
                                      names.begin());
    if (pair) {
      const unsigned to = options_.to.value_or(1);
      if (std::max(options_.root, to) >= problem->ranks || options_.root == to)
        throw UserError(fmt::format("send_recv: from rank {} to rank {}, of {}: --root and --to",
                                    options_.root, to, problem->ranks));
      problem->to.assign(problem->ranks, Problem::kNobody);
      problem->to[options_.root] = to;
      problem->root = 0;
    } else if (problem->operation == Operation::kPermute) {
      problem->to = collectives::next_of_each(problem->ranks);
    } else if (problem->operation == Operation::kAllToAllV) {
      problem->counts = options_.counts.empty()
                            ? collectives::routed_counts(problem->ranks, kTokens * problem->ranks,
                                                         options_.hot.value_or(1), options_.seed)
                            : collectives::load_counts(options_.counts);
      if (!options_.counts.empty()) check_counts(*problem);
    }
  }

  void check_counts(const Problem& problem) const {
    try {
      problem.check();
    } catch (const UserError& error) {
      throw UserError(fmt::format("{}: {}", options_.counts, error.what()));
    }
  }

  // Bytes of the buffers. Those of all_to_all_v have room for the busiest rank; a size is what a
  // rank sends on average.
  std::uint64_t buffer_bytes(std::uint64_t bytes) const { return scaled(bytes, 1 / sent_share()); }
  std::uint64_t sent_bytes(std::uint64_t buffer) const { return scaled(buffer, sent_share()); }

  static std::uint64_t scaled(std::uint64_t bytes, double by) {
    return by == 1 ? bytes
                   : static_cast<std::uint64_t>(std::llround(static_cast<double>(bytes) * by));
  }
  double sent_share() const {
    const Problem& problem = record_.problem;
    if (problem.operation != Operation::kAllToAllV) return 1;
    double sent = 0;
    for (unsigned rank = 0; rank < problem.ranks; ++rank) sent += problem.sent(rank);
    return sent / problem.ranks / problem.most_chunks();
  }

  // The first cores of each chip; those of a chip are neighbours.
  void place_ranks(const std::vector<std::uint32_t>& chips) {
    for (const std::uint32_t chip : chips)
      record_.chips.insert(record_.chips.end(), options_.cores, chip);
    if (options_.cores == 1) return;
    const std::string& chip = fabric_.config().chip;
    const unsigned most = chip.empty() ? options_.cores : load_chip_config(chip).chip.cores;
    if (options_.cores > most)
      throw UserError(fmt::format("--cores {}: chip '{}' has {}", options_.cores, chip, most));
    // Cores of a chip share its links.
    for (collectives::Axis& axis : axes_)
      axis.rate *= fabric_.config().lane_gb_per_s / options_.cores;
    axes_.emplace(axes_.begin(), options_.cores, fabric_.config().collectives.local_gb_per_s);
    if (axes_.back() == 1) axes_.pop_back();
  }

  collectives::CoreTimes core_times() const {
    return collectives::core_times_of(fabric_.config().collectives);
  }

  collectives::Element element() const { return collectives::element_named(options_.element); }

  void check_element() const {
    const std::string& chip = fabric_.config().chip;
    const bool sums =
        record_.problem.reduces() ||
        (options_.level == "cores" && record_.problem.operation == Operation::kBarrier);
    if (element() != collectives::Element::kFp8 || !sums || chip.empty()) return;
    if (!load_chip_config(chip).chip.dma.near_memory_add)
      throw UserError(fmt::format("--type fp8: chip '{}' of '{}' does not add near its memories",
                                  chip, fabric_.config().name));
  }

  void choose_schedules(const std::string& system) {
    if (!options_.schedule.empty()) {
      Schedule schedule = collectives::load_schedule(options_.schedule);
      if (schedule.problem.operation != record_.problem.operation)
        throw UserError(fmt::format("{}: it is for {}, not {}", options_.schedule,
                                    name_of(schedule.problem.operation), options_.operation));
      if (schedule.problem.ranks != record_.problem.ranks)
        throw UserError(fmt::format("{}: {} ranks, and the group has {}", options_.schedule,
                                    schedule.problem.ranks, record_.problem.ranks));
      check_same_problem(schedule);
      record_.problem = schedule.problem;
      schedules_.push_back(std::move(schedule));
    } else if (options_.algorithm == "best" || options_.algorithm == "all") {
      add_all();
    } else if (options_.algorithm == "table") {
      CcChoice choice = look_up(options_, system, record_, axes_, sizes_);
      if (!choice.note.empty()) record_.notes.push_back(choice.note);
      chosen_ = std::move(choice.chosen);
      if (chosen_.size() < sizes_.size()) {
        add_all();
      } else {
        std::set<std::string> names;
        for (const auto& [bytes, name] : chosen_) names.insert(name);
        for (const std::string& name : names)
          schedules_.push_back(collectives::make_schedule(name, record_.problem, axes_));
      }
    } else {
      schedules_.push_back(collectives::make_schedule(options_.algorithm, record_.problem, axes_));
    }
    verify_schedules();
    if (options_.write.empty()) return;
    if (schedules_.size() > 1)
      throw UserError("--write: of one algorithm: name it with --algorithm");
    base::write_file(options_.write, collectives::text_of(schedules_.front()));
  }

  // A schedule says by itself from where to where; options may say the same.
  void check_same_problem(const Schedule& schedule) const {
    const Problem &own = schedule.problem, &asked = record_.problem;
    if (options_.root > 0 && own.root != asked.root)
      throw UserError(
          fmt::format("{}: its root is rank {}, not {}", options_.schedule, own.root, asked.root));
    if (options_.operation == "send_recv" && own.to != asked.to)
      throw UserError(fmt::format("{}: other targets than from rank {} to rank {}",
                                  options_.schedule, options_.root, options_.to.value_or(1)));
  }

  void add_all() {
    for (const std::string& name : collectives::algorithms_for(record_.problem, axes_))
      schedules_.push_back(collectives::make_schedule(name, record_.problem, axes_));
  }

  // Of all that are measured of this size.
  bool is_best_only(std::uint64_t bytes) const {
    return options_.algorithm == "best" ||
           (options_.algorithm == "table" && chosen_.count(bytes) == 0);
  }

  // Of several those that are too large are left out, with the reason.
  void verify_schedules() {
    std::vector<Schedule> verified;
    Progress progress("schedules", options_.quiet);
    const auto all = static_cast<double>(schedules_.size());
    for (std::size_t i = 0; i < schedules_.size(); ++i) {
      Schedule& schedule = schedules_[i];
      progress.update(static_cast<double>(i) / all, "verified");
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
        std::uint64_t{record_.problem.parts()} * collectives::bytes_of(element());
    for (std::uint64_t bytes = begin; bytes <= end; bytes *= options_.factor) {
      const std::uint64_t whole = (std::max<std::uint64_t>(bytes, 1) + unit - 1) / unit * unit;
      if (sizes_.empty() || sizes_.back() != whole) sizes_.push_back(whole);
      if (bytes == 0) break;
    }
  }

  collectives::Placed placed_with(std::uint64_t bytes) const {
    collectives::Placed placed{record_.chips, buffer_bytes(bytes), record_.planes, {}};
    placed.traffic_class = static_cast<std::uint8_t>(options_.traffic_class);
    placed.ways = collectives::ways_of(fabric_, *routes_);
    return placed;
  }

  // What the busiest link carries. At level ideal links are not shared, faults change the routes,
  // and accesses of cores take several equal ones: 0.
  fabric::Time hottest_of(const Schedule& schedule, std::uint64_t bytes) const {
    if (faults_ || core_level_ || options_.level == "ideal") return 0;
    const std::vector<fabric::Time> busy =
        fabric::channel_times(fabric::packet::shape_of(fabric_, routes_->vcs()), *routes_,
                              collectives::transfers_of(schedule, placed_with(bytes)));
    return busy.empty() ? 0 : *std::max_element(busy.begin(), busy.end());
  }

  // Whether its times fit into the simulation's clock, whatever the links do: it has 2.5 hours, and
  // packets have headers.
  bool is_short(const Schedule& schedule, std::uint64_t bytes) {
    constexpr double kMostSeconds = 3600;
    double slowest = fabric_.config().lane_gb_per_s;
    for (const system::Link& link : fabric_.links()) slowest = std::min(slowest, link.gb_per_s);
    if (longest_run(schedule, placed_with(bytes), core_times(), slowest) < kMostSeconds)
      return true;
    leave_out(schedule, bytes, "may take more than an hour on such links, too long for the clock");
    return false;
  }

  // One of several, from this size on.
  void leave_out(const Schedule& schedule, std::uint64_t bytes, const std::string& why) {
    if (schedules_.size() == 1)
      throw UserError(fmt::format("{}: {} bytes: {}", schedule.name, grouped(bytes), why));
    if (left_out_.emplace(schedule.name, why).second)
      record_.skipped.push_back(
          fmt::format("{}: from {} bytes on: {}", schedule.name, grouped(bytes), why));
  }

  // All schedules; for the best one those first whose links have the least to carry.
  std::vector<std::pair<fabric::Time, const Schedule*>> in_order(std::uint64_t bytes) {
    std::vector<std::pair<fabric::Time, const Schedule*>> order;
    for (const Schedule& schedule : schedules_) {
      const auto chosen = chosen_.find(bytes);
      if (chosen != chosen_.end() && chosen->second != schedule.name) continue;
      if (core_level_ || is_short(schedule, bytes))
        order.emplace_back(hottest_of(schedule, bytes), &schedule);
    }
    if (is_best_only(bytes))
      std::stable_sort(order.begin(), order.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
    return order;
  }

  // Nothing is measured if the cores cannot run all sizes.
  void check_sizes(const Schedule& schedule) {
    for (const std::uint64_t bytes : sizes_) {
      try {
        core_level_->size_of(schedule, buffer_bytes(bytes));
      } catch (const UserError& error) {
        leave_out(schedule, bytes, error.what());
      }
    }
  }

  // Of several algorithms those that the cores cannot run are left out, with the reason.
  std::optional<CcPoint> measure_if_possible(const Schedule& schedule, std::uint64_t bytes,
                                             const std::function<void(double)>& progress) {
    try {
      return core_level_ ? measure_on_cores(schedule, bytes, progress)
                         : measure(schedule, bytes, progress);
    } catch (const UserError& error) {
      leave_out(schedule, bytes, error.what());
      return std::nullopt;
    }
  }

  CcPoint measure_on_cores(const Schedule& schedule, std::uint64_t bytes,
                           const std::function<void(double)>& progress) {
    CcPoint point;
    const std::uint64_t buffer = core_level_->size_of(schedule, buffer_bytes(bytes));
    point.bytes = sent_bytes(buffer);
    point.algorithm = schedule.name;
    const CoreLevel::Result result = core_level_->measure(schedule, buffer, progress);
    point.result.time = result.fs;
    point.wrong_bits = !result.equal;
    for (const fabric::Transfer& put :
         collectives::transfers_of(schedule, placed_with(point.bytes))) {
      ++point.result.puts;
      point.result.bytes += put.bytes;
    }
    return point;
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
    point.result =
        collectives::run_schedule(schedule, placed, core_times(), *transport, [&](double share) {
          if (*stop) throw RunError("interrupted");
          progress(share);
        });
    if (faults) {
      Report what;
      add_faults(*faults, &what);
      point.faults = std::make_shared<const Report>(std::move(what));
      if (point.result.lost > 0) point.why_lost = reason_of_losses(*faults);
    }
    return point;
  }

  // Of those of one size; only it stays where the best one is asked for.
  void mark_best(std::size_t first, std::uint64_t bytes) {
    if (record_.points.size() == first) return;  // the cores can run none
    const auto begin = record_.points.begin() + static_cast<std::ptrdiff_t>(first);
    const auto best =
        std::min_element(begin, record_.points.end(), [](const CcPoint& a, const CcPoint& b) {
          return std::pair(a.result.lost, a.result.time) < std::pair(b.result.lost, b.result.time);
        });
    best->best = schedules_.size() > 1 && chosen_.count(bytes) == 0 && best->result.lost == 0;
    if (!is_best_only(bytes)) return;
    const CcPoint kept = *best;
    record_.points.resize(first);
    record_.points.push_back(kept);
  }

  const CcOptions& options_;
  const system::Fabric fabric_;
  const std::unique_ptr<fabric::packet::Routes> routes_ = fabric::packet::routes_of(fabric_);
  std::optional<fabric::faults::FaultScript> faults_;
  std::optional<CoreLevel> core_level_;
  collectives::Axes axes_;
  std::vector<Schedule> schedules_;
  std::vector<std::uint64_t> sizes_;
  std::map<std::uint64_t, std::string> chosen_;             // by size, from a table
  std::set<std::pair<std::string, std::string>> left_out_;  // algorithm, reason
  std::size_t done_ = 0;
  CcRecord record_;
};

}  // namespace

int cc_command(const CcOptions& options) {
  check_options(options);
  std::vector<std::unique_ptr<Run>> runs;  // all are checked before the first one works
  runs.reserve(options.systems.size());
  for (const std::string& system : options.systems)
    runs.push_back(std::make_unique<Run>(options, system));
  prepare_report_folder(options.report, "cc");
  std::vector<CcRecord> records;
  records.reserve(runs.size());
  for (const auto& run : runs) records.push_back(run->run());
  const int code = write_report(report_of(records, options), options.report, options.json);
  const auto failed = [](const CcPoint& point) {
    return point.result.lost > 0 || point.wrong_bits;
  };
  return std::any_of(records.begin(), records.end(),
                     [&](const CcRecord& record) {
                       return std::any_of(record.points.begin(), record.points.end(), failed);
                     })
             ? 1
             : code;
}

}  // namespace tern::app
