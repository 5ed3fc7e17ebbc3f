// SPDX-License-Identifier: Apache-2.0
#include "sw/app/traffic/traffic_record.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sw/app/link_faults/fault_tables.h"
#include "sw/app/report/class_latency.h"
#include "sw/app/report/records.h"
#include "sw/app/report/text.h"
#include "sw/app/report/version.h"
#include "sw/app/traffic/mix_option.h"

namespace tern::app {

namespace {

using fabric::Latencies;
using fabric::Time;
using Json = nlohmann::ordered_json;

double us(Time fs) {
  return static_cast<double>(fs) * 1e-9;
}

double share_of(Time part, Time whole) {
  return whole == 0 ? 0 : us(part) / us(whole);
}

// In words: all patterns, or those of one class.
std::string words_of(const TrafficRecord& r, std::optional<unsigned> traffic_class = {}) {
  std::vector<std::string> words;
  for (const fabric::Traffic& pattern : r.patterns) {
    if (!traffic_class || pattern.traffic_class == *traffic_class)
      words.push_back(describe(pattern));
  }
  return fmt::format("{}", fmt::join(words, "; "));
}

std::vector<ClassLatency> classes_of(const TrafficRecord& r) {
  std::vector<ClassLatency> classes;
  for (unsigned c = 0; c < r.result.of_class.size(); ++c) {
    const Latencies& times = r.result.of_class[c];
    if (times.sorted.empty() && times.lost == 0) continue;
    ClassLatency latency;
    latency.traffic_class = c;
    latency.traffic = words_of(r, c);
    latency.lost = times.lost;
    latency.median_us = us(times.share(0.5));
    latency.p99_us = us(times.share(0.99));
    latency.longest_us = us(times.share(1));
    for (const Time time : times.sorted) latency.histogram.add(time);
    classes.push_back(latency);
  }
  return classes;
}

double gb_per_s_of_chip(const TrafficRecord& r, const system::Fabric& fabric) {
  return r.result.time == 0 ? 0
                            : static_cast<double>(r.result.bytes) * 1e6 /
                                  static_cast<double>(r.result.time) / fabric.chips();
}

Lines lines_of(const TrafficRecord& r, const system::Fabric& fabric) {
  const fabric::TrafficResult& result = r.result;
  Lines lines{{"time", time_text(us(result.time))}};
  if (r.bound)
    lines.push_back(
        {"bound", fmt::format("{} by the hottest link: {} of the time", time_text(us(*r.bound)),
                              percent_text(share_of(*r.bound, result.time)))});
  lines.push_back(
      {"rate", fmt::format("{:.2f} GB/s a chip of payload", gb_per_s_of_chip(r, fabric))});
  lines.push_back(
      {"latency",
       fmt::format("median {}, 99 % {}, longest {}", time_text(us(result.all.share(0.5))),
                   time_text(us(result.all.share(0.99))), time_text(us(result.all.share(1))))});
  if (result.lost > 0)
    lines.push_back(
        {"lost", fmt::format("{} transfers: no way is left", grouped(result.lost)), false});
  return lines;
}

Figures figures_of(const TrafficRecord& r, const system::Fabric& fabric,
                   const std::vector<ClassLatency>& classes) {
  Figures figures{{time_text(us(r.result.time)), "time", "to the last arrival"}};
  if (r.bound)
    figures.push_back({percent_text(share_of(*r.bound, r.result.time)), "of it is the bound",
                       "the hottest link alone"});
  figures.push_back({fmt::format("{:.2f} GB/s", gb_per_s_of_chip(r, fabric)), "a chip", "payload"});
  for (const ClassLatency& c : classes)
    figures.push_back(
        {time_text(c.p99_us), fmt::format("99 % of class {}", c.traffic_class), "latency"});
  return figures;
}

void add_patterns(const TrafficRecord& r, Json* data) {
  for (const fabric::Traffic& p : r.patterns) {
    (*data)["patterns"].push_back({{"pattern", p.pattern},
                                   {"class", p.traffic_class},
                                   {"bytes", p.bytes},
                                   {"streams", p.streams},
                                   {"rounds", p.rounds},
                                   {"at_us", us(p.at)},
                                   {"every_us", us(p.every)}});
  }
}

Json data_of(const TrafficRecord& r, const system::Fabric& fabric, std::uint64_t seed) {
  const fabric::TrafficResult& result = r.result;
  Json data = {{"tern", kVersion},
               {"system", fabric.config().name},
               {"pattern", r.patterns.front().pattern},
               {"level", r.level},
               {"bytes", r.patterns.front().bytes},
               {"seed", seed}};
  add_patterns(r, &data);
  data["transfers"] = result.transfers;
  data["lost"] = result.lost;
  data["us"] = us(result.time);
  if (r.bound) data["bound_us"] = us(*r.bound);
  data["gb_per_s_chip"] = gb_per_s_of_chip(r, fabric);
  data["median_us"] = us(result.all.share(0.5));
  data["p99_us"] = us(result.all.share(0.99));
  data["longest_us"] = us(result.all.share(1));
  return data;
}

void add_flow(const TrafficRecord& r, Report* report) {
  report->add(Lines{{"flow level", fmt::format("{}: {:.3f} of the packet level's time",
                                               time_text(us(r.flow->time)),
                                               share_of(r.flow->time, r.result.time))}});
  report->data["flow_us"] = us(r.flow->time);
}

}  // namespace

std::string note_of(const TrafficRecord& r) {
  return fmt::format("{}, level {}", words_of(r), r.level);
}

Report report_of(const TrafficRecord& r, const system::Fabric& fabric,
                 const fabric::faults::FaultState* faults, const TrafficOptions& options) {
  const bool mixed = r.patterns.size() > 1;
  const std::vector<ClassLatency> classes = classes_of(r);
  Report report;
  report.name = report.kind = "traffic";
  report.title = fmt::format("{}{} on {}", r.patterns.front().pattern,
                             mixed ? fmt::format(" and {} more", r.patterns.size() - 1) : "",
                             fabric.config().name);
  report.subtitle =
      fmt::format("{} chips, {} transfers{}, level {}", fabric.chips(), grouped(r.result.transfers),
                  mixed ? "" : fmt::format(" of {}", options.bytes), r.level);
  report.how = {options.command, "", fabric.config().name, kVersion, std::to_string(options.seed)};
  report.data = data_of(r, fabric, options.seed);
  report.add(figures_of(r, fabric, classes));
  report.add(lines_of(r, fabric));
  if (classes.size() > 1) report.add(latency_table(classes));
  report.data["classes"] = json_of(classes);
  if (faults != nullptr) add_faults(*faults, &report);
  add_link_tables(fabric, r.use, &report);
  if (r.flow) add_flow(r, &report);
  if (!options.heat.empty()) report.last_lines.push_back({"heat map", options.heat});
  return report;
}

void add_sections(const TrafficRecord& r, const system::Fabric& fabric, Report* report) {
  const std::vector<ClassLatency> classes = classes_of(r);
  if (!r.use.used.empty()) report->add(link_section(fabric, r.use, note_of(r)));
  Section latency = latency_section(classes);
  if (classes.size() == 1) latency.blocks.insert(latency.blocks.begin(), latency_table(classes));
  report->add(latency);
  report->add(records("classes.csv", report->data, {"classes", "buckets"}));
}

}  // namespace tern::app
