// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sw/app/report/bounds.h"
#include "sw/app/report/energy.h"
#include "sw/app/report/profile.h"
#include "systemc/trace/span_log.h"

namespace tern::app {

// The activity of one execution of a program on a core, for the pages of kinds that run many.
struct ProgramRecord {
  std::string title;
  std::uint64_t begin_fs = 0, end_fs = 0;
  std::shared_ptr<const trace::SpanLog> log;
  std::vector<PhaseBound> phases;
  EnergyUse energy;
  std::vector<ProfilePart> parts;
  std::vector<ProfileLine> lines;

  double us() const { return static_cast<double>(end_fs - begin_fs) * 1e-9; }
};

}  // namespace tern::app
