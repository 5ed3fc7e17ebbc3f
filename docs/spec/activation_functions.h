// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "docs/spec/real.h"

// The functions that docs/spec/activation.yaml approximates: formula, symmetry, and what lies
// outside of the tables.
enum class Symmetry { kNone, kOdd, kEven };  // odd and even: tables for |u| only

struct FunctionSpec {
  const char* name;
  const char* formula;
  Real (*value)(const Real&);
  Symmetry symmetry;
  bool zero_at_zero;
  std::vector<double> root_between;  // a root away from 0: its segments keep relative accuracy
  // Outside of [lowest, highest]: a constant, or u itself. The ends are searched between the
  // numbers given, where the function becomes its limit in FP32; equal numbers are the end itself.
  double lowest_from, lowest_to;
  float below;
  double highest_from, highest_to;
  float above;
  bool above_is_u;
};

const std::vector<FunctionSpec>& function_specs();
