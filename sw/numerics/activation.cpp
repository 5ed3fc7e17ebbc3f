// SPDX-License-Identifier: Apache-2.0
#include "sw/numerics/activation.h"

#include <cmath>
#include <stdexcept>
#include <string>

#include "sw/numerics/generated/activation_tables.h"
#include "sw/numerics/piecewise.h"

namespace tern::numerics {

namespace {

constexpr const char* kNames[kActFunctions] = {"identity",
                                               "relu",
                                               "exp",
                                               "square",
                                               "sigmoid",
                                               "prelu",
                                               "gelu",
                                               "gelu_dx",
                                               "gelu_apprx_tanh",
                                               "gelu_apprx_sigmoid",
                                               "gelu_apprx_sigmoid_dx",
                                               "silu",
                                               "silu_dx",
                                               "tanh",
                                               "softplus",
                                               "mish",
                                               "erf",
                                               "erf_dx",
                                               "sign",
                                               "abs",
                                               "log",
                                               "sin",
                                               "arctan",
                                               "sqrt",
                                               "rsqrt",
                                               "reciprocal"};

// A separate loop for each function: they vectorise.
template <typename Function>
void for_row(const float* u, float* y, std::size_t n, Function f) {
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#endif
  for (std::size_t i = 0; i < n; ++i) y[i] = f(u[i]);
}

float sign(float u) {
  if (is_nan_bits(bits_of(u))) return float_of(kCanonicalNan);
  return u > 0.0f ? 1.0f : (u < 0.0f ? -1.0f : 0.0f);
}

template <Symmetry symmetry = Symmetry::kNone, bool above_is_u = false>
void piecewise_row(const PiecewiseTable& table, const float* u, float* y, std::size_t n) {
  const PiecewiseTable t = table;
  for_row(u, y, n, [t](float x) { return piecewise<symmetry, above_is_u>(t, x); });
}

// u = 2^k * m with m in [0.6875, 1.375), so that u near 1 has k = 0: log(u) = k * log(2) + log(m),
// log(2) in two words and log(m) from the table.
float log(float u) {
  constexpr std::uint32_t kLowestM = 0x3F300000;
  constexpr float kLn2 = 0x1.62e43p-1f, kLn2Rest = -0x1.05c61p-29f;
  const bool subnormal = u < 0x1p-126f;
  const std::uint32_t bits = bits_of(subnormal ? u * 0x1p24f : u);
  const std::int32_t k = static_cast<std::int32_t>(bits - kLowestM) >> 23;
  const float m = float_of(bits - (static_cast<std::uint32_t>(k) << 23));
  const auto exponent = static_cast<float>(k - (subnormal ? 24 : 0));
  const float log_m = piecewise<Symmetry::kNone, false>(activation_tables::k_log, m);
  float y = std::fma(exponent, kLn2, std::fma(exponent, kLn2Rest, log_m));
  y = bits_of(u) == 0x7F800000 ? u : y;
  y = u == 0.0f ? -INFINITY : y;
  return u >= 0.0f ? y : float_of(kCanonicalNan);
}

}  // namespace

const char* act_function_name(ActFunction f) {
  const auto number = static_cast<unsigned>(f);
  return number < kActFunctions ? kNames[number] : "?";
}

void activate(ActFunction f, const float* u, float* y, std::size_t n, float parameter) {
  using namespace activation_tables;
  switch (f) {
    case ActFunction::kIdentity:
      return for_row(u, y, n, [](float x) { return identity(x); });
    case ActFunction::kRelu:
      return for_row(u, y, n, [](float x) { return relu(x); });
    case ActFunction::kExp:
      return exp_row(u, y, n);
    case ActFunction::kSquare:
      return for_row(u, y, n, [](float x) { return square(x); });
    case ActFunction::kPrelu:
      return for_row(u, y, n, [=](float x) { return x > 0.0f ? x : multiply(parameter, x); });
    case ActFunction::kSign:
      return for_row(u, y, n, [](float x) { return sign(x); });
    case ActFunction::kAbs:
      return for_row(u, y, n, [](float x) { return absolute(x); });
    case ActFunction::kSqrt:
      return for_row(u, y, n, [](float x) { return canonical(std::sqrt(x)); });
    case ActFunction::kRsqrt:
      return for_row(u, y, n, [](float x) { return rsqrt(x); });
    case ActFunction::kReciprocal:
      return for_row(u, y, n, [](float x) { return reciprocal(x); });
    case ActFunction::kSigmoid:
      return piecewise_row(k_sigmoid, u, y, n);
    case ActFunction::kGelu:
      return piecewise_row<Symmetry::kNone, true>(k_gelu, u, y, n);
    case ActFunction::kGeluDx:
      return piecewise_row(k_gelu_dx, u, y, n);
    case ActFunction::kGeluApprxTanh:
      return piecewise_row<Symmetry::kNone, true>(k_gelu_apprx_tanh, u, y, n);
    case ActFunction::kGeluApprxSigmoid:
      return piecewise_row<Symmetry::kNone, true>(k_gelu_apprx_sigmoid, u, y, n);
    case ActFunction::kGeluApprxSigmoidDx:
      return piecewise_row(k_gelu_apprx_sigmoid_dx, u, y, n);
    case ActFunction::kSilu:
      return piecewise_row<Symmetry::kNone, true>(k_silu, u, y, n);
    case ActFunction::kSiluDx:
      return piecewise_row(k_silu_dx, u, y, n);
    case ActFunction::kTanh:
      return piecewise_row<Symmetry::kOdd>(k_tanh, u, y, n);
    case ActFunction::kSoftplus:
      return piecewise_row<Symmetry::kNone, true>(k_softplus, u, y, n);
    case ActFunction::kMish:
      return piecewise_row<Symmetry::kNone, true>(k_mish, u, y, n);
    case ActFunction::kErf:
      return piecewise_row<Symmetry::kOdd>(k_erf, u, y, n);
    case ActFunction::kErfDx:
      return piecewise_row<Symmetry::kEven>(k_erf_dx, u, y, n);
    case ActFunction::kLog:
      return for_row(u, y, n, [](float x) { return log(x); });
    case ActFunction::kSin:
      return piecewise_row<Symmetry::kOdd>(k_sin, u, y, n);
    case ActFunction::kArctan:
      return piecewise_row<Symmetry::kOdd>(k_arctan, u, y, n);
  }
  throw std::logic_error("activation function " + std::to_string(static_cast<unsigned>(f)) +
                         " does not exist");
}

}  // namespace tern::numerics
