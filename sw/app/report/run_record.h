// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/app/report/comparison.h"
#include "sw/app/report/execution.h"
#include "sw/app/report/management_record.h"
#include "sw/app/report/profile.h"
#include "sw/app/report/report.h"
#include "sw/kernels/catalogue/case_errors.h"
#include "sw/kernels/catalogue/kernel.h"
#include "systemc/trace/span_log.h"

namespace tern::app {

struct RunRecord : RunHeader {
  std::vector<Execution> executions;  // the requested back end first
  std::vector<Comparison> comparisons;
  bool cycles_agree = true;  // tensor cycles of all executions
  bool times_agree = true;   // their simulated times, to the femtosecond
  std::optional<double> accuracy, accuracy_expected;
  std::uint64_t correct = 0, judged = 0;
  std::optional<double> error_rms_fp64;  // matmul: relative to the rms of an FP64 product
  std::optional<double> error_worst_fp64;
  std::uint64_t not_finite = 0;          // results NaN or infinite in FP64 too: not in those errors
  std::optional<double> error_expected;  // largest error against the expected output
  double tolerance = 0;
  std::vector<kernels::OutputError> output_errors;  // kernels
  std::vector<kernels::CostLine> cost;              // kernels: the minimum time of each resource
  std::vector<ProfilePart> parts;                   // of the program, with --report
  std::vector<ProfileLine> lines;                   // of the kernel, with --report
  std::optional<ManagementRecord> management;       // of a chip with a management core
  std::vector<FaultRecord> faults;                  // of the plan
  std::string timeline_path, wave_hint;

  bool passed() const;
};

// log: the activity of core 0; null: no timeline.
Report report_of(const RunRecord& record, const trace::SpanLog* log);

}  // namespace tern::app
