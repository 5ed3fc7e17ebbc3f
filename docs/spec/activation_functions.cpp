// SPDX-License-Identifier: Apache-2.0
#include "docs/spec/activation_functions.h"

#include <cmath>

namespace {

Real logistic(const Real& x) {
  return Real(1) / (Real(1) + exp(-x));
}
// x * logistic(k * x) and its derivative.
Real swish(const Real& k, const Real& x) {
  return x * logistic(k * x);
}
Real swish_dx(const Real& k, const Real& x) {
  const Real s = logistic(k * x);
  return s + k * x * s * logistic(-(k * x));
}
Real normal_cdf(const Real& x) {
  return erfc(-x / sqrt(Real(2))) / Real(2);
}
Real sigmoid_factor() {
  return Real::decimal("1.702");
}

Real gelu(const Real& x) {
  return x * normal_cdf(x);
}
Real gelu_dx(const Real& x) {
  return normal_cdf(x) + x * exp(-(x * x) / Real(2)) / sqrt(Real(2) * Real::pi());
}
Real gelu_apprx_tanh(const Real& x) {
  const Real z = sqrt(Real(2) / Real::pi()) * (x + Real::decimal("0.044715") * x * x * x);
  return x * logistic(Real(2) * z);  // (1 + tanh(z)) / 2 = logistic(2 z)
}
Real gelu_apprx_sigmoid(const Real& x) {
  return swish(sigmoid_factor(), x);
}
Real gelu_apprx_sigmoid_dx(const Real& x) {
  return swish_dx(sigmoid_factor(), x);
}
Real silu(const Real& x) {
  return swish(1, x);
}
Real silu_dx(const Real& x) {
  return swish_dx(1, x);
}
Real softplus(const Real& x) {
  return log1p(exp(x));
}
Real mish(const Real& x) {
  return x * tanh(softplus(x));
}
Real tanh_of(const Real& x) {
  return tanh(x);
}
Real erf_of(const Real& x) {
  return erf(x);
}
Real log_of(const Real& x) {
  return log(x);
}
Real sin_of(const Real& x) {
  return sin(x);
}
Real arctan_of(const Real& x) {
  return atan(x);
}
Real erf_dx(const Real& x) {
  return Real(2) / sqrt(Real::pi()) * exp(-(x * x));
}

}  // namespace

const std::vector<FunctionSpec>& function_specs() {
  constexpr Symmetry kNone = Symmetry::kNone, kOdd = Symmetry::kOdd, kEven = Symmetry::kEven;
  const float pi = Real::pi().to_float();
  const float half_pi = (Real::pi() / Real(2)).to_float();
  // Columns: root at 0, root elsewhere; search of the lowest input, result below; of the highest,
  // result above, or u.
  static const std::vector<FunctionSpec> specs = {
      {"sigmoid", "1 / (1 + exp(-u))", logistic, kNone, false, {}, -110, -1, 0.0f, 1, 32, 1, false},
      {"gelu", "u * Phi(u)", gelu, kNone, true, {}, -20, -1, -0.0f, 1, 32, 0, true},
      {"gelu_dx",
       "Phi(u) + u * phi(u)",
       gelu_dx,
       kNone,
       false,
       {-0.8, -0.7},
       -20,
       -1,
       -0.0f,
       2,
       32,
       1,
       false},
      {"gelu_apprx_tanh",
       "u * (1 + tanh(sqrt(2 / pi) * (u + 0.044715 * u^3))) / 2",
       gelu_apprx_tanh,
       kNone,
       true,
       {},
       -20,
       -1,
       -0.0f,
       1,
       32,
       0,
       true},
      {"gelu_apprx_sigmoid",
       "u / (1 + exp(-1.702 * u))",
       gelu_apprx_sigmoid,
       kNone,
       true,
       {},
       -80,
       -1,
       -0.0f,
       1,
       32,
       0,
       true},
      {"gelu_apprx_sigmoid_dx",
       "derivative of gelu_apprx_sigmoid",
       gelu_apprx_sigmoid_dx,
       kNone,
       false,
       {-0.8, -0.7},
       -80,
       -1,
       -0.0f,
       2,
       32,
       1,
       false},
      {"silu", "u / (1 + exp(-u))", silu, kNone, true, {}, -120, -1, -0.0f, 1, 32, 0, true},
      {"silu_dx",
       "derivative of silu",
       silu_dx,
       kNone,
       false,
       {-1.3, -1.2},
       -120,
       -2,
       -0.0f,
       3,
       32,
       1,
       false},
      {"tanh", "tanh(u)", tanh_of, kOdd, true, {}, 0, 0, 0, 1, 32, 1, false},
      {"softplus", "log(1 + exp(u))", softplus, kNone, false, {}, -110, -1, 0.0f, 1, 32, 0, true},
      {"mish", "u * tanh(log(1 + exp(u)))", mish, kNone, true, {}, -120, -2, -0.0f, 1, 32, 0, true},
      {"erf", "erf(u)", erf_of, kOdd, true, {}, 0, 0, 0, 1, 8, 1, false},
      {"erf_dx", "2 / sqrt(pi) * exp(-u^2)", erf_dx, kEven, false, {}, 0, 0, 0, 1, 16, 0, false},
      // log takes only the significand from its table.
      {"log",
       "log(u), 0.5 <= u < 2",
       log_of,
       kNone,
       true,
       {0.9, 1.2},
       0.5,
       0.5,
       NAN,
       0x1.fffffep0,
       0x1.fffffep0,
       NAN,
       false},
      {"sin", "sin(u)", sin_of, kOdd, true, {3.1, 3.2}, 0, 0, 0, pi, pi, NAN, false},
      {"arctan", "arctan(u)", arctan_of, kOdd, true, {}, 0, 0, 0, 1, 1e9, half_pi, false},
  };
  return specs;
}
