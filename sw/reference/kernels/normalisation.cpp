// SPDX-License-Identifier: Apache-2.0
#include "sw/reference/kernels/normalisation.h"

#include <algorithm>
#include <cmath>

namespace tern::reference {

Values softmax(const Inputs& x, std::size_t columns) {
  Values out(x.size());
  for (std::size_t first = 0; first < x.size(); first += columns) {
    double largest = x[first], sum = 0;
    for (std::size_t c = 0; c < columns; ++c)
      largest = std::max(largest, static_cast<double>(x[first + c]));
    for (std::size_t c = 0; c < columns; ++c) sum += std::exp(x[first + c] - largest);
    for (std::size_t c = 0; c < columns; ++c)
      out[first + c] = std::exp(x[first + c] - largest) / sum;
  }
  return out;
}

Values layer_norm(const Values& x, const Inputs& gamma, const Inputs& beta, double epsilon) {
  const std::size_t columns = gamma.size();
  const auto n = static_cast<double>(columns);
  Values out(x.size());
  for (std::size_t first = 0; first < x.size(); first += columns) {
    double mean = 0, variance = 0;
    for (std::size_t c = 0; c < columns; ++c) mean += x[first + c] / n;
    for (std::size_t c = 0; c < columns; ++c)
      variance += (x[first + c] - mean) * (x[first + c] - mean) / n;
    for (std::size_t c = 0; c < columns; ++c)
      out[first + c] = (x[first + c] - mean) / std::sqrt(variance + epsilon) * gamma[c] + beta[c];
  }
  return out;
}

Values rms_norm(const Values& x, const Inputs& gamma, double epsilon) {
  const std::size_t columns = gamma.size();
  Values out(x.size());
  for (std::size_t first = 0; first < x.size(); first += columns) {
    double squares = 0;
    for (std::size_t c = 0; c < columns; ++c) squares += x[first + c] * x[first + c];
    const double root = std::sqrt(squares / static_cast<double>(columns) + epsilon);
    for (std::size_t c = 0; c < columns; ++c) out[first + c] = x[first + c] / root * gamma[c];
  }
  return out;
}

BatchNorm batch_norm(const Inputs& x, std::size_t images, std::size_t pixels, const Inputs& gamma,
                     const Inputs& beta, double epsilon) {
  const std::size_t channels = gamma.size();
  const auto n = static_cast<double>(images * pixels);
  BatchNorm result{Values(x.size()), Values(channels), Values(channels)};
  const auto for_elements = [&](std::size_t channel, auto visit) {
    for (std::size_t i = 0; i < images; ++i) {
      const std::size_t first = (i * channels + channel) * pixels;
      for (std::size_t p = first; p < first + pixels; ++p) visit(p);
    }
  };
  for (std::size_t c = 0; c < channels; ++c) {
    double mean = 0, variance = 0;
    for_elements(c, [&](std::size_t i) { mean += x[i] / n; });
    for_elements(c, [&](std::size_t i) { variance += (x[i] - mean) * (x[i] - mean) / n; });
    for_elements(c, [&](std::size_t i) {
      result.out[i] = (x[i] - mean) / std::sqrt(variance + epsilon) * gamma[c] + beta[c];
    });
    result.mean[c] = mean;
    result.variance[c] = variance;
  }
  return result;
}

}  // namespace tern::reference
