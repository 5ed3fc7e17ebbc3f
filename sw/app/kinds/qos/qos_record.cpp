// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/qos/qos_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sw/app/report/chart_svg.h"
#include "sw/app/report/html_page.h"
#include "sw/app/report/style.h"

namespace tern::app {
namespace {

constexpr const char* kDefinitions =
    "exchange: from the last core's trigger until all pieces have arrived at a core; prefetch: "
    "from its trigger to its +16; host: one copy; GB/s: all cores together; layer: from one layer "
    "to the next in the steady state.";

const std::vector<std::string> kTitles = {"batch",  "policy", "class", "p50 us",   "p90 us",
                                          "p99 us", "max us", "GB/s",  "layer us", "tokens/ms"};

std::vector<std::vector<std::string>> rows_of(const QosRun& run) {
  std::vector<std::vector<std::string>> rows;
  for (unsigned c = 0; c < QosWorkload::kClasses; ++c) {
    const QosClassResult& r = run.classes[c];
    if (r.samples == 0) continue;
    const bool first = rows.empty();
    rows.push_back({first ? std::to_string(run.batch) : "", first ? run.policy : "",
                    qos_class_name(c), fmt::format("{:.2f}", r.p50_us),
                    fmt::format("{:.2f}", r.p90_us), fmt::format("{:.2f}", r.p99_us),
                    fmt::format("{:.2f}", r.max_us), fmt::format("{:.1f}", r.gb_per_s),
                    first ? fmt::format("{:.2f}", run.layer_us) : "",
                    first ? fmt::format("{:.1f}", run.tokens_per_ms) : ""});
  }
  return rows;
}

std::vector<unsigned> batches_of(const QosRecord& r) {
  std::vector<unsigned> batches;
  for (const QosRun& run : r.runs) {
    if (batches.empty() || batches.back() != run.batch) batches.push_back(run.batch);
  }
  return batches;
}

}  // namespace

QosClassResult qos_class_result(std::vector<double> times_us, double bytes, double seconds) {
  QosClassResult r;
  r.samples = times_us.size();
  if (times_us.empty()) return r;
  std::sort(times_us.begin(), times_us.end());
  // The smallest time that the share does not exceed.
  const auto at = [&](double share) {
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(r.samples)));
    return times_us[std::max<std::size_t>(rank, 1) - 1];
  };
  r.p50_us = at(0.5);
  r.p90_us = at(0.9);
  r.p99_us = at(0.99);
  r.max_us = times_us.back();
  r.gb_per_s = bytes / seconds * 1e-9;
  return r;
}

std::string qos_text(const QosRecord& r, bool colour) {
  const Style style(colour);
  const auto line = [](const std::vector<std::string>& row) {
    std::string out;
    for (std::size_t c = 0; c < row.size(); ++c)
      out += c < 3 ? fmt::format("  {:<9}", row[c]) : fmt::format("  {:>9}", row[c]);
    return out.substr(0, out.find_last_not_of(' ') + 1) + "\n";
  };
  std::string out = fmt::format("\n{}: {} on {}\n\n{}{}{}", r.workload, r.description, r.chip,
                                style.dim, line(kTitles), style.off);
  for (const QosRun& run : r.runs) {
    for (const auto& row : rows_of(run)) out += line(row);
  }
  out += fmt::format("\n{}{}{}\n", style.dim, kDefinitions, style.off);
  if (!r.report_path.empty()) out += fmt::format("  {:<10} {}\n", "report", r.report_path);
  if (!r.trace_path.empty())
    out += fmt::format("  {:<10} {} (open at ui.perfetto.dev)\n", "trace", r.trace_path);
  return out;
}

std::string qos_json(const QosRecord& r) {
  using Json = nlohmann::ordered_json;
  Json j = header_json(r, std::nullopt);
  j["runs"] = Json::array();
  for (const QosRun& run : r.runs) {
    Json x = {{"batch", run.batch},
              {"policy", run.policy},
              {"layer_us", run.layer_us},
              {"tokens_per_ms", run.tokens_per_ms}};
    for (unsigned c = 0; c < QosWorkload::kClasses; ++c) {
      const QosClassResult& k = run.classes[c];
      if (k.samples == 0) continue;
      x["classes"][qos_class_name(c)] = {{"samples", k.samples}, {"p50_us", k.p50_us},
                                         {"p90_us", k.p90_us},   {"p99_us", k.p99_us},
                                         {"max_us", k.max_us},   {"gb_per_s", k.gb_per_s}};
    }
    j["runs"].push_back(x);
  }
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string qos_markdown(const QosRecord& r) {
  const auto line = [](const std::vector<std::string>& row) {
    std::string text = "|";
    for (const auto& cell : row) text += " " + cell + " |";
    return text + "\n";
  };
  std::string out =
      fmt::format("# {}\n\n{} on `{}`; {}\n\n", r.workload, r.description, r.chip, r.command);
  out += line(kTitles) + "|";
  for (std::size_t c = 0; c < kTitles.size(); ++c) out += c < 3 ? "---|" : "---:|";
  out += "\n";
  for (const QosRun& run : r.runs) {
    for (const auto& row : rows_of(run)) out += line(row);
  }
  return out + fmt::format("\n{}\n\n![times and rates](qos.svg)\n", kDefinitions);
}

std::string qos_svg(const QosRecord& r) {
  std::vector<BarChart> charts;
  BarChart speed{"tokens through a layer", "tokens per ms, over the first policy's", {}, {}};
  for (const unsigned batch : batches_of(r)) {
    BarChart chart{fmt::format("batch {}: exchange between the cores", batch),
                   "us from the last trigger to arrival",
                   {"p50", "p90", "p99", "max"},
                   {}};
    speed.groups.push_back(fmt::format("batch {}", batch));
    const double base = std::find_if(r.runs.begin(), r.runs.end(), [&](const QosRun& run) {
                          return run.batch == batch;
                        })->tokens_per_ms;
    std::size_t series = 0;
    for (const QosRun& run : r.runs) {
      if (run.batch != batch) continue;
      const QosClassResult& k = run.classes[QosWorkload::kExchange];
      chart.series.push_back({run.policy, {k.p50_us, k.p90_us, k.p99_us, k.max_us}});
      if (speed.series.size() <= series) speed.series.push_back({run.policy, {}});
      speed.series[series++].y.push_back(run.tokens_per_ms / base);
    }
    charts.push_back(chart);
  }
  charts.push_back(speed);
  return bar_charts_svg(charts);
}

std::string qos_page(const QosRecord& r) {
  HtmlPage page(r.workload, fmt::format("{} on {}", r.description, r.chip));
  page.section("Times and rates");
  std::vector<HtmlColumn> columns;
  for (std::size_t c = 0; c < kTitles.size(); ++c)
    columns.push_back({kTitles[c], c < 3 ? HtmlColumn::kText : HtmlColumn::kNumber});
  std::vector<HtmlRow> rows;
  for (const QosRun& run : r.runs) {
    for (const auto& row : rows_of(run)) rows.emplace_back(row.begin(), row.end());
  }
  page.table(columns, rows);
  page.note(kDefinitions);
  page.section("Pictures");
  page.picture(qos_svg(r));
  page.how_it_ran({r.command, r.workload_path, r.chip, r.version, ""});
  return page.html();
}

}  // namespace tern::app
