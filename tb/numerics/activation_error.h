// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpfr.h>

#include <cstddef>
#include <string>
#include <vector>

#include "sw/numerics/activation.h"

namespace tern::tb {

// The inputs over which an activation function is held to its promise.
struct ActivationRange {
  float lowest, highest;  // finite, both included
  const char* text;
};
ActivationRange activation_range(numerics::ActFunction f);

// Whether the true function rises or falls from the lowest to the highest input, if monotonic.
enum class Course { kNeither, kRising, kFalling };
Course activation_course(numerics::ActFunction f);

// |value - exact| in units of the last place of the truth, which has `precision` bits and no place
// below 2^smallest; 0 for an infinity that the rounding of the truth gives too.
double ulp_distance(mpfr_srcptr exact, float value, int precision, int smallest);

// Over all BF16 inputs of the range, against MPFR.
struct ActivationError {
  std::size_t inputs = 0;
  std::size_t wrong = 0;      // results that, as BF16, are not the correctly rounded ones
  int worst_steps = 0;        // BF16 numbers between such a result and the correct one
  double worst_bf16 = 0;      // largest distance of the BF16 result from the truth, BF16 ulp
  double worst_fp32 = 0;      // of the FP32 result, FP32 ulp
  std::size_t backwards = 0;  // neighbours whose BF16 results run against the course
};
ActivationError measure_activation(numerics::ActFunction f);

// docs/reference/activation.md from the measurements of all functions, in their order.
std::string activation_page(const std::vector<ActivationError>& errors);

}  // namespace tern::tb
