// SPDX-License-Identifier: Apache-2.0
#include "sw/app/measure/hbm/hbm_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sw/app/report/histogram_chart.h"
#include "sw/app/report/records.h"
#include "sw/app/report/text.h"
#include "sw/app/report/version.h"

namespace tern::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kShares[] = {0.5, 0.9, 0.99, 0.999};
constexpr const char* kShareNames[] = {"p50", "p90", "p99", "p99.9"};

double ns(std::uint64_t fs) {
  return static_cast<double>(fs) * 1e-6;
}

double rate(const HbmReplay& replay, const hbm::ChannelCounters& c) {
  return replay.seconds() == 0
             ? 0
             : static_cast<double>(c.read_bytes + c.write_bytes) * 1e-9 / replay.seconds();
}
double hit_share(const hbm::ChannelCounters& c) {
  const std::uint64_t all = c.row_hits + c.row_misses + c.row_conflicts;
  return all == 0 ? 0 : static_cast<double>(c.row_hits) / static_cast<double>(all);
}

void add_latency(const std::string& name, const trace::LatencyHistogram& h, Table* table) {
  if (h.count() == 0) return;
  Row row = {name, grouped(h.count()), fmt::format("{:.1f}", h.mean_fs() * 1e-6)};
  for (const double share : kShares)
    row.emplace_back(fmt::format("{:.1f}", ns(h.percentile_fs(share))));
  row.emplace_back(fmt::format("{:.1f}", ns(h.max_fs())));
  table->rows.push_back(row);
}

Section latency_section(const HbmReplay& r) {
  Table table{columns_of({"", "requests", "mean", "p50", "p90", "p99", "p99.9", "max"}, {0}), {}};
  add_latency("reads", r.latency[0], &table);
  add_latency("writes", r.latency[1], &table);
  for (unsigned c = 0; c < kTrafficClasses; ++c) {
    if (r.class_latency[c].count() != r.requests)
      add_latency(fmt::format("class {}", c), r.class_latency[c], &table);
  }
  Section section("Latency, ns");
  section.add(table);
  return section;
}

// A row per octave, so that a page holds it.
Section histogram_section(const char* title, const trace::LatencyHistogram& h) {
  Section section(title);
  section.add(octaves_of(h, "ns", "requests"));
  return section;
}

Picture latency_picture(const HbmReplay& r) {
  HistogramChart chart;
  chart.title = "requests by latency: up to so many ns";
  chart.y_label = "requests";
  chart.series = {{"reads", &r.latency[0]}, {"writes", &r.latency[1]}};
  return {"latency.svg", "Requests by latency", std::vector<BarChart>{bars_of(chart)}};
}

struct Interval {
  double from_us = 0, read_gb_per_s = 0, write_gb_per_s = 0;
};
// The last one lasts until the last completion.
std::vector<Interval> intervals_of(const HbmReplay& r) {
  std::vector<Interval> intervals;
  const auto& bytes = r.rates.bytes();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::uint64_t from = i * r.rates.interval_fs();
    const std::uint64_t length =
        std::min(r.rates.interval_fs(), std::max<std::uint64_t>(r.last_fs - r.first_fs - from, 1));
    const double per_second = 1e6 / static_cast<double>(length);  // bytes per fs as GB/s
    intervals.push_back({static_cast<double>(from) * 1e-9,
                         static_cast<double>(bytes[i][0]) * per_second,
                         static_cast<double>(bytes[i][1]) * per_second});
  }
  if (intervals.size() > 1 &&
      (r.last_fs - r.first_fs) % r.rates.interval_fs() < r.rates.interval_fs() / 2)
    intervals.pop_back();  // too short for a rate
  return intervals;
}

Picture bandwidth_picture(const HbmReplay& r) {
  LineChart chart;
  chart.title = "bandwidth over time";
  chart.x_label = "us since the first request";
  chart.y_label = "GB/s";
  chart.logarithmic = false;
  LineChart::Series reads{"reads", {}, {}}, writes{"writes", {}, {}};
  for (const Interval& interval : intervals_of(r)) {
    reads.x.push_back(interval.from_us);
    writes.x.push_back(interval.from_us);
    reads.y.push_back(interval.read_gb_per_s);
    writes.y.push_back(interval.write_gb_per_s);
  }
  if (r.latency[0].count() > 0) chart.series.push_back(reads);
  if (r.latency[1].count() > 0) chart.series.push_back(writes);
  chart.levels.push_back({fmt::format("pins {:.0f}", r.peak_gb_per_s()), r.peak_gb_per_s()});
  return {"bandwidth.svg",
          "Data of the requests that complete; a write does when its stack has taken it", chart};
}

Row channel_row(const HbmReplay& replay, const std::string& name, const hbm::ChannelCounters& c,
                double peak) {
  return {name,
          fmt::format("{:.2f}", rate(replay, c)),
          fmt::format("{:.1f}", 100 * rate(replay, c) / peak),
          fmt::format("{:.1f}", 100 * hit_share(c)),
          grouped(c.row_hits),
          grouped(c.row_misses),
          grouped(c.row_conflicts),
          grouped(c.refreshes),
          grouped(c.turnarounds)};
}

Section stacks_section(const HbmReplay& r, bool channels) {
  Table table{columns_of({"", "GB/s", "% peak", "% hits", "row hits", "closed", "conflicts",
                          "refreshes", "turns"},
                         {0}),
              {}};
  for (const HbmReplayStack& stack : r.stacks) {
    table.rows.push_back(channel_row(r, fmt::format("stack {}", stack.number), stack.sum,
                                     r.config.stack_gb_per_s()));
    for (std::size_t c = 0; channels && c < stack.channels.size(); ++c) {
      const std::size_t pseudo = r.config.pseudo_channels;
      table.rows.push_back(channel_row(r, fmt::format("  {}.{}", c / pseudo, c % pseudo),
                                       stack.channels[c], r.config.pseudo_channel_gb_per_s()));
    }
  }
  Section section("Stacks");
  section.add(table);
  return section;
}

Json latency_json(const trace::LatencyHistogram& h) {
  Json json = {{"count", h.count()}, {"mean_ns", h.mean_fs() * 1e-6}};
  for (unsigned i = 0; i < std::size(kShares); ++i)
    json[std::string(kShareNames[i]) + "_ns"] = ns(h.percentile_fs(kShares[i]));
  json["max_ns"] = ns(h.max_fs());
  json["buckets"] = Json::array();
  for (unsigned i = 0; i < trace::LatencyHistogram::kBuckets; ++i) {
    if (h.count_of(i) != 0)
      json["buckets"].push_back(
          {{"from_ns", static_cast<double>(trace::LatencyHistogram::lower_ps(i)) * 1e-3},
           {"count", h.count_of(i)}});
  }
  return json;
}

Json counters_json(const HbmReplay& replay, const hbm::ChannelCounters& c) {
  return {{"gb_per_s", rate(replay, c)},      {"row_hit_share", hit_share(c)},
          {"read_bytes", c.read_bytes},       {"write_bytes", c.write_bytes},
          {"row_hits", c.row_hits},           {"row_misses", c.row_misses},
          {"row_conflicts", c.row_conflicts}, {"refreshes", c.refreshes},
          {"turnarounds", c.turnarounds}};
}

Json json_of(const HbmReplay& r) {
  Json json = {{"tern", kVersion},
               {"chip", r.chip},
               {"requests", r.requests},
               {"bytes", r.bytes},
               {"seconds", r.seconds()},
               {"gb_per_s", r.gb_per_s()},
               {"peak_gb_per_s", r.peak_gb_per_s()},
               {"host_seconds", r.host_seconds},
               {"read_latency", latency_json(r.latency[0])},
               {"write_latency", latency_json(r.latency[1])}};
  for (unsigned c = 0; c < kTrafficClasses; ++c)
    json["class_latency"].push_back(latency_json(r.class_latency[c]));
  json["bandwidth"] = Json::array();
  for (const Interval& interval : intervals_of(r)) {
    json["bandwidth"].push_back({{"from_us", interval.from_us},
                                 {"read_gb_per_s", interval.read_gb_per_s},
                                 {"write_gb_per_s", interval.write_gb_per_s}});
  }
  json["stacks"] = Json::array();
  for (const HbmReplayStack& stack : r.stacks) {
    Json item = counters_json(r, stack.sum);
    item["stack"] = stack.number;
    for (const auto& channel : stack.channels)
      item["pseudo_channels"].push_back(counters_json(r, channel));
    json["stacks"].push_back(item);
  }
  return json;
}

}  // namespace

Report report_of(const HbmReplay& r, bool channels) {
  Report report;
  report.name = report.kind = "hbm";
  report.title = r.chip;
  report.subtitle = fmt::format("{} requests, {} bytes in {:.3f} us", grouped(r.requests),
                                grouped(r.bytes), r.seconds() * 1e6);
  report.add(Lines{
      {"bandwidth",
       fmt::format("{:.1f} GB/s of {:.1f} GB/s ({:.2f} %), the pins of {} stack{}", r.gb_per_s(),
                   r.peak_gb_per_s(), r.stacks.empty() ? 0 : 100 * r.gb_per_s() / r.peak_gb_per_s(),
                   r.stacks.size(), r.stacks.size() == 1 ? "" : "s")}});
  report.add(stacks_section(r, channels));
  report.add(latency_section(r));
  const char* titles[] = {"Reads by latency", "Writes by latency"};
  for (unsigned i = 0; i < 2; ++i) {
    if (r.latency[i].count() > 0) report.add(histogram_section(titles[i], r.latency[i]));
  }
  Section pictures("Pictures", "", Section::kFiles);
  pictures.add(bandwidth_picture(r));
  pictures.add(latency_picture(r));
  report.add(pictures);
  report.data = json_of(r);
  report.add(records("hbm.csv", report.data, {"stacks"}));
  report.add(records("bandwidth.csv", report.data, {"bandwidth"}));
  Json latency;
  for (const char* direction : {"read", "write"})
    latency["directions"][direction] = report.data[std::string(direction) + "_latency"];
  report.add(records("latency.csv", latency, {"directions", "buckets"}));
  return report;
}

}  // namespace tern::app
