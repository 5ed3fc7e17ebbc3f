// SPDX-License-Identifier: Apache-2.0
// Gradients of sw/layers on the chip against central differences of the operations in FP64.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "tb/common/seed.h"
#include "tb/layers/layers_program.h"

using namespace tern;          // NOLINT: test file
using namespace tern::layers;  // NOLINT
using tb::HostMatrix;
using tb::LayersProgram;
using tb::random_matrix;

namespace {

constexpr double kEpsilon = 1e-5;  // of the norm

using Row = std::vector<double>;
using RowFunction = std::function<Row(const Row&)>;

Row row_of(const HostMatrix& m, std::size_t r) {
  const auto begin = m.values.begin() + static_cast<std::ptrdiff_t>(r * m.columns);
  return {begin, begin + static_cast<std::ptrdiff_t>(m.columns)};
}

double dot(const Row& a, const Row& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

Row normal(const Row& x) {
  double mean = 0, variance = 0;
  for (const double v : x) mean += v / static_cast<double>(x.size());
  for (const double v : x) variance += (v - mean) * (v - mean) / static_cast<double>(x.size());
  Row y;
  for (const double v : x) y.push_back((v - mean) / std::sqrt(variance + kEpsilon));
  return y;
}

Row softmax(const Row& x) {
  double sum = 0;
  for (const double v : x) sum += std::exp(v);
  Row y;
  for (const double v : x) y.push_back(std::exp(v) / sum);
  return y;
}

Row gelu(const Row& x) {
  Row y;
  for (const double v : x) y.push_back(v / 2 * std::erfc(-v / std::sqrt(2.0)));
  return y;
}

// d (gradient . f(x)) / dx, every row on its own.
HostMatrix differences(const HostMatrix& x, const HostMatrix& gradient, const RowFunction& f) {
  constexpr double kStep = 1e-5;
  HostMatrix result{x.rows, x.columns, {}};
  for (std::size_t r = 0; r < x.rows; ++r) {
    Row row = row_of(x, r);
    const Row g = row_of(gradient, r);
    for (double& v : row) {
      const double kept = v;
      v = kept + kStep;
      const double above = dot(g, f(row));
      v = kept - kStep;
      const double below = dot(g, f(row));
      v = kept;
      result.values.push_back((above - below) / (2 * kStep));
    }
  }
  return result;
}

void check_close(const HostMatrix& got, const HostMatrix& want, double limit) {
  REQUIRE(got.values.size() == want.values.size());
  double worst = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < want.values.size(); ++i) {
    const double error = std::fabs(got.values[i] - want.values[i]);
    if (!(error <= worst)) {
      worst = error;
      at = i;
    }
  }
  UNSCOPED_INFO(fmt::format("largest error {:.3g} at [{}, {}]: {} instead of {}", worst,
                            at / want.columns, at % want.columns, got.values[at], want.values[at]));
  CHECK(worst <= limit);
}

}  // namespace

TEST_CASE("layers: gradients of norm, softmax and gelu against central differences") {
  tb::Platform platform;
  std::mt19937_64 random(tb::test_seed() + 5);
  struct Size {
    std::size_t rows, columns;
  };
  platform.run([&] {
    for (const Size& size : {Size{1, 2}, Size{5, 7}, Size{130, 33}, Size{256, 64}, Size{40, 530}}) {
      INFO(size.rows << " x " << size.columns);
      const DType fp32 = DType::kFp32;
      const HostMatrix x = random_matrix(size.rows, size.columns, fp32, random, 1.5);
      const HostMatrix gradient = random_matrix(size.rows, size.columns, fp32, random);
      const HostMatrix residual = random_matrix(size.rows, size.columns, fp32, random);
      const HostMatrix gamma = random_matrix(1, size.columns, fp32, random);
      const HostMatrix beta = random_matrix(1, size.columns, fp32, random);
      const auto norm = [&](const Row& row) {
        Row y = normal(row);
        for (std::size_t c = 0; c < y.size(); ++c) y[c] = y[c] * gamma.at(0, c) + beta.at(0, c);
        return y;
      };
      HostMatrix behind{size.rows, size.columns, {}}, dgamma{1, size.columns, Row(size.columns)},
          dbeta = dgamma;
      for (std::size_t r = 0; r < size.rows; ++r) {
        const Row y = norm(row_of(x, r)), n = normal(row_of(x, r));
        behind.values.insert(behind.values.end(), y.begin(), y.end());
        for (std::size_t c = 0; c < size.columns; ++c) {
          dgamma.at(0, c) += gradient.at(r, c) * n[c];
          dbeta.at(0, c) += gradient.at(r, c);
        }
      }

      LayersProgram p(platform);
      Layers& l = *p.layers;
      const Matrix in = p.matrix(x, fp32), g = p.matrix(gradient, fp32);
      const Matrix in_gamma = l.load_row(p.tensor(gamma, fp32));
      const Matrix in_beta = l.load_row(p.tensor(beta, fp32));
      const Matrix in_residual = p.matrix(residual, fp32);
      const auto make = [&] { return l.make(in.rows, in.columns, fp32); };
      const Matrix y = make(), back = make(), back_added = make(), probability = make(),
                   softmax_back = make(), gelu_back = make();
      const Layers::Norm kept =
          l.layer_norm_kept(y, in, in_gamma, in_beta, static_cast<float>(kEpsilon));
      const Layers::NormGradient rows = l.layer_norm_gradient(back, g, kept, in_gamma);
      l.layer_norm_gradient(back_added, g, kept, in_gamma, &in_residual);
      l.softmax(probability, in);
      l.softmax_gradient(softmax_back, g, probability);
      l.gelu_gradient(gelu_back, g, in);
      p.store("y", y);
      p.store("back", back);
      p.store("back_added", back_added);
      p.store("dgamma", rows.gamma.part_rows(0, 1));
      p.store("dbeta", rows.beta.part_rows(0, 1));
      p.store("softmax", softmax_back);
      p.store("gelu", gelu_back);
      auto got = p.run();

      HostMatrix want = differences(x, gradient, norm);
      double largest = 1;  // a row of two nearly equal elements has a steep norm
      for (const double v : want.values) largest = std::max(largest, std::fabs(v));
      check_close(got["y"], behind, 1e-5);
      check_close(got["back"], want, 1e-5 * largest);
      for (std::size_t i = 0; i < want.values.size(); ++i) want.values[i] += residual.values[i];
      check_close(got["back_added"], want, 1e-5 * largest);
      check_close(got["dgamma"], dgamma, 1e-6 * std::sqrt(size.rows) * 10);
      check_close(got["dbeta"], dbeta, 1e-6 * std::sqrt(size.rows) * 10);
      check_close(got["softmax"], differences(x, gradient, softmax), 2e-6);
      check_close(got["gelu"], differences(x, gradient, gelu), 2e-5);
    }
  });
}

TEST_CASE("layers: one-hot rows") {
  tb::Platform platform;
  std::mt19937_64 random(tb::test_seed() + 6);
  platform.run([&] {
    for (const std::size_t classes : {1u, 37u, 130u}) {
      HostMatrix labels{200, 1, Row(200)}, want{200, classes, Row(200 * classes)};
      for (std::size_t r = 0; r < 200; ++r) {
        const std::size_t label = random() % classes;
        labels.at(r, 0) = static_cast<double>(label);
        want.at(r, label) = 1;
      }
      LayersProgram p(platform);
      const Matrix in = p.matrix(labels, DType::kInt32);
      const auto columns = static_cast<std::uint32_t>(classes);
      const Matrix rows = p.layers->make(200, columns, DType::kBf16);
      p.layers->one_hot(rows, in);
      p.store("rows", rows);
      CHECK(p.run()["rows"].values == want.values);
    }
  });
}
