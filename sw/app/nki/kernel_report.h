// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sw/app/report/bounds.h"
#include "sw/app/report/energy.h"
#include "sw/app/report/report.h"
#include "sw/nki/call/run_message.h"
#include "systemc/trace/span_log.h"

namespace tern::app {

// A run of a kernel in Python, for its report.
struct KernelRecord {
  std::string kernel, chip, command;
  std::vector<ConfigOverride> overrides;
  std::uint64_t begin_fs = 0, end_fs = 0;
  double start_us = 0, end_us = 0;  // of that, before and after the program's own instructions
  std::vector<PhaseBound> phases;
  EnergyUse energy;
  std::vector<nki::RunSpan> spans;  // from begin_fs on, by begin

  double us() const { return static_cast<double>(end_fs - begin_fs) * 1e-9; }
};

// A wait, an end, or the words of a longer instruction: no work of a line.
bool is_control(std::string_view instruction);

// Where its time went, by engine and by line of the author's file; bounds are those of core 0. The
// logs have the spans of core 0 and, if the kernel runs there, too, of core 1.
Report kernel_report(const KernelRecord& record, const trace::SpanLog& log,
                     const trace::SpanLog& other_log);

}  // namespace tern::app
