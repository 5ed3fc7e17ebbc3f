// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/app/kinds/moe/moe_check.h"
#include "sw/app/report/comparison.h"
#include "sw/app/report/execution.h"
#include "sw/app/report/report.h"
#include "sw/app/report/twin_check.h"

namespace tern::app {

// One program, or all of a variant.
struct MoePass {
  std::string name;
  double us = 0;
  HbmBytes hbm;
  double energy_uj = 0;  // an estimate (docs/energy.md)
  double tensor = 0;     // multiplications of the experts / what the array could do in that time
  std::string bound;
};

struct MoeVariant {
  std::string name;  // indexed, permuted
  std::vector<MoePass> passes;
  MoePass total() const;
};

struct MoeRouting {
  std::string name;
  std::vector<std::uint32_t> counts;  // tokens of each expert
  std::vector<MoeVariant> variants;   // indexed, permuted
  std::vector<Comparison> bits;       // indexed = permuted; back ends
  std::optional<TwinCheck> twin;      // of all passes, when a back end is not the model
  MoeCheck check;
  double speed_up() const;  // permuted / indexed
  bool passed() const;
};

struct MoeRecord : RunHeader {
  unsigned core = 0;
  std::string backend;
  std::vector<MoeRouting> routings;
  double wall_s = 0;
  bool passed() const;
};

Report report_of(const MoeRecord& record);

}  // namespace tern::app
