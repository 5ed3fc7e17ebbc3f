// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/app/report/core_times.h"
#include "sw/app/report/report.h"

namespace tern::app {

// A number of cores with a batch. Times are means of the steps but the first one.
struct ScalingPoint {
  bool weak = false;
  unsigned cores = 1;
  std::uint32_t batch = 0;  // of all cores
  CoreTimes times;
  std::uint64_t bytes = 0;  // from core to core, in a step
  std::vector<float> losses;
  std::string state_difference;  // "'w0' of core 3"; empty: all cores have the same bits

  double images_per_s() const { return batch / times.us * 1e6; }
};

struct ScalingRecord : RunHeader {
  unsigned steps = 0;
  std::vector<ScalingPoint> points;  // strong, then weak; each from one core on

  // Images per second over those of one core.
  double speedup(const ScalingPoint& point) const;
  double efficiency(const ScalingPoint& point) const { return speedup(point) / point.cores; }
  // Largest difference of a loss from that of one core with the same batches, over it.
  double loss_difference() const;
  bool same_states() const;
  bool passed() const;
};

// What takes most of a step.
std::string bound_of(const CoreTimes& times);

Report report_of(const ScalingRecord& record);

}  // namespace tern::app
