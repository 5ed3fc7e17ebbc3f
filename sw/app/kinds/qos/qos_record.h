// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sw/app/kinds/qos/qos_workload.h"
#include "sw/app/report/report.h"

namespace tern::app {

// Times of one class of traffic from trigger to completion.
struct QosClassResult {
  std::size_t samples = 0;
  double p50_us = 0, p90_us = 0, p99_us = 0, max_us = 0;
  double gb_per_s = 0;  // all cores together, 1e9 bytes per second

  bool operator==(const QosClassResult& other) const;
};

QosClassResult qos_class_result(std::vector<double> times_us, double bytes, double seconds);

struct QosRun {
  unsigned batch = 0;
  std::string policy;
  double layer_us = 0, tokens_per_ms = 0;  // tokens through one layer
  std::array<QosClassResult, QosWorkload::kClasses> classes;
  std::optional<bool> model_agrees;  // on RTL: every figure is the model's

  bool same_figures(const QosRun& other) const;
};

struct QosRecord : RunHeader {
  std::string backend;       // of the DMA engines, when it is not the model
  std::vector<QosRun> runs;  // by batch, then policy

  std::optional<bool> passed() const;  // on RTL
};

Report report_of(const QosRecord& record);

}  // namespace tern::app
