// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/train/scaling_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sw/app/report/chart_svg.h"
#include "sw/app/report/html_page.h"
#include "sw/app/report/style.h"
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

const std::vector<std::string> kTitles = {"cores",    "batch",      "us/step",   "images/s",
                                          "speed-up", "efficiency", "engines",   "sums",
                                          "rest",     "KiB moved",  "most of it"};

std::string percent(double share) {
  return fmt::format("{:.0f} %", share * 100);
}

std::vector<std::string> row_of(const ScalingRecord& r, const ScalingPoint& p) {
  const CoreTimes& t = p.times;
  return {std::to_string(p.cores),
          grouped(p.batch),
          fmt::format("{:.2f}", t.us),
          grouped(static_cast<std::uint64_t>(std::llround(p.images_per_s()))),
          fmt::format("{:.2f}", r.speedup(p)),
          percent(r.efficiency(p)),
          percent(t.computing_us / t.us),
          percent(t.reduction_us / t.us),
          percent(t.other_us() / t.us),
          grouped(p.bytes / 1024),
          bound_of(t)};
}

std::string heading(const ScalingRecord& r, bool weak) {
  const auto first = std::find_if(r.points.begin(), r.points.end(),
                                  [&](const ScalingPoint& p) { return p.weak == weak; });
  return weak ? fmt::format("weak scaling: {} images per core", grouped(first->batch))
              : fmt::format("strong scaling: {} images", grouped(first->batch));
}

struct Check {
  std::string label, value;
  bool good;
};

std::vector<Check> checks_of(const ScalingRecord& r) {
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

}  // namespace

std::string bound_of(const CoreTimes& t) {
  if (t.reduction_us >= t.computing_us && t.reduction_us >= t.other_us()) return "sums over cores";
  if (t.other_us() >= t.computing_us) return "loads, stores, starts";
  return fmt::format("engines, {} {}", t.busiest, percent(t.busiest_us / t.us));
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

std::string speed_svg(const ScalingRecord& r) {
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
  return line_chart_svg(chart);
}

std::string step_svg(const ScalingRecord& r) {
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
  return bar_charts_svg(charts);
}

std::string scaling_text(const ScalingRecord& r, bool colour) {
  const Style style(colour);
  const auto line = [](const std::vector<std::string>& row) {
    std::string out;
    for (std::size_t c = 0; c + 1 < row.size(); ++c)
      out += fmt::format("{:>{}}", row[c], c == 0 ? 7 : c == 3 ? 12 : 11);
    return out + "  " + row.back() + "\n";
  };
  std::string out = fmt::format("\n{}: {} on {}\n", r.workload, r.description, r.chip);
  for (const bool weak : {false, true}) {
    out += fmt::format("\n{}\n{}{}{}", heading(r, weak), style.dim, line(kTitles), style.off);
    for (const ScalingPoint& p : r.points)
      if (p.weak == weak) out += line(row_of(r, p));
  }
  out += fmt::format("\n{}{}{}\n", style.dim, kDefinitions, style.off);
  for (const Check& c : checks_of(r)) {
    out += fmt::format("  {:<16} {}  {}{}{}\n", c.label, c.value, c.good ? style.good : style.bad,
                       c.good ? "ok" : "FAILED", style.off);
  }
  out += paths_text(r.report_path, "", "");
  return out + verdict_line(r.passed(), style);
}

std::string scaling_json(const ScalingRecord& r) {
  using Json = nlohmann::ordered_json;
  Json j = header_json(r, r.passed());
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
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string scaling_markdown(const ScalingRecord& r) {
  const auto line = [](const std::vector<std::string>& row) {
    std::string text = "|";
    for (const auto& cell : row) text += " " + cell + " |";
    return text + "\n";
  };
  std::string out =
      fmt::format("# {}\n\n{} on `{}`; {}\n", r.workload, r.description, r.chip, r.command);
  for (const bool weak : {false, true}) {
    out += fmt::format("\n{}:\n\n{}|", heading(r, weak), line(kTitles));
    for (std::size_t c = 0; c < kTitles.size(); ++c)
      out += c + 1 < kTitles.size() ? "---:|" : "---|\n";
    for (const ScalingPoint& p : r.points)
      if (p.weak == weak) out += line(row_of(r, p));
  }
  out += fmt::format("\n{}\n\n", kDefinitions);
  for (const Check& c : checks_of(r))
    out += fmt::format("- {}: {} **{}**\n", c.label, c.value, c.good ? "ok" : "FAILED");
  return out + "\n![speed](speed.svg)\n\n![a step](step.svg)\n";
}

std::string scaling_html(const ScalingRecord& r) {
  HtmlPage page(r.workload, r.description + " on " + r.chip);
  page.verdict(r.passed());
  std::vector<HtmlFigure> figures;
  for (const bool weak : {false, true}) {
    const auto last = std::find_if(r.points.rbegin(), r.points.rend(),
                                   [&](const ScalingPoint& p) { return p.weak == weak; });
    figures.push_back(
        {fmt::format("{:.2f} x", r.speedup(*last)), weak ? "weak scaling" : "strong scaling",
         fmt::format("{} cores, {} images a step", last->cores, grouped(last->batch))});
    figures.push_back(
        {time_text(last->times.us), weak ? "per step, weak" : "per step, strong", "simulated"});
  }
  page.figures(figures);
  page.section("Speed");
  page.picture(speed_svg(r), "Images per second over those of one core");
  for (const bool weak : {false, true}) {
    const std::string title = heading(r, weak);
    page.section(static_cast<char>(std::toupper(title[0])) + title.substr(1));
    std::vector<HtmlColumn> columns;
    for (const std::string& name : kTitles)
      columns.push_back({name, name == kTitles.back() ? HtmlColumn::kText : HtmlColumn::kNumber});
    std::vector<HtmlRow> rows;
    for (const ScalingPoint& p : r.points) {
      if (p.weak != weak) continue;
      HtmlRow row;
      for (const std::string& cell : row_of(r, p)) row.emplace_back(cell);
      row[5].bar = std::min(1.0, r.efficiency(p));
      rows.push_back(row);
    }
    page.table(columns, rows);
  }
  page.note(kDefinitions);
  page.section("A step", "Where its time goes.");
  page.picture(step_svg(r), "Engines, sums over cores and the rest");
  page.section("Checks");
  std::vector<HtmlRow> rows;
  for (const Check& c : checks_of(r))
    rows.push_back({c.label, {c.value, c.good ? HtmlCell::kGood : HtmlCell::kBad}});
  page.table({{"what"}, {"result"}}, rows);
  page.how_it_ran({r.command, r.workload_path, r.chip, r.version, std::to_string(r.seed)});
  return page.html();
}

}  // namespace tern::app
