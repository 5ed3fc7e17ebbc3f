// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/app/report/bounds.h"
#include "sw/app/report/report.h"
#include "sw/app/report/twin_check.h"

namespace tern::app {

// One format of a sweep.
struct SweepRow {
  std::string format, mode;
  std::string refused;  // why the chip cannot; the rest is empty then
  std::uint64_t tensor_cycles = 0;
  double run_us = 0;               // the product with operands in SBUF, results stored to HBM
  std::optional<double> load_us;   // HBM to SBUF before it; none: streamed during the product
  double peak_share = 0;           // multiplications per cycle / the mode's most
  std::optional<double> speed_up;  // work per tensor cycle / that of BF16, both streamed or neither
  std::uint64_t hbm_bytes_read = 0;
  double energy_uj = 0;                 // of both programs, an estimate (docs/energy.md)
  double rms_error = 0, max_error = 0;  // against FP64, relative to the rms of the result
  std::uint64_t not_finite = 0;         // results NaN or infinite in FP64 too: not in the errors
  std::uint64_t words = 0, mismatches = 0;
  std::string first_difference;
  std::optional<TwinCheck> twin;  // when a back end is not the model
  double wall_s = 0;
  std::vector<std::vector<PhaseBound>> phases;  // of each program: load and product, or both in one

  bool passed() const { return mismatches == 0 && (!twin || twin->good()); }
};

struct SweepRecord : RunHeader {
  unsigned core = 0;
  std::string backend;
  std::uint64_t m = 0, k = 0, n = 0;
  double tensor_clock_ghz = 0;
  std::vector<SweepRow> rows;

  bool passed() const;
};

Report report_of(const SweepRecord& record);

}  // namespace tern::app
