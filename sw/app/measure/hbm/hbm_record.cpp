// SPDX-License-Identifier: Apache-2.0
// The result of tern hbm as text and as JSON.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sw/app/measure/hbm/hbm_replay.h"
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

std::string latency_line(const std::string& name, const trace::LatencyHistogram& h) {
  if (h.count() == 0) return "";
  std::string text =
      fmt::format("  {:<8} {:>12} {:>9.1f}", name, grouped(h.count()), h.mean_fs() * 1e-6);
  for (double share : kShares) text += fmt::format(" {:>9.1f}", ns(h.percentile_fs(share)));
  return text + fmt::format(" {:>9.1f}\n", ns(h.max_fs()));
}

// One line per octave, so that a page holds it.
std::string bars(const char* title, const trace::LatencyHistogram& h) {
  if (h.count() == 0) return "";
  std::vector<std::uint64_t> octaves;
  for (unsigned i = 0; i < trace::LatencyHistogram::kBuckets;
       i += trace::LatencyHistogram::kSteps) {
    octaves.push_back(0);
    for (unsigned j = 0; j < trace::LatencyHistogram::kSteps; ++j)
      octaves.back() += h.count_of(i + j);
  }
  const std::uint64_t most = *std::max_element(octaves.begin(), octaves.end());
  std::size_t first = 0, last = octaves.size();
  while (octaves[first] == 0) ++first;
  while (octaves[last - 1] == 0) --last;
  std::string text = fmt::format("\n{}\n", title);
  for (std::size_t i = first; i < last; ++i) {
    const auto bucket = static_cast<unsigned>(i * trace::LatencyHistogram::kSteps);
    text += fmt::format(
        "  {:>9.2f} .. {:>9.2f} ns {:>12}  {}\n",
        static_cast<double>(trace::LatencyHistogram::lower_ps(bucket)) * 1e-3,
        static_cast<double>(
            trace::LatencyHistogram::lower_ps(bucket + trace::LatencyHistogram::kSteps)) *
            1e-3,
        grouped(octaves[i]), std::string(static_cast<std::size_t>(40 * octaves[i] / most), '#'));
  }
  return text;
}

std::string channel_line(const HbmReplay& replay, const std::string& name,
                         const hbm::ChannelCounters& c, double peak) {
  return fmt::format("  {:<10} {:>9.2f} {:>7.1f} {:>7.1f} {:>12} {:>12} {:>12} {:>9} {:>9}\n", name,
                     rate(replay, c), 100 * rate(replay, c) / peak, 100 * hit_share(c),
                     grouped(c.row_hits), grouped(c.row_misses), grouped(c.row_conflicts),
                     grouped(c.refreshes), grouped(c.turnarounds));
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

}  // namespace

std::string hbm_text(const HbmReplay& r, bool channels) {
  std::string text = fmt::format(
      "{}: {} requests, {} bytes in {:.3f} us\n"
      "bandwidth  {:.1f} GB/s of {:.1f} GB/s ({:.2f} %), the pins of {} stack{}\n",
      r.chip, grouped(r.requests), grouped(r.bytes), r.seconds() * 1e6, r.gb_per_s(),
      r.peak_gb_per_s(), r.stacks.empty() ? 0 : 100 * r.gb_per_s() / r.peak_gb_per_s(),
      r.stacks.size(), r.stacks.size() == 1 ? "" : "s");
  text += fmt::format("\n  {:<10} {:>9} {:>7} {:>7} {:>12} {:>12} {:>12} {:>9} {:>9}\n", "", "GB/s",
                      "% peak", "% hits", "row hits", "closed", "conflicts", "refreshes", "turns");
  for (const HbmReplayStack& stack : r.stacks) {
    text += channel_line(r, fmt::format("stack {}", stack.number), stack.sum,
                         r.config.stack_gb_per_s());
    for (std::size_t c = 0; channels && c < stack.channels.size(); ++c) {
      text += channel_line(
          r, fmt::format("  {}.{}", c / r.config.pseudo_channels, c % r.config.pseudo_channels),
          stack.channels[c], r.config.pseudo_channel_gb_per_s());
    }
  }
  text += fmt::format("\n  {:<8} {:>12} {:>9}", "latency", "requests", "mean ns");
  for (const char* name : kShareNames) text += fmt::format(" {:>9}", name);
  text += fmt::format(" {:>9}\n", "max");
  text += latency_line("reads", r.latency[0]) + latency_line("writes", r.latency[1]);
  for (unsigned c = 0; c < kTrafficClasses; ++c) {
    if (r.class_latency[c].count() != r.requests)
      text += latency_line(fmt::format("class {}", c), r.class_latency[c]);
  }
  text += bars("reads by latency", r.latency[0]) + bars("writes by latency", r.latency[1]);
  return text;
}

std::string hbm_json(const HbmReplay& r) {
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
  return json.dump(2) + "\n";
}

}  // namespace tern::app
