// SPDX-License-Identifier: Apache-2.0
// Every operation of sw/layers on the chip, around the borders of slabs and banks, against FP64.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "sw/base/user_error.h"
#include "tb/common/seed.h"
#include "tb/layers/layers_program.h"

using namespace tern;          // NOLINT: test file
using namespace tern::layers;  // NOLINT
using tb::HostMatrix;
using tb::LayersProgram;
using tb::random_matrix;

namespace {

HostMatrix make(std::size_t rows, std::size_t columns,
                const std::function<double(std::size_t, std::size_t)>& value) {
  HostMatrix matrix{rows, columns, std::vector<double>(rows * columns)};
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) matrix.at(r, c) = value(r, c);
  }
  return matrix;
}

HostMatrix host_product(const HostMatrix& a, const HostMatrix& b) {
  return make(a.columns, b.columns, [&](std::size_t m, std::size_t n) {
    double sum = 0;
    for (std::size_t k = 0; k < a.rows; ++k) sum += a.at(k, m) * b.at(k, n);
    return sum;
  });
}

// |got - want| <= absolute + relative * |want| everywhere.
void check_close(const HostMatrix& got, const HostMatrix& want, double absolute, double relative) {
  REQUIRE(got.rows == want.rows);
  REQUIRE(got.columns == want.columns);
  for (std::size_t i = 0; i < want.values.size(); ++i) {
    const double error = std::fabs(got.values[i] - want.values[i]);
    if (error <= absolute + relative * std::fabs(want.values[i])) continue;
    FAIL(fmt::format("[{}, {}]: {} instead of {}", i / want.columns, i % want.columns,
                     got.values[i], want.values[i]));
  }
}

constexpr double kBf16 = 0x1p-8;

}  // namespace

TEST_CASE("layers: products of every size and format with their epilogues") {
  tb::Platform platform;
  std::mt19937_64 random(tb::test_seed());
  platform.run([&] {
    struct Size {
      std::size_t k, m, n;
    };
    for (const Size& s : {Size{1, 1, 1}, Size{16, 10, 130}, Size{130, 129, 7}, Size{784, 128, 513},
                          Size{256, 300, 2100}}) {
      for (const DType dtype : {DType::kBf16, DType::kFp32}) {
        if (dtype == DType::kFp32 && s.n > 600) continue;
        const HostMatrix a = random_matrix(s.k, s.m, dtype, random);
        const HostMatrix b = random_matrix(s.k, s.n, dtype, random);
        const HostMatrix row = random_matrix(1, s.n, DType::kFp32, random);
        const HostMatrix column = random_matrix(s.m, 1, DType::kFp32, random);
        const HostMatrix residual = random_matrix(s.m, s.n, DType::kFp32, random);
        LayersProgram p(platform);
        const Matrix in_a = p.matrix(a, dtype), in_b = p.matrix(b, dtype);
        const Matrix in_row = p.layers->load_row(p.tensor(row, DType::kFp32));
        const Matrix in_column = p.matrix(column, DType::kFp32);
        const Matrix in_residual = p.matrix(residual, DType::kFp32);
        Epilogue rows, columns, all, scaled;
        rows.bias_row = all.bias_row = &in_row;
        columns.bias_column = all.bias_column = &in_column;
        columns.function = all.function = Activation::kRelu;
        all.residual = scaled.residual = &in_residual;
        all.scale = scaled.scale = 0.5f;
        p.store("plain", p.layers->product(DType::kFp32, in_a, in_b));
        p.store("rows", p.layers->product(DType::kFp32, in_a, in_b, rows));
        p.store("columns", p.layers->product(DType::kFp32, in_a, in_b, columns));
        p.store("all", p.layers->product(DType::kBf16, in_a, in_b, all));
        p.store("scaled", p.layers->product(DType::kFp32, in_a, in_b, scaled));
        auto got = p.run();

        const HostMatrix want = host_product(a, b);
        const auto each = [&](const std::function<double(double, std::size_t, std::size_t)>& f) {
          return make(s.m, s.n,
                      [&](std::size_t m, std::size_t n) { return f(want.at(m, n), m, n); });
        };
        INFO(s.k << " x " << s.m << " x " << s.n << " " << numerics::dtype_name(dtype));
        const double tolerance = 1e-6 * static_cast<double>(s.k) + 1e-5;
        check_close(got["plain"], want, tolerance, 0);
        check_close(got["rows"],
                    each([&](double v, std::size_t, std::size_t n) { return v + row.at(0, n); }),
                    tolerance, 1e-6);
        check_close(got["columns"], each([&](double v, std::size_t m, std::size_t) {
                      return std::max(0.0, v + column.at(m, 0));
                    }),
                    tolerance, 1e-6);
        check_close(got["all"], each([&](double v, std::size_t m, std::size_t n) {
                      return std::max(0.0, 0.5 * v + row.at(0, n) + column.at(m, 0)) +
                             residual.at(m, n);
                    }),
                    tolerance, kBf16);
        check_close(got["scaled"], each([&](double v, std::size_t m, std::size_t n) {
                      return 0.5 * v + residual.at(m, n);
                    }),
                    tolerance, 1e-6);
      }
    }
  });
}

TEST_CASE("layers: transposes are exact, sums over rows, parts of matrices") {
  tb::Platform platform;
  std::mt19937_64 random(tb::test_seed() + 1);
  platform.run([&] {
    for (const auto& [rows, columns] :
         {std::pair(1, 1), {128, 784}, {130, 10}, {700, 129}, {1100, 40}}) {
      for (const DType dtype : {DType::kBf16, DType::kFp32}) {
        const HostMatrix x = random_matrix(static_cast<std::size_t>(rows),
                                           static_cast<std::size_t>(columns), dtype, random);
        LayersProgram p(platform);
        const Matrix in = p.matrix(x, dtype);
        p.store("transposed", p.layers->transpose(in));
        p.store("sums", p.layers->column_sums(in));
        auto got = p.run();
        check_close(
            got["transposed"],
            make(x.columns, x.rows, [&](std::size_t r, std::size_t c) { return x.at(c, r); }), 0,
            0);
        check_close(got["sums"],
                    make(128, x.columns,
                         [&](std::size_t, std::size_t c) {
                           double sum = 0;
                           for (std::size_t r = 0; r < x.rows; ++r) sum += x.at(r, c);
                           return sum;
                         }),
                    1e-6 * rows + 1e-5, 0);
      }
    }
    // A head of 64 in the second half of a slab, into a part of the result.
    const HostMatrix q = random_matrix(256, 40, DType::kBf16, random);
    const HostMatrix k = random_matrix(256, 33, DType::kBf16, random);
    LayersProgram p(platform);
    const Matrix in_q = p.matrix(q, DType::kBf16), in_k = p.matrix(k, DType::kBf16);
    const Matrix result = p.layers->filled(40, 80, DType::kFp32, 7.0f);
    p.layers->product(result.part_columns(40, 33), in_q.part_rows(192, 64),
                      in_k.part_rows(192, 64));
    p.store("result", result);
    auto got = p.run();
    check_close(got["result"],
                make(40, 80,
                     [&](std::size_t r, std::size_t c) {
                       if (c < 40 || c >= 73) return 7.0;
                       double sum = 0;
                       for (std::size_t i = 192; i < 256; ++i) sum += q.at(i, r) * k.at(i, c - 40);
                       return sum;
                     }),
                1e-4, 0);
  });
}

TEST_CASE("layers: operations element by element") {
  tb::Platform platform;
  std::mt19937_64 random(tb::test_seed() + 2);
  platform.run([&] {
    for (const std::size_t rows : {1u, 128u, 300u, 512u}) {
      const std::size_t columns = 37;
      const HostMatrix a = random_matrix(rows, columns, DType::kFp32, random);
      const HostMatrix b = random_matrix(rows, columns, DType::kFp32, random);
      const HostMatrix row = random_matrix(1, columns, DType::kFp32, random);
      LayersProgram p(platform);
      Layers& l = *p.layers;
      const Matrix in_a = p.matrix(a, DType::kFp32), in_b = p.matrix(b, DType::kFp32);
      const Matrix in_row = l.load_row(p.tensor(row, DType::kFp32));
      const auto r32 = static_cast<std::uint32_t>(rows);
      const auto made = [&](const char* name, const std::function<void(const Matrix&)>& write,
                            DType dtype = DType::kFp32) {
        const Matrix to = l.make(r32, columns, dtype);
        write(to);
        p.store(name, to);
      };
      const Matrix factor = l.filled(128, 1, DType::kFp32, 0.25f);
      made(
          "convert", [&](const Matrix& to) { l.convert(to, in_a); }, DType::kBf16);
      made("add", [&](const Matrix& to) { l.combine(to, in_a, Alu::kAdd, in_b); });
      made("rows", [&](const Matrix& to) { l.combine_rows(to, in_a, Alu::kMultiply, in_row); });
      made("scale", [&](const Matrix& to) { l.scale(to, in_a, factor.slab(0)); });
      made("both", [&](const Matrix& to) {
        l.scale_combine(to, in_a, factor.slab(0), Alu::kSubtract, in_b);
      });
      made("tanh", [&](const Matrix& to) { l.activate(to, Activation::kTanh, in_a, 2.0f); });
      made("inverse", [&](const Matrix& to) {
        l.activate(to, Activation::kAbs, in_a, factor.slab(0));
        l.shift(to, to, 1.0f);
        l.reciprocal(to, to);
      });
      made("relu", [&](const Matrix& to) { l.relu_gradient(to, in_a, in_b); });
      auto got = p.run();
      const auto each = [&](const std::function<double(double, double, std::size_t)>& f) {
        return make(rows, columns,
                    [&](std::size_t r, std::size_t c) { return f(a.at(r, c), b.at(r, c), c); });
      };
      check_close(got["convert"],
                  each([](double x, double, std::size_t) { return tb::rounded(x, DType::kBf16); }),
                  0, 0);
      check_close(got["add"], each([](double x, double y, std::size_t) { return x + y; }), 0, 1e-7);
      check_close(got["rows"],
                  each([&](double x, double, std::size_t c) { return x * row.at(0, c); }), 0, 1e-7);
      check_close(got["scale"], each([](double x, double, std::size_t) { return x / 4; }), 0, 0);
      check_close(got["both"], each([](double x, double y, std::size_t) { return x / 4 - y; }), 0,
                  1e-7);
      check_close(got["tanh"], each([](double x, double, std::size_t) { return std::tanh(2 * x); }),
                  1e-6, 1e-5);
      check_close(got["inverse"],
                  each([](double x, double, std::size_t) { return 1 / (std::fabs(x) / 4 + 1); }), 0,
                  2e-7);
      check_close(got["relu"], each([](double x, double y, std::size_t) { return y > 0 ? x : 0; }),
                  0, 0);
    }
  });
}

void check_row_operations(const std::string& chip) {
  tb::Platform platform(chip);
  std::mt19937_64 random(tb::test_seed() + 3);
  platform.run([&] {
    for (const auto& [rows, columns] : {std::pair(1, 1), {128, 10}, {260, 600}}) {
      const auto r = static_cast<std::size_t>(rows), c = static_cast<std::size_t>(columns);
      const HostMatrix x = random_matrix(r, c, DType::kFp32, random, 4);
      const HostMatrix gamma = random_matrix(1, c, DType::kFp32, random);
      const HostMatrix beta = random_matrix(1, c, DType::kFp32, random);
      const HostMatrix labels =
          make(r, 1, [&](std::size_t, std::size_t) { return static_cast<double>(random() % c); });
      LayersProgram p(platform);
      Layers& l = *p.layers;
      const Matrix in = p.matrix(x, DType::kFp32);
      const Matrix in_gamma = l.load_row(p.tensor(gamma, DType::kFp32));
      const Matrix in_beta = l.load_row(p.tensor(beta, DType::kFp32));
      const Matrix in_labels = p.matrix(labels, DType::kInt32);
      const Matrix softmax = l.make(in.rows, in.columns, DType::kFp32);
      const Matrix norm = l.make(in.rows, in.columns, DType::kFp32);
      const Matrix plain = l.make(in.rows, in.columns, DType::kFp32);
      l.softmax(softmax, in);
      l.layer_norm(norm, in, &in_gamma, &in_beta, 1e-3f);
      l.layer_norm(plain, in, nullptr, nullptr, 1e-3f);
      const auto loss = l.cross_entropy(in, in_labels, 0.125f, DType::kFp32);
      p.store("softmax", softmax);
      p.store("norm", norm);
      p.store("plain", plain);
      p.store("loss", loss.loss);
      p.store("correct", loss.correct);
      p.store("correct alone", l.correct(in, in_labels));
      p.store("gradient", loss.gradient);
      auto got = p.run();

      HostMatrix probability = x, normal = x, scaled = x, gradient = x;
      HostMatrix losses = labels, correct = labels;
      for (std::size_t i = 0; i < r; ++i) {
        double max = x.at(i, 0), sum = 0, mean = 0, square = 0;
        for (std::size_t j = 0; j < c; ++j) max = std::max(max, x.at(i, j));
        for (std::size_t j = 0; j < c; ++j) sum += std::exp(x.at(i, j) - max);
        for (std::size_t j = 0; j < c; ++j) mean += x.at(i, j) / static_cast<double>(c);
        for (std::size_t j = 0; j < c; ++j)
          square += (x.at(i, j) - mean) * (x.at(i, j) - mean) / static_cast<double>(c);
        const auto label = static_cast<std::size_t>(labels.at(i, 0));
        for (std::size_t j = 0; j < c; ++j) {
          probability.at(i, j) = std::exp(x.at(i, j) - max) / sum;
          normal.at(i, j) = (x.at(i, j) - mean) / std::sqrt(square + 1e-3);
          scaled.at(i, j) = normal.at(i, j) * gamma.at(0, j) + beta.at(0, j);
          gradient.at(i, j) = (probability.at(i, j) - (j == label ? 1 : 0)) * 0.125;
        }
        losses.at(i, 0) = std::log(sum) + max - x.at(i, label);
        correct.at(i, 0) = x.at(i, label) == max ? 1 : 0;
      }
      INFO(chip << " " << rows << " x " << columns);
      check_close(got["softmax"], probability, 1e-6, 1e-5);
      check_close(got["norm"], scaled, 1e-5, 1e-5);
      check_close(got["plain"], normal, 1e-5, 1e-5);
      check_close(got["loss"], losses, 4e-5, 1e-6);
      check_close(got["correct"], correct, 0, 0);
      check_close(got["correct alone"], correct, 0, 0);
      check_close(got["gradient"], gradient, 1e-6, 1e-5);
    }
  });
}

TEST_CASE("layers: softmax, layer norm, cross-entropy with its gradient") {
  check_row_operations("trn3");
}

TEST_CASE("layers: the same on a chip without the exponential instruction") {
  check_row_operations("trn2");
}

TEST_CASE("layers: MX operands and their products, with what is missing of the last group") {
  tb::Platform platform;
  std::mt19937_64 random(tb::test_seed() + 4);
  platform.run([&] {
    for (const std::size_t k : {16u, 64u, 300u, 512u, 784u, 1024u}) {
      const HostMatrix a = random_matrix(k, 40, DType::kBf16, random);
      const HostMatrix b = random_matrix(k, 72, DType::kBf16, random);
      LayersProgram p(platform);
      const MxMatrix mx_a = p.layers->quantize(p.matrix(a, DType::kBf16));
      const MxMatrix mx_b = p.layers->quantize(p.matrix(b, DType::kBf16));
      const Matrix result = p.layers->make(40, 72, DType::kFp32);
      p.layers->product(result, mx_a, mx_b);
      p.store("result", result);
      auto got = p.run();
      // Elements are off by at most 2^-4 of themselves, independently: six standard deviations.
      const double deviation = 0x1p-4 / std::sqrt(3.0) * std::sqrt(2.0 * static_cast<double>(k));
      INFO(k);
      check_close(got["result"], host_product(a, b), 6 * deviation, 0);
    }
  });
}

TEST_CASE("layers: memory comes back, wrong shapes name the caller's line") {
  tb::Platform platform;
  KernelBuilder kb("memory", platform.config);
  Layers layers(kb, platform.config);
  for (unsigned i = 0; i < 1000; ++i) {  // far more than SBUF holds
    const Matrix a = layers.filled(128, 8192, DType::kFp32, 1.0f);
    const Matrix part = a.part_columns(5, 7);
    CHECK(part.columns == 7);
  }
  const Matrix a = layers.filled(10, 20, DType::kFp32, 1.0f);
  const Matrix b = layers.filled(11, 20, DType::kFp32, 1.0f);
  const auto message = [](const std::function<void()>& wrong) {
    try {
      wrong();
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  using Catch::Contains;
  CHECK_THAT(message([&] { layers.product(DType::kFp32, a, b); }),
             Contains("test_layers.cpp:") && Contains("product of [10, 20] and [11, 20]"));
  CHECK_THAT(message([&] { layers.combine(a, a, Alu::kAdd, b); }),
             Contains("second operand [11, 20]: expected [10, 20]"));
  CHECK_THAT(message([&] { a.part_columns(15, 6); }),
             Contains("columns 15..21 of a matrix with 20"));
  CHECK_THAT(message([&] { a.part_rows(3, 6); }), Contains("6 rows cannot begin on partition 3"));
  CHECK_THAT(message([&] { layers.make(128, 1u << 20, DType::kFp32); }),
             Contains("test_layers.cpp:") && Contains("sbuf_tile 'matrix'"));
}
