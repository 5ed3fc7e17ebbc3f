// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/app/report/report.h"
#include "sw/app/report/twin_check.h"

namespace tern::app {

// A network in one format.
struct MlpFormatRow {
  std::string format;
  std::string refused;  // why the chip cannot; the rest is empty then
  std::optional<double> accuracy;
  std::uint64_t correct = 0;
  std::uint64_t same_answers = 0;  // as the network in FP64
  double rms_error = 0;            // of the last layer, against FP64, relative to its rms
  std::uint64_t not_finite = 0;    // of its results in FP64: not in the error
  double product_us = 0, function_us = 0;
  std::uint64_t tensor_cycles = 0;
  std::uint64_t words = 0, mismatches = 0;  // results of all layers against the host reference
  std::string first_difference;
  std::optional<TwinCheck> twin;  // when a back end is not the model
  std::optional<double> error_expected;
  double wall_s = 0;

  double simulated_us() const { return product_us + function_us; }
};

struct MlpFormatsRecord : RunHeader {
  unsigned core = 0;
  std::string backend;
  std::uint64_t inputs = 0;
  std::optional<double> accuracy_fp64, accuracy_expected;
  double tolerance = 0;
  std::vector<MlpFormatRow> rows;

  bool passed(const MlpFormatRow& row) const;
  bool passed() const;
};

Report report_of(const MlpFormatsRecord& record);

}  // namespace tern::app
