// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/histogram_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>

#include "sw/app/report/text.h"

namespace tern::app {
namespace {

using Histogram = trace::LatencyHistogram;

// Sums of `width` buckets each.
std::vector<std::uint64_t> sums_of(const Histogram& h, unsigned width) {
  std::vector<std::uint64_t> sums;
  for (unsigned i = 0; i < Histogram::kBuckets; i += width) {
    sums.push_back(0);
    for (unsigned j = 0; j < width; ++j) sums.back() += h.count_of(i + j);
  }
  return sums;
}

std::string begin_text(std::size_t sum, unsigned width, const std::string& unit, int digits) {
  const auto bucket = static_cast<unsigned>(sum) * width;
  const double ns = static_cast<double>(Histogram::lower_ps(bucket)) * 1e-3;
  return fmt::format("{:.{}f}", unit == "us" ? ns * 1e-3 : ns, digits);
}

// First and last sum that holds any, the latter excluded.
std::pair<std::size_t, std::size_t> used(const std::vector<std::uint64_t>& sums) {
  std::size_t first = 0, last = sums.size();
  while (first < last && sums[first] == 0) ++first;
  while (last > first && sums[last - 1] == 0) --last;
  return {first, last};
}

}  // namespace

BarChart bars_of(const HistogramChart& chart) {
  constexpr std::size_t kMaxBars = 14;
  BarChart bars{chart.title, chart.y_label, {}, {}};
  Histogram all;
  for (const HistogramChart::Series& series : chart.series) all.merge(*series.times);
  unsigned width = 1;
  auto [first, last] = used(sums_of(all, width));
  while (last - first > kMaxBars && width < Histogram::kSteps) {
    width *= 2;
    std::tie(first, last) = used(sums_of(all, width));
  }
  const int digits = chart.unit == "us" ? 3 : 1;
  for (std::size_t i = first; i < last; ++i)
    bars.groups.push_back(begin_text(i + 1, width, chart.unit, digits));
  for (const HistogramChart::Series& series : chart.series) {
    if (series.times->count() == 0) continue;
    bars.series.push_back({series.name, {}});
    const std::vector<std::uint64_t> counts = sums_of(*series.times, width);
    const double scale = chart.shares ? 100.0 / static_cast<double>(series.times->count()) : 1;
    for (std::size_t i = first; i < last; ++i)
      bars.series.back().y.push_back(chart.shares && counts[i] == 0
                                         ? std::numeric_limits<double>::quiet_NaN()
                                         : static_cast<double>(counts[i]) * scale);
  }
  return bars;
}

Table octaves_of(const Histogram& times, const std::string& unit, const std::string& what) {
  const std::vector<std::uint64_t> octaves = sums_of(times, Histogram::kSteps);
  const std::uint64_t max = *std::max_element(octaves.begin(), octaves.end());
  const int digits = unit == "us" ? 3 : 2;
  Table table{{{"from " + unit, Column::kNumber},
               {"to " + unit, Column::kNumber},
               {what, Column::kNumber},
               {"", Column::kBar}},
              {}};
  const auto [first, last] = used(octaves);
  for (std::size_t i = first; i < last; ++i) {
    const double bar = static_cast<double>(octaves[i]) / static_cast<double>(max);
    table.rows.push_back({begin_text(i, Histogram::kSteps, unit, digits),
                          begin_text(i + 1, Histogram::kSteps, unit, digits),
                          grouped(octaves[i]),
                          {"", Cell::kPlain, bar}});
  }
  return table;
}

}  // namespace tern::app
