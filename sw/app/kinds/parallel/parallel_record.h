// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/app/report/class_latency.h"
#include "sw/app/report/comparison.h"
#include "sw/app/report/report.h"
#include "sw/app/system/link_use.h"
#include "sw/system/fabric.h"

namespace tern::app {

struct ParallelPart {
  std::string chip;     // its name in the system
  double us = 0;        // its end, from the start of the chip that the host starts last
  double alone_us = 0;  // of its share alone
};

struct ParallelRecord : RunHeader {
  std::string system, level;  // of the network between the chips
  std::vector<ParallelPart> parts;
  double us = 0;                        // the last end
  std::vector<Comparison> comparisons;  // bits
  double error = 0, tolerance = 0;      // against FP64, absolute
  LinkUse links;                        // shares of us; of level ideal: empty
  std::vector<ClassLatency> classes;    // of the transfers between chips, only of level packet
  double wall_s = 0;
  bool passed() const;
};

Report report_of(const ParallelRecord& record, const system::Fabric& fabric);
// The last parts of its page: the network between the chips as pictures, and data files.
void add_network_sections(const ParallelRecord& record, const system::Fabric& fabric,
                          Report* report);

}  // namespace tern::app
