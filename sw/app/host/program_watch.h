// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "sw/app/report/program_record.h"
#include "sw/platform/hosted_chip.h"
#include "sw/runtime/runtime.h"
#include "systemc/chip/chip_counters.h"
#include "systemc/trace/span_log.h"

namespace tern::app {

// Listens to core 0 of a chip while a program runs there, for its record in a report.
class ProgramWatch {
 public:
  explicit ProgramWatch(HostedChip& chip);
  // In front of the program: what was before does not count.
  void begin();
  // Listens no more.
  std::shared_ptr<const ProgramRecord> finish(const runtime::RunResult& run,
                                              const std::string& title);

 private:
  HostedChip& chip_;
  std::shared_ptr<trace::SpanLog> spans_;
  std::shared_ptr<ProfileLog> profile_;
  std::shared_ptr<BoundLog> bounds_;
  std::shared_ptr<EnergyLog> energy_;
  ChipCounters before_;
};

}  // namespace tern::app
