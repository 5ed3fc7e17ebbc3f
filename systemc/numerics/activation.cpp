// SPDX-License-Identifier: Apache-2.0
#include "systemc/numerics/activation.h"

#include <cmath>
#include <stdexcept>
#include <string>

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

// A loop of its own for each function: they vectorise.
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

}  // namespace

const char* act_function_name(ActFunction f) {
  const auto number = static_cast<unsigned>(f);
  return number < kActFunctions ? kNames[number] : "?";
}

void activate(ActFunction f, const float* u, float* y, std::size_t n, float parameter) {
  switch (f) {
    case ActFunction::kIdentity:
      return for_row(u, y, n, [](float x) { return identity(x); });
    case ActFunction::kRelu:
      return for_row(u, y, n, [](float x) { return relu(x); });
    case ActFunction::kExp:
      for (std::size_t i = 0; i < n; ++i) y[i] = exp(u[i]);
      return;
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
    default:
      throw std::logic_error(std::string("activation function ") + act_function_name(f) +
                             " is not modelled");
  }
}

}  // namespace tern::numerics
