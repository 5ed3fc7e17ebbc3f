// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/class_latency.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sw/app/report/histogram_chart.h"
#include "sw/app/report/text.h"

namespace tern::app {
namespace {

using Histogram = trace::LatencyHistogram;
using Json = nlohmann::ordered_json;

constexpr double kUsPerFs = 1e-9, kUsPerPs = 1e-6;

double us(std::uint64_t fs) {
  return static_cast<double>(fs) * kUsPerFs;
}

std::string name_of(const ClassLatency& c) {
  return fmt::format("class {}", c.traffic_class);
}

}  // namespace

ClassLatency class_latency(unsigned traffic_class, const Histogram& histogram) {
  ClassLatency c;
  c.traffic_class = traffic_class;
  c.histogram = histogram;
  c.median_us = us(histogram.percentile_fs(0.5));
  c.p99_us = us(histogram.percentile_fs(0.99));
  c.longest_us = us(histogram.max_fs());
  return c;
}

Table latency_table(const std::vector<ClassLatency>& classes) {
  const bool described = std::any_of(classes.begin(), classes.end(),
                                     [](const ClassLatency& c) { return !c.traffic.empty(); });
  std::vector<std::string> titles = {"latency", "transfers", "median", "99 %", "longest"};
  std::vector<std::size_t> texts = {0};
  if (described) {
    texts.push_back(titles.size());
    titles.emplace_back("traffic");
  }
  Table table{columns_of(titles, texts), {}};
  for (const ClassLatency& c : classes) {
    Row row = {name_of(c), grouped(c.histogram.count() + c.lost)};
    for (const double time : {c.median_us, c.p99_us, c.longest_us})
      row.emplace_back(c.histogram.count() == 0 ? "-" : time_text(time));
    if (described) row.emplace_back(c.traffic);
    table.rows.push_back(row);
  }
  return table;
}

Section latency_section(const std::vector<ClassLatency>& classes) {
  Section section("Latency by class", "From being sent to the last byte.", Section::kFiles);
  HistogramChart chart;
  chart.title = "share of the transfers of each class by latency: up to the time in us";
  chart.y_label = "%";
  chart.unit = "us";
  chart.shares = true;
  for (const ClassLatency& c : classes) chart.series.push_back({name_of(c), &c.histogram});
  section.add(Picture{"latency.svg", "Transfers by latency", std::vector{bars_of(chart)}});
  for (const ClassLatency& c : classes) {
    if (c.histogram.count() == 0) continue;
    section.add(Folded{name_of(c), {octaves_of(c.histogram, "us", "transfers")}});
  }
  return section;
}

Json json_of(const std::vector<ClassLatency>& classes) {
  Json list = Json::array();
  for (const ClassLatency& c : classes) {
    Json buckets = Json::array();
    for (unsigned i = 0; i < Histogram::kBuckets; ++i) {
      if (c.histogram.count_of(i) == 0) continue;
      buckets.push_back({{"from_us", static_cast<double>(Histogram::lower_ps(i)) * kUsPerPs},
                         {"to_us", static_cast<double>(Histogram::lower_ps(i + 1)) * kUsPerPs},
                         {"count", c.histogram.count_of(i)}});
    }
    list.push_back({{"class", c.traffic_class},
                    {"transfers", c.histogram.count() + c.lost},
                    {"lost", c.lost},
                    {"median_us", c.median_us},
                    {"p99_us", c.p99_us},
                    {"longest_us", c.longest_us},
                    {"buckets", buckets}});
  }
  return list;
}

}  // namespace tern::app
