// SPDX-License-Identifier: Apache-2.0
#include "tb/numerics/activation_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sw/numerics/bf16.h"
#include "tb/numerics/activation_oracle.h"

namespace tern::tb {

using numerics::ActFunction;
using numerics::bf16_from_float;
using numerics::bf16_to_float;

namespace {

constexpr float kLargest = 0x1.fep127f;  // of BF16

// Numbers in order have keys in order; both zeros have key 0.
int key_of(std::uint16_t bf16) {
  const int magnitude = bf16 & 0x7FFF;
  return (bf16 & 0x8000) != 0 ? -magnitude : magnitude;
}
float from_key(int key) {
  return bf16_to_float(static_cast<std::uint16_t>(key < 0 ? 0x8000 - key : key));
}

// The truth rounded once to BF16, nearest even, subnormals and overflow included.
float rounded_to_bf16(mpfr_srcptr exact) {
  const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
  mpfr_t result;
  mpfr_init2(result, 8);
  int ternary = mpfr_set(result, exact, MPFR_RNDN);
  mpfr_set_emin(-132);
  mpfr_set_emax(128);
  ternary = mpfr_check_range(result, ternary, MPFR_RNDN);
  mpfr_subnormalize(result, ternary, MPFR_RNDN);
  const float value = mpfr_get_flt(result, MPFR_RNDN);
  mpfr_clear(result);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  return value;
}

}  // namespace

double ulp_distance(mpfr_srcptr exact, float value, int precision, int smallest) {
  if (std::isinf(value) || mpfr_inf_p(exact) != 0) {
    const double limit = std::ldexp(2.0 - std::ldexp(1.0, -precision), 127);
    const bool overflows = std::fabs(mpfr_get_d(exact, MPFR_RNDN)) >= limit;
    return overflows == std::isinf(value) ? 0.0 : INFINITY;
  }
  mpfr_t difference;
  mpfr_init2(difference, 64);
  mpfr_set_flt(difference, value, MPFR_RNDN);
  mpfr_sub(difference, difference, exact, MPFR_RNDN);
  const long exponent = mpfr_zero_p(exact) != 0 ? smallest : mpfr_get_exp(exact) - precision;
  mpfr_mul_2si(difference, difference, -std::max<long>(exponent, smallest), MPFR_RNDN);
  const double ulp = std::fabs(mpfr_get_d(difference, MPFR_RNDN));
  mpfr_clear(difference);
  return ulp;
}

ActivationRange activation_range(ActFunction f) {
  switch (f) {
    case ActFunction::kLog:
      return {0x1p-133f, kLargest, "u > 0"};
    case ActFunction::kSin:
      return {-0x1.92p1f, 0x1.92p1f, "[-pi, pi]"};
    case ActFunction::kSqrt:
      return {0.0f, kLargest, "u >= 0"};
    case ActFunction::kRsqrt:
      return {0x1p-133f, kLargest, "u > 0"};
    default:
      return {-kLargest, kLargest, "all"};
  }
}

Course activation_course(ActFunction f) {
  switch (f) {
    case ActFunction::kIdentity:
    case ActFunction::kRelu:
    case ActFunction::kExp:
    case ActFunction::kPrelu:
    case ActFunction::kSigmoid:
    case ActFunction::kTanh:
    case ActFunction::kSoftplus:
    case ActFunction::kErf:
    case ActFunction::kSign:
    case ActFunction::kLog:
    case ActFunction::kArctan:
    case ActFunction::kSqrt:
      return Course::kRising;
    case ActFunction::kRsqrt:
      return Course::kFalling;
    default:
      return Course::kNeither;
  }
}

ActivationError measure_activation(ActFunction f) {
  const ActivationRange range = activation_range(f);
  const int first = key_of(bf16_from_float(range.lowest));
  const int last = key_of(bf16_from_float(range.highest));
  std::vector<float> u, y(static_cast<std::size_t>(last - first + 1));
  for (int key = first; key <= last; ++key) u.push_back(from_key(key));
  activate(f, u.data(), y.data(), u.size(), ActivationOracle::kSlope);

  ActivationError error;
  ActivationOracle oracle;
  const Course course = activation_course(f);
  for (std::size_t i = 0; i < u.size(); ++i) {
    if (f == ActFunction::kReciprocal && u[i] == 0.0f) continue;  // a special value
    ++error.inputs;
    mpfr_srcptr exact = oracle.value(f, u[i]);
    const float result = bf16_to_float(bf16_from_float(y[i]));
    const float correct = rounded_to_bf16(exact);
    const int steps = std::abs(key_of(bf16_from_float(result)) - key_of(bf16_from_float(correct)));
    error.wrong += steps != 0 ? 1 : 0;
    error.worst_steps = std::max(error.worst_steps, steps);
    error.worst_bf16 = std::max(error.worst_bf16, ulp_distance(exact, result, 8, -133));
    error.worst_fp32 = std::max(error.worst_fp32, ulp_distance(exact, y[i], 24, -149));
    if (i == 0 || course == Course::kNeither) continue;
    const float before = bf16_to_float(bf16_from_float(y[i - 1]));
    error.backwards += (course == Course::kRising ? result < before : result > before) ? 1 : 0;
  }
  return error;
}

std::string activation_page(const std::vector<ActivationError>& errors) {
  std::string page =
      "<!-- Printed by activation_errors (tb/numerics): do not edit. -->\n"
      "# Errors of the activation functions\n\n"
      "Measured against MPFR over all BF16 inputs of the range. The definitions are in\n"
      "[numerics](../numerics.md), section 3; `prelu` has slope 0.25 here.\n\n"
      "- not correct: results that, rounded to BF16, are not the correctly rounded true value. "
      "Where "
      "the FP32 error\n"
      "  is small all the same, the truth lies close to a tie, which the rounding to FP32 makes "
      "exact;\n"
      "- steps: BF16 numbers between such a result and the correct one, at most;\n"
      "- BF16, FP32: largest distance from the true value in units of the last place, of the "
      "result\n"
      "  rounded to BF16 and of the FP32 result;\n"
      "- backwards: neighbours whose BF16 results run against a monotonic function.\n\n"
      "| function | range | inputs | not correct | correct | steps | BF16 | FP32 | backwards |\n"
      "|---|---|---|---|---|---|---|---|---|\n";
  for (unsigned i = 0; i < errors.size(); ++i) {
    const auto f = static_cast<ActFunction>(i);
    const ActivationError& e = errors[i];
    const double correct = 100.0 * static_cast<double>(e.inputs - e.wrong) / e.inputs;
    page += fmt::format(
        "| `{}` | {} | {} | {} | {:.3f} % | {} | {:.4f} | {:.3f} | {} |\n", act_function_name(f),
        activation_range(f).text, e.inputs, e.wrong, correct, e.worst_steps, e.worst_bf16,
        e.worst_fp32, activation_course(f) == Course::kNeither ? "" : fmt::to_string(e.backwards));
  }
  return page;
}

}  // namespace tern::tb
