// SPDX-License-Identifier: Apache-2.0
#include "sw/app/collectives/cc_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "sw/app/report/records.h"
#include "sw/app/report/text.h"
#include "sw/app/report/version.h"
#include "sw/base/text.h"
#include "sw/collectives/evaluate.h"

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
    case Operation::kAllToAllV:
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
  const bool known = point.result.time > 0 && point.result.lost == 0;
  return known ? static_cast<double>(point.bytes) * 1e-3 / us(point) : 0;
}
double of_bound(const CcPoint& point, const collectives::Bound& bound) {
  const bool known = point.result.time > 0 && point.result.lost == 0;
  return known ? bound.seconds() * 1e6 / us(point) : 0;
}

std::string rate_text(double gb_per_s) {
  return fmt::format(gb_per_s < 100 ? "{:.2f}" : "{:.1f}", gb_per_s);
}

std::string bound_text(double seconds) {
  return seconds > 0 ? fmt::format("{:.2f}", seconds * 1e6) : "-";
}

std::string sum_of(const CcRecord& r) {
  return r.problem.reduces() ? "sum" : "-";
}

std::uint64_t elements_of(const CcPoint& point, const CcOptions& options) {
  return point.bytes / collectives::bytes_of(collectives::element_named(options.element));
}

// Of the time, what the busiest link takes.
double of_link(const CcPoint& point) {
  const bool known = point.result.time > 0 && point.result.lost == 0;
  return known ? static_cast<double>(point.hottest) / static_cast<double>(point.result.time) : 0;
}

void add_rows(const CcRecord& r, const CcOptions& options, bool named, Table* table) {
  for (std::size_t i = 0; i < r.points.size(); ++i) {
    const CcPoint& point = r.points[i];
    const collectives::Bound& bound = r.bounds[i];
    const bool lost = point.result.lost > 0;
    Row row = {
        grouped(point.bytes),
        grouped(elements_of(point, options)),
        options.element,
        sum_of(r),
        Cell(point.algorithm, point.best ? Cell::kGood : Cell::kPlain),
        lost               ? "lost"
        : point.wrong_bits ? "wrong bits"
                           : fmt::format("{:.2f}", us(point)),
        lost ? "-" : rate_text(algbw(point)),
        lost ? "-" : rate_text(algbw(point) * bus_factor(r.problem)),
        point.hottest > 0 ? fmt::format("{:.2f}", static_cast<double>(point.hottest) * 1e-9) : "-",
        point.hottest > 0 && !lost ? fmt::format("{:.1f}", 100 * of_link(point)) : "-",
        bound_text(bound.alpha_beta()),
        bound_text(bound.cut),
        bound.seconds() > 0 && !lost ? fmt::format("{:.1f}", 100 * of_bound(point, bound)) : "-",
        bound.seconds() > 0 ? bound.what() : "-"};
    if (named) row.insert(row.begin(), r.system);
    table->rows.push_back(std::move(row));
  }
}

Table table_of(const std::vector<CcRecord>& records, const CcOptions& options) {
  std::vector<std::string> names = {
      "size (B)",        "count",        "type",         "op",        "algorithm",
      "time (us)",       "algbw (GB/s)", "busbw (GB/s)", "link (us)", "% link",
      "alpha-beta (us)", "cut (us)",     "% bound",      "by"};
  const bool named = records.size() > 1;
  if (named) names.insert(names.begin(), "system");
  Table table;
  table.columns = named ? columns_of(names, {0, 3, 4, 5, 14}) : columns_of(names, {2, 3, 4, 13});
  for (const CcRecord& record : records) add_rows(record, options, named, &table);
  return table;
}

// A line for each algorithm; of several systems with the fastest one only, a line for each system.
Picture picture_of(const std::vector<CcRecord>& records, const CcOptions& options) {
  LineChart chart;
  chart.title = fmt::format("{}: busbw over size", options.operation);
  chart.x_label = "size";
  chart.y_label = "GB/s";
  std::map<std::string, LineChart::Series> series;
  for (const CcRecord& r : records) {
    for (const CcPoint& point : r.points) {
      if (point.result.lost > 0) continue;
      std::string name = records.size() > 1 ? r.system : point.algorithm;
      if (records.size() > 1 && options.algorithm != "best") name += " " + point.algorithm;
      LineChart::Series& own = series[name];
      own.name = name;
      own.x.push_back(static_cast<double>(point.bytes));
      own.y.push_back(algbw(point) * bus_factor(r.problem));
    }
  }
  for (auto& [name, own] : series) chart.series.push_back(std::move(own));
  return {"busbw.svg", records.size() > 1 ? "busbw of each system" : "busbw of each algorithm",
          chart};
}

nlohmann::ordered_json json_of(const CcRecord& r, const CcPoint& point,
                               const collectives::Bound& bound, const CcOptions& options) {
  nlohmann::ordered_json json = {{"operation", options.operation},
                                 {"system", r.system},
                                 {"ranks", r.problem.ranks},
                                 {"level", options.level},
                                 {"bytes", point.bytes},
                                 {"count", elements_of(point, options)},
                                 {"element", options.element},
                                 {"sum", r.problem.reduces()},
                                 {"algorithm", point.algorithm},
                                 {"best", point.best},
                                 {"us", us(point)},
                                 {"algbw_gb_per_s", algbw(point)},
                                 {"busbw_gb_per_s", algbw(point) * bus_factor(r.problem)},
                                 {"link_us", static_cast<double>(point.hottest) * 1e-9},
                                 {"of_link", of_link(point)},
                                 {"bound_us", bound.seconds() * 1e6},
                                 {"bound", bound.what()},
                                 {"bounds_us",
                                  {{"latency", bound.latency * 1e6},
                                   {"links", bound.links * 1e6},
                                   {"alpha_beta", bound.alpha_beta() * 1e6},
                                   {"cut", bound.cut * 1e6}}},
                                 {"of_bound", of_bound(point, bound)},
                                 {"first_us", static_cast<double>(point.result.first) * 1e-9},
                                 {"puts", point.result.puts},
                                 {"put_bytes", point.result.bytes},
                                 {"lost", point.result.lost}};
  if (options.level == "cores") json["bits_equal"] = !point.wrong_bits;
  if (point.faults) json.update(point.faults->data);
  return json;
}

// Of the last point, a run of its own as all are.
void add_faults_of(const CcRecord& r, Report* report) {
  const CcPoint& point = r.points.back();
  if (!point.faults) return;
  report->add(Lines{{"faults", fmt::format("of the last run: {}, {} bytes, {}", r.system,
                                           grouped(point.bytes), point.algorithm)}});
  for (const Block& block : point.faults->blocks) report->add(block);
}

// "16 ranks, 8 streams a put".
std::string size_text(const CcRecord& r, bool cores) {
  const std::string ranks = fmt::format("{} ranks", r.problem.ranks);
  return cores ? ranks : fmt::format("{}, {} a put", ranks, base::counted(r.planes, "stream"));
}

}  // namespace

Report report_of(const std::vector<CcRecord>& records, const CcOptions& options) {
  const bool cores = options.level == "cores";
  std::vector<std::string> systems, sizes;
  for (const CcRecord& r : records) {
    systems.push_back(r.system);
    const std::string size = size_text(r, cores);
    sizes.push_back(records.size() == 1 ? size : fmt::format("{}: {}", r.system, size));
  }
  const std::string names = fmt::format("{}", fmt::join(systems, ", "));
  Report report;
  report.name = report.kind = "cc";
  report.title = fmt::format("{} on {}", options.operation, names);
  report.subtitle =
      fmt::format("{}, {}", fmt::join(sizes, "; "),
                  cores ? "on the collective cores" : fmt::format("level {}", options.level));
  report.how = {options.command, "", names, kVersion, std::to_string(options.seed)};
  report.data = {{"tern", kVersion},
                 {"operation", options.operation},
                 {"cores", options.cores},
                 {"element", options.element},
                 {"level", options.level}};
  Lines skipped;
  for (const CcRecord& r : records) {
    report.data["systems"].push_back({{"system", r.system},
                                      {"ranks", r.problem.ranks},
                                      {"torus", r.torus},
                                      {"units", r.units},
                                      {"chip", r.chip},
                                      {"axes", r.axes},
                                      {"planes", r.planes}});
    for (std::size_t i = 0; i < r.points.size(); ++i)
      report.data["points"].push_back(json_of(r, r.points[i], r.bounds[i], options));
    if (!r.skipped.empty()) report.data["systems"].back()["left_out"] = r.skipped;
    if (!r.notes.empty()) report.data["systems"].back()["notes"] = r.notes;
    for (const std::string& note : r.notes)
      skipped.push_back({"choice", records.size() > 1 ? r.system + ": " + note : note});
    for (const CcPoint& point : r.points) {
      if (!point.why_lost.empty())
        skipped.push_back(
            {"lost", fmt::format("{} bytes, {}: {} transfers; {}", grouped(point.bytes),
                                 point.algorithm, grouped(point.result.lost), point.why_lost)});
    }
    for (const std::string& reason : r.skipped)
      skipped.push_back({"left out", records.size() > 1 ? r.system + ": " + reason : reason});
  }
  report.add(table_of(records, options));
  if (!skipped.empty()) report.add(skipped);
  for (const CcRecord& r : records) add_faults_of(r, &report);
  report.add(Note{
      "GB: 10^9 bytes. algbw: size over time; busbw: as nccl-tests defines it. link: "
      "what the algorithm's busiest link carries, with packets. No algorithm is faster than "
      "alpha-beta (a way between the ranks that are furthest apart; or a way, and the bytes of "
      "a chip over its links) and cut (a way, and the bytes that must cross a cut of the "
      "system), both at raw rates. % link, % bound: shares of the time, the latter of the larger "
      "bound."});
  Section section("Over size", "", Section::kFiles);
  section.add(picture_of(records, options));
  report.add(section);
  report.add(app::records("cc.csv", report.data, {"points"}));
  return report;
}

}  // namespace tern::app
