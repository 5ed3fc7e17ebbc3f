// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sw/app/report/blocks.h"
#include "systemc/trace/latency_histogram.h"

namespace tern::app {

// Transfers of one class of service between chips, from being sent to the last byte.
struct ClassLatency {
  unsigned traffic_class = 0;
  std::string traffic;     // in words; empty: not said
  std::uint64_t lost = 0;  // of them, without a latency
  double median_us = 0, p99_us = 0, longest_us = 0;
  trace::LatencyHistogram histogram;
};
// Where only the histogram is known: percentiles are at most one eighth too high.
ClassLatency class_latency(unsigned traffic_class, const trace::LatencyHistogram& histogram);

Table latency_table(const std::vector<ClassLatency>& classes);
// For the page: a chart of all, and the octaves of each.
Section latency_section(const std::vector<ClassLatency>& classes);
nlohmann::ordered_json json_of(const std::vector<ClassLatency>& classes);

}  // namespace tern::app
