// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/app/measure/dma/dma_measure.h"
#include "sw/app/report/report.h"

namespace tern::app {

struct DmaChipResult {
  std::string chip;
  ChipValues values;
  std::string descriptors;                                  // who makes them
  double practical_gb_per_s = 0, theoretical_gb_per_s = 0;  // of a core's 16 engines
  std::vector<DmaPoint> points;                             // of a sweep
  DmaSteps steps;                                           // of a single transfer
};

struct DmaRecord {
  std::string version, command;
  std::vector<ConfigOverride> overrides;
  DmaQuestion question;
  bool sweep = false, over_element = false;
  std::vector<DmaChipResult> chips;
  std::string trace_path;
};

Report report_of(const DmaRecord& record);

}  // namespace tern::app
