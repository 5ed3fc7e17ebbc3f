// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/qos/qos_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sw/app/report/records.h"

namespace tern::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kDefinitions =
    "exchange: from the last core's trigger until all pieces have arrived at a core; prefetch: "
    "from its trigger to its +16; host: one copy; GB/s: all cores together; layer: from one layer "
    "to the next in the steady state.";

Table table_of(const QosRecord& r) {
  Table table{columns_of({"batch", "policy", "class", "p50 us", "p90 us", "p99 us", "max us",
                          "GB/s", "layer us", "tokens/ms"},
                         {0, 1, 2}),
              {}};
  for (const QosRun& run : r.runs) {
    bool first = true;
    for (unsigned c = 0; c < QosWorkload::kClasses; ++c) {
      const QosClassResult& k = run.classes[c];
      if (k.samples == 0) continue;
      table.rows.push_back({first ? std::to_string(run.batch) : "", first ? run.policy : "",
                            qos_class_name(c), fmt::format("{:.2f}", k.p50_us),
                            fmt::format("{:.2f}", k.p90_us), fmt::format("{:.2f}", k.p99_us),
                            fmt::format("{:.2f}", k.max_us), fmt::format("{:.1f}", k.gb_per_s),
                            first ? fmt::format("{:.2f}", run.layer_us) : "",
                            first ? fmt::format("{:.1f}", run.tokens_per_ms) : ""});
      first = false;
    }
  }
  return table;
}

std::vector<unsigned> batches_of(const QosRecord& r) {
  std::vector<unsigned> batches;
  for (const QosRun& run : r.runs) {
    if (batches.empty() || batches.back() != run.batch) batches.push_back(run.batch);
  }
  return batches;
}

Picture picture_of(const QosRecord& r) {
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
  return {"qos.svg", "Times and rates", charts};
}

Json json_of(const QosRun& run) {
  Json x = {{"batch", run.batch},
            {"policy", run.policy},
            {"layer_us", run.layer_us},
            {"tokens_per_ms", run.tokens_per_ms}};
  if (run.model_agrees) x["model_agrees"] = *run.model_agrees;
  for (unsigned c = 0; c < QosWorkload::kClasses; ++c) {
    const QosClassResult& k = run.classes[c];
    if (k.samples == 0) continue;
    x["classes"][qos_class_name(c)] = {{"samples", k.samples}, {"p50_us", k.p50_us},
                                       {"p90_us", k.p90_us},   {"p99_us", k.p99_us},
                                       {"max_us", k.max_us},   {"gb_per_s", k.gb_per_s}};
  }
  return x;
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

bool QosClassResult::operator==(const QosClassResult& other) const {
  return samples == other.samples && p50_us == other.p50_us && p90_us == other.p90_us &&
         p99_us == other.p99_us && max_us == other.max_us && gb_per_s == other.gb_per_s;
}

bool QosRun::same_figures(const QosRun& other) const {
  return layer_us == other.layer_us && classes == other.classes;
}

std::optional<bool> QosRecord::passed() const {
  if (backend.empty()) return std::nullopt;
  return std::all_of(runs.begin(), runs.end(),
                     [](const QosRun& run) { return run.model_agrees.value_or(false); });
}

Report report_of(const QosRecord& r) {
  Report report = make_report(r, r.passed(), r.backend.empty() ? "" : ", " + r.backend);
  report.how.seed.clear();
  Section section("Times and rates");
  section.add(table_of(r));
  section.add(Note{kDefinitions});
  section.add(picture_of(r));
  report.add(section);
  if (r.passed()) {
    Lines lines;
    for (const QosRun& run : r.runs) {
      lines.push_back({"time-exact",
                       fmt::format("batch {}, {}: {} the model's", run.batch, run.policy,
                                   *run.model_agrees ? "all times are" : "times are NOT"),
                       *run.model_agrees});
    }
    report.add(lines);
  }
  report.data["runs"] = Json::array();
  for (const QosRun& run : r.runs) report.data["runs"].push_back(json_of(run));
  report.add(records("qos.csv", report.data, {"runs", "classes"}));
  return report;
}

}  // namespace tern::app
