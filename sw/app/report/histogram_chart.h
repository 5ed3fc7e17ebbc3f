// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/app/report/blocks.h"
#include "systemc/trace/latency_histogram.h"

namespace tern::app {

// Histograms of times as bars side by side, in about a dozen intervals that grow by a constant
// factor.
struct HistogramChart {
  struct Series {
    std::string name;
    const trace::LatencyHistogram* times;
  };
  std::string title;  // what the numbers below the bars are
  std::string y_label;
  std::string unit = "ns";  // or "us"
  bool shares = false;      // percent of the series instead of counts
  std::vector<Series> series;
};
BarChart bars_of(const HistogramChart& chart);

// A row for each octave that holds any: from, to, how many, a bar.
Table octaves_of(const trace::LatencyHistogram& times, const std::string& unit,
                 const std::string& what);

}  // namespace tern::app
