// SPDX-License-Identifier: Apache-2.0
#include "sw/app/measure/hbm/hbm_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sw/app/report/text.h"

namespace tern::app {

namespace {

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
  using Histogram = trace::LatencyHistogram;
  std::vector<std::uint64_t> octaves;
  for (unsigned i = 0; i < Histogram::kBuckets; i += Histogram::kSteps) {
    octaves.push_back(0);
    for (unsigned j = 0; j < Histogram::kSteps; ++j) octaves.back() += h.count_of(i + j);
  }
  const std::uint64_t most = *std::max_element(octaves.begin(), octaves.end());
  std::size_t first = 0, last = octaves.size();
  while (octaves[first] == 0) ++first;
  while (octaves[last - 1] == 0) --last;
  Table table{{{"from ns", Column::kNumber},
               {"to ns", Column::kNumber},
               {"requests", Column::kNumber},
               {"", Column::kBar}},
              {}};
  for (std::size_t i = first; i < last; ++i) {
    const auto bucket = static_cast<unsigned>(i * Histogram::kSteps);
    const auto lower = [](unsigned at) {
      return fmt::format("{:.2f}", static_cast<double>(Histogram::lower_ps(at)) * 1e-3);
    };
    const double bar = static_cast<double>(octaves[i]) / static_cast<double>(most);
    table.rows.push_back({lower(bucket),
                          lower(bucket + Histogram::kSteps),
                          grouped(octaves[i]),
                          {"", Cell::kPlain, bar}});
  }
  Section section(title);
  section.add(table);
  return section;
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

nlohmann::ordered_json latency_json(const trace::LatencyHistogram& h) {
  nlohmann::ordered_json json = {{"count", h.count()}, {"mean_ns", h.mean_fs() * 1e-6}};
  for (unsigned i = 0; i < std::size(kShares); ++i)
    json[std::string(kShareNames[i]) + "_ns"] = ns(h.percentile_fs(kShares[i]));
  json["max_ns"] = ns(h.max_fs());
  json["buckets"] = nlohmann::ordered_json::array();
  for (unsigned i = 0; i < trace::LatencyHistogram::kBuckets; ++i) {
    if (h.count_of(i) != 0)
      json["buckets"].push_back(
          {{"from_ns", static_cast<double>(trace::LatencyHistogram::lower_ps(i)) * 1e-3},
           {"count", h.count_of(i)}});
  }
  return json;
}

nlohmann::ordered_json counters_json(const HbmReplay& replay, const hbm::ChannelCounters& c) {
  return {{"gb_per_s", rate(replay, c)},      {"row_hit_share", hit_share(c)},
          {"read_bytes", c.read_bytes},       {"write_bytes", c.write_bytes},
          {"row_hits", c.row_hits},           {"row_misses", c.row_misses},
          {"row_conflicts", c.row_conflicts}, {"refreshes", c.refreshes},
          {"turnarounds", c.turnarounds}};
}

nlohmann::ordered_json json_of(const HbmReplay& r) {
  nlohmann::ordered_json json = {{"chip", r.chip},
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
  json["stacks"] = nlohmann::ordered_json::array();
  for (const HbmReplayStack& stack : r.stacks) {
    nlohmann::ordered_json item = counters_json(r, stack.sum);
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
  report.name = "hbm";
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
  report.data = json_of(r);
  return report;
}

}  // namespace tern::app
