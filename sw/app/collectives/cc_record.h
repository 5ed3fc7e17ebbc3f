// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sw/app/collectives/cc_command.h"
#include "sw/app/report/report.h"
#include "sw/collectives/operation.h"
#include "systemc/collectives/bounds.h"
#include "systemc/collectives/schedule_run.h"

namespace tern::app {

struct CcPoint {
  std::uint64_t bytes = 0;  // of the buffer, or of all its parts
  std::string algorithm;
  collectives::RunResult result;
  fabric::Time hottest = 0;  // its busiest link, with all that goes over it; 0: not known
  bool best = false;         // of its size
  bool wrong_bits = false;   // at level cores: not those of the host
  // What became of the faults of a script, as tables and data; none was given: null.
  std::shared_ptr<const Report> faults = {};
  std::string why_lost = {};
};

// What `tern cc` has measured on a system.
struct CcRecord {
  std::string system;  // its name
  collectives::Problem problem;
  std::vector<std::uint32_t> chips;  // of each rank
  unsigned planes = 1;
  bool torus = false;                      // the whole of one
  std::string chip;                        // its preset; empty: none is modelled
  bool units = false;                      // of several
  std::vector<unsigned> axes;              // of the group
  std::vector<CcPoint> points;             // by size, then by algorithm
  std::vector<collectives::Bound> bounds;  // of each point
  std::vector<std::string> skipped;        // "mesh: more than 4194304 steps"
  std::vector<std::string> notes;          // of the choice of an algorithm
};

Report report_of(const std::vector<CcRecord>& records, const CcOptions& options);

}  // namespace tern::app
