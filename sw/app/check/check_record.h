// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/app/report/report.h"
#include "sw/platform/stuck/stuck_bit.h"

namespace tern::app {

// A test on one unit: a core, or an HBM stack.
struct CheckResult {
  std::string test, block;  // "product in bf16", "tensor"
  bool stack = false;
  unsigned unit = 0;  // of the core or the stack
  bool passed = false;
  std::uint64_t words = 0, wrong = 0;  // compared; 0 and 0 where a program failed
  std::string detail;                  // of a failure
};

struct CheckRecord {
  std::string version, command, chip;
  std::vector<ConfigOverride> overrides;
  ChipValues values;
  bool full = false;
  std::vector<unsigned> cores;  // that were tested
  unsigned stacks = 0, cores_per_stack = 1;
  std::vector<CheckResult> results;  // in the order of the tests
  std::vector<StuckBit> injected;
  double simulated_us = 0, wall_s = 0;

  bool passed() const;
};

// What the results name: of each unit the block of the first test that failed. Blocks come in the
// order in which they need each other. A core whose memory is suspect is none itself.
std::vector<const CheckResult*> suspects_of(const CheckRecord& record);
// The suspect that is this bit; null: it was not found, or another block was named.
const CheckResult* found_by(const CheckRecord& record, const StuckBit& bit);

Report report_of(const CheckRecord& record);

}  // namespace tern::app
