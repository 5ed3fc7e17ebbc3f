// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/train/scaling_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sw/app/report/records.h"
#include "sw/app/report/text.h"

namespace tern::app {
namespace {

constexpr double kOrderOfSums = 1e-3;  // of a loss

constexpr const char* kDefinitions =
    "step: from the first instruction of any core to the last one's end. engines: at least one of "
    "a "
    "core's engines computes; sums: none does, from the core's last gradients until the last sum "
    "has arrived anywhere; rest: neither, loads and stores of weights and state, starts; means of "
    "the cores. efficiency: images per second over those of one core, over the cores. Strong: one "
    "batch, shared; weak: a batch per core.";

std::string heading(const ScalingRecord& r, bool weak) {
  const auto first = std::find_if(r.points.begin(), r.points.end(),
                                  [&](const ScalingPoint& p) { return p.weak == weak; });
  return weak ? fmt::format("Weak scaling: {} images per core", grouped(first->batch))
              : fmt::format("Strong scaling: {} images", grouped(first->batch));
}

Section section_of(const ScalingRecord& r, bool weak) {
  Table table{columns_of({"cores", "batch", "us/step", "images/s", "speed-up", "efficiency",
                          "engines", "sums", "rest", "KiB moved", "most of it"},
                         {10}),
              {}};
  for (const ScalingPoint& p : r.points) {
    if (p.weak != weak) continue;
    const CoreTimes& t = p.times;
    const double efficiency = r.efficiency(p);
    table.rows.push_back({std::to_string(p.cores),
                          grouped(p.batch),
                          fmt::format("{:.2f}", t.us),
                          grouped(static_cast<std::uint64_t>(std::llround(p.images_per_s()))),
                          fmt::format("{:.2f}", r.speedup(p)),
                          {percent_text(efficiency, 0), Cell::kPlain, std::min(1.0, efficiency)},
                          percent_text(t.computing_us / t.us, 0),
                          percent_text(t.reduction_us / t.us, 0),
                          percent_text(t.other_us() / t.us, 0),
                          grouped(p.bytes / 1024),
                          bound_of(t)});
  }
  Section section(heading(r, weak));
  section.add(table);
  if (weak) section.add(Note{kDefinitions});
  return section;
}

Lines checks_of(const ScalingRecord& r) {
  std::string states =
      fmt::format("after {} steps every core has the same weights and moments", r.steps);
  for (const ScalingPoint& p : r.points) {
    if (!p.state_difference.empty())
      states = fmt::format("{} cores, batch {}: {} differs from that of core 0", p.cores, p.batch,
                           p.state_difference);
  }
  const double difference = r.loss_difference();
  return {{"bit-exact", states, r.same_states()},
          {"same learning",
           fmt::format("losses of several cores are those of one, largest difference {:.1e}",
                       difference),
           difference <= kOrderOfSums}};
}

LineChart::Series series_of(const ScalingRecord& r, bool weak) {
  LineChart::Series series;
  series.name = weak ? "weak" : "strong";
  for (const ScalingPoint& p : r.points) {
    if (p.weak != weak) continue;
    series.x.push_back(p.cores);
    series.y.push_back(r.speedup(p));
  }
  return series;
}

Picture speed_picture(const ScalingRecord& r) {
  LineChart chart;
  chart.title = "training on several cores";
  chart.x_label = "cores";
  chart.bytes = false;
  chart.y_label = "images per second, over one core's";
  chart.series = {series_of(r, false), series_of(r, true), {"ideal", {}, {}}};
  for (const double cores : chart.series[0].x) {
    chart.series[2].x.push_back(cores);
    chart.series[2].y.push_back(cores);
  }
  return {"speed.svg", "Images per second over those of one core", chart};
}

Picture step_picture(const ScalingRecord& r) {
  std::vector<BarChart> charts;
  for (const bool weak : {false, true}) {
    BarChart chart{
        heading(r, weak), "us of a step", {}, {{"engines", {}}, {"sums", {}}, {"rest", {}}}};
    for (const ScalingPoint& p : r.points) {
      if (p.weak != weak) continue;
      chart.groups.push_back(fmt::format("{} core{}", p.cores, p.cores == 1 ? "" : "s"));
      chart.series[0].y.push_back(p.times.computing_us);
      chart.series[1].y.push_back(p.times.reduction_us);
      chart.series[2].y.push_back(p.times.other_us());
    }
    charts.push_back(chart);
  }
  return {"step.svg", "Engines, sums over cores and the rest", charts};
}

}  // namespace

std::string bound_of(const CoreTimes& t) {
  if (t.reduction_us >= t.computing_us && t.reduction_us >= t.other_us()) return "sums over cores";
  if (t.other_us() >= t.computing_us) return "loads, stores, starts";
  return fmt::format("engines, {} {}", t.busiest, percent_text(t.busiest_us / t.us, 0));
}

double ScalingRecord::speedup(const ScalingPoint& point) const {
  const auto one = std::find_if(points.begin(), points.end(),
                                [&](const ScalingPoint& p) { return p.weak == point.weak; });
  return point.images_per_s() / one->images_per_s();
}

double ScalingRecord::loss_difference() const {
  double largest = 0;
  for (const ScalingPoint& p : points) {
    for (const ScalingPoint& one : points) {
      if (one.cores != 1 || one.batch != p.batch) continue;
      for (std::size_t s = 0; s < p.losses.size(); ++s) {
        const double want = static_cast<double>(one.losses[s]);
        largest = std::max(largest, std::fabs(static_cast<double>(p.losses[s]) - want) / want);
      }
    }
  }
  return largest;
}

bool ScalingRecord::same_states() const {
  return std::all_of(points.begin(), points.end(),
                     [](const ScalingPoint& p) { return p.state_difference.empty(); });
}

bool ScalingRecord::passed() const {
  return same_states() && loss_difference() <= kOrderOfSums;
}

Report report_of(const ScalingRecord& r) {
  Report report = make_report(r, r.passed());
  Figures figures;
  for (const bool weak : {false, true}) {
    const auto last = std::find_if(r.points.rbegin(), r.points.rend(),
                                   [&](const ScalingPoint& p) { return p.weak == weak; });
    figures.push_back(
        {fmt::format("{:.2f} x", r.speedup(*last)), weak ? "weak scaling" : "strong scaling",
         fmt::format("{} cores, {} images a step", last->cores, grouped(last->batch))});
    figures.push_back(
        {time_text(last->times.us), weak ? "per step, weak" : "per step, strong", "simulated"});
  }
  report.add(figures);
  for (const bool weak : {false, true}) report.add(section_of(r, weak));
  Section checks("Checks");
  checks.add(checks_of(r));
  report.add(checks);
  Section speed("Speed and steps", "What several cores give, and where the time of a step goes.",
                Section::kFiles);
  speed.add(speed_picture(r));
  speed.add(step_picture(r));
  report.add(speed);

  using Json = nlohmann::ordered_json;
  Json& j = report.data;
  j["seed"] = r.seed;
  j["steps"] = r.steps;
  j["loss_difference"] = r.loss_difference();
  j["points"] = Json::array();
  for (const ScalingPoint& p : r.points) {
    Json x = {{"scaling", p.weak ? "weak" : "strong"},
              {"cores", p.cores},
              {"batch", p.batch},
              {"step_us", p.times.us},
              {"images_per_s", p.images_per_s()},
              {"speedup", r.speedup(p)},
              {"efficiency", r.efficiency(p)},
              {"engines_us", p.times.computing_us},
              {"sums_us", p.times.reduction_us},
              {"rest_us", p.times.other_us()},
              {"busiest", p.times.busiest},
              {"busiest_us", p.times.busiest_us},
              {"bytes_between_cores", p.bytes},
              {"bound", bound_of(p.times)},
              {"loss", p.losses}};
    if (!p.state_difference.empty()) x["state_difference"] = p.state_difference;
    j["points"].push_back(x);
  }
  report.add(records("scaling.csv", j, {"points"}));
  return report;
}

}  // namespace tern::app
