// SPDX-License-Identifier: Apache-2.0
#include "sw/app/collectives/cc_record.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "sw/app/report/records.h"
#include "sw/app/report/text.h"
#include "sw/app/report/version.h"

namespace tern::app {

namespace {

using collectives::Operation;

// As nccl-tests and nccom-test define it: busbw = algbw times this.
double bus_factor(const collectives::Problem& problem) {
  const double p = problem.ranks;
  switch (problem.operation) {
    case Operation::kAllReduce:
      return 2 * (p - 1) / p;
    case Operation::kAllGather:
    case Operation::kReduceScatter:
    case Operation::kAllToAll:
      return (p - 1) / p;
    case Operation::kBroadcast:
    case Operation::kPermute:
    case Operation::kBarrier:
      break;
  }
  return 1;
}

double us(const CcPoint& point) {
  return static_cast<double>(point.result.time) * 1e-9;
}
double algbw(const CcPoint& point) {
  return point.result.time == 0 ? 0 : static_cast<double>(point.bytes) * 1e-3 / us(point);
}
double of_bound(const CcPoint& point, const collectives::Bound& bound) {
  return point.result.time == 0 ? 0 : bound.seconds * 1e6 / us(point);
}

std::string rate_text(double gb_per_s) {
  return fmt::format(gb_per_s < 100 ? "{:.2f}" : "{:.1f}", gb_per_s);
}

Table table_of(const CcRecord& r, unsigned element_bytes, const std::string& element) {
  Table table;
  table.columns =
      columns_of({"size (B)", "count", "type", "op", "algorithm", "time (us)", "algbw (GB/s)",
                  "busbw (GB/s)", "link (us)", "%", "bound (us)", "%", "by"},
                 {2, 3, 4, 12});
  const bool sums = r.problem.reduces();
  for (std::size_t i = 0; i < r.points.size(); ++i) {
    const CcPoint& point = r.points[i];
    const collectives::Bound& bound = r.bounds[i];
    const bool lost = point.result.lost > 0;
    table.rows.push_back(
        {grouped(point.bytes), grouped(point.bytes / element_bytes), element, sums ? "sum" : "-",
         Cell(point.algorithm, point.best ? Cell::kGood : Cell::kPlain),
         lost ? "lost" : fmt::format("{:.2f}", us(point)), lost ? "-" : rate_text(algbw(point)),
         lost ? "-" : rate_text(algbw(point) * bus_factor(r.problem)),
         point.hottest > 0 ? fmt::format("{:.2f}", static_cast<double>(point.hottest) * 1e-9) : "-",
         point.hottest > 0 && !lost
             ? fmt::format("{:.1f}", 100 * static_cast<double>(point.hottest) /
                                         static_cast<double>(point.result.time))
             : "-",
         bound.seconds > 0 ? fmt::format("{:.2f}", bound.seconds * 1e6) : "-",
         bound.seconds > 0 && !lost ? fmt::format("{:.1f}", 100 * of_bound(point, bound)) : "-",
         bound.what.empty() ? "-" : bound.what});
  }
  return table;
}

Picture picture_of(const CcRecord& r) {
  LineChart chart;
  chart.title = fmt::format("{}: busbw over size", name_of(r.problem.operation));
  chart.x_label = "size";
  chart.y_label = "GB/s";
  std::map<std::string, LineChart::Series> series;
  for (const CcPoint& point : r.points) {
    if (point.result.lost > 0) continue;
    LineChart::Series& own = series[point.algorithm];
    own.name = point.algorithm;
    own.x.push_back(static_cast<double>(point.bytes));
    own.y.push_back(algbw(point) * bus_factor(r.problem));
  }
  for (auto& [name, own] : series) chart.series.push_back(std::move(own));
  return {"busbw.svg", "busbw of each algorithm", chart};
}

}  // namespace

Report report_of(const CcRecord& r, const system::Fabric& fabric, const CcOptions& options) {
  Report report;
  report.name = report.kind = "cc";
  report.title = fmt::format("{} on {}", name_of(r.problem.operation), fabric.config().name);
  report.subtitle =
      fmt::format("{} ranks, {} streams a put, level {}", r.problem.ranks, r.planes, options.level);
  report.how = {options.command, "", fabric.config().name, kVersion, std::to_string(options.seed)};
  report.data = {{"tern", kVersion},
                 {"system", fabric.config().name},
                 {"operation", name_of(r.problem.operation)},
                 {"ranks", r.problem.ranks},
                 {"element", options.element},
                 {"level", options.level},
                 {"planes", r.planes}};
  for (std::size_t i = 0; i < r.points.size(); ++i) {
    const CcPoint& point = r.points[i];
    report.data["points"].push_back({{"bytes", point.bytes},
                                     {"algorithm", point.algorithm},
                                     {"best", point.best},
                                     {"us", us(point)},
                                     {"algbw_gb_per_s", algbw(point)},
                                     {"busbw_gb_per_s", algbw(point) * bus_factor(r.problem)},
                                     {"link_us", static_cast<double>(point.hottest) * 1e-9},
                                     {"bound_us", r.bounds[i].seconds * 1e6},
                                     {"bound", r.bounds[i].what},
                                     {"of_bound", of_bound(point, r.bounds[i])},
                                     {"first_us", static_cast<double>(point.result.first) * 1e-9},
                                     {"puts", point.result.puts},
                                     {"put_bytes", point.result.bytes},
                                     {"lost", point.result.lost}});
  }
  report.add(table_of(r, options.element == "fp32" ? 4 : 2, options.element));
  Lines skipped;
  for (const std::string& reason : r.skipped) skipped.push_back({"left out", reason});
  if (!skipped.empty()) {
    report.add(skipped);
    report.data["left_out"] = r.skipped;
  }
  report.add(
      Note{"GB: 10^9 bytes. algbw: size over time; busbw: as nccl-tests defines it. link: "
           "what the algorithm's busiest link carries, with packets. bound: what must cross "
           "links at their raw rate, whatever the algorithm. %: of the time."});
  Section section("Over size", "", Section::kFiles);
  section.add(picture_of(r));
  report.add(section);
  report.add(records("cc.csv", report.data, {"points"}));
  return report;
}

}  // namespace tern::app
