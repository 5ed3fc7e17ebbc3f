// SPDX-License-Identifier: Apache-2.0
// The fast tensor model against OpenBLAS sgemm, one thread each: 2048^3 matrix products in BF16 and
// in MXFP8. They alternate in the same process and the medians of their ratios are compared, so
// that a busy machine slows all alike. Use: bench_tensor_model [--rounds N] [--json FILE]
#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "sw/base/aligned_vector.h"
#include "sw/numerics/bf16.h"
#include "sw/numerics/float_bits.h"
#include "systemc/engines/tensor/tensor_model.h"
#include "tb/bench/bench_support.h"
#include "tb/bench/mx_product.h"
#include "tb/bench/tensor_stream.h"

namespace {

using tern::bench::drain;
using tern::bench::issue;
using tern::bench::median;
using tern::bench::MxProduct;
using tern::bench::Options;
using tern::bench::seconds;
using tern::numerics::bf16_from_float;
using tern::numerics::bf16_to_float;
using tern::numerics::bits_of;

constexpr unsigned kSize = 2048;
constexpr unsigned kTile = 128;
constexpr unsigned kMoving = 512;
constexpr unsigned kSlabs = kSize / kTile;
constexpr unsigned kRowBytes = kSize * 2;             // one k of a slab, in its partition
constexpr unsigned kMovingBase = kSlabs * kRowBytes;  // the stationary matrix is below
constexpr double kMacs = 1.0 * kSize * kSize * kSize;
constexpr std::size_t kPitch = 256 * 1024 + 64;  // a line between partitions: no shared cache sets

struct Matrices {
  std::vector<float> a, b;         // A^T: [k][m], B: [k][n], values that BF16 holds exactly
  std::vector<float> model, blas;  // [m][n]
  tern::AlignedVector<std::uint8_t> sbuf;
};

Matrices make_matrices() {
  Matrices x;
  x.a.resize(std::size_t{kSize} * kSize);
  x.b.resize(x.a.size());
  x.model.resize(x.a.size());
  x.blas.resize(x.a.size());
  x.sbuf.resize(kPitch * kTile);
  std::mt19937 random(0);
  std::normal_distribution<float> normal;
  const auto fill = [&](std::vector<float>& matrix, unsigned base) {
    for (unsigned k = 0; k < kSize; ++k) {
      std::uint8_t* row = x.sbuf.data() + (k % kTile) * kPitch + base + (k / kTile) * kRowBytes;
      for (unsigned i = 0; i < kSize; ++i) {
        const std::uint16_t bits = bf16_from_float(normal(random));
        std::memcpy(row + 2 * i, &bits, sizeof bits);
        matrix[std::size_t{k} * kSize + i] = bf16_to_float(bits);
      }
    }
  };
  fill(x.a, 0);
  fill(x.b, kMovingBase);
  return x;
}

void model_gemm(tern::TensorDatapath& engine, Matrices& x) {
  constexpr unsigned kBanks = kSize / kMoving;
  for (unsigned m = 0; m < kSize; m += kTile) {
    for (unsigned slab = 0; slab < kSlabs; ++slab) {
      tern::TensorCommand load;
      load.op = tern::TensorOp::kLoadStationary;
      load.rows = kTile;
      load.cols = load.num0 = kTile;
      load.sbuf_address = slab * kRowBytes + 2 * m;
      issue(engine, load);
      for (unsigned bank = 0; bank < kBanks; ++bank) {
        tern::TensorCommand multiply = load;
        multiply.op = tern::TensorOp::kMultiplyMoving;
        multiply.sbuf_address = kMovingBase + slab * kRowBytes + 2 * bank * kMoving;
        multiply.num0 = kMoving;
        multiply.psum_bank = bank;
        multiply.accumulate = slab != 0;
        issue(engine, multiply);
      }
    }
    drain(engine);
    tern::PsumTransfer transfer;
    transfer.partitions = kTile;
    transfer.columns = kSize;
    transfer.data = x.model.data() + std::size_t{m} * kSize;
    transfer.stride = kSize;
    engine.psum_debug(transfer);
  }
}

void blas_gemm(Matrices& x) {
  cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, kSize, kSize, kSize, 1.0f, x.a.data(), kSize,
              x.b.data(), kSize, 0.0f, x.blas.data(), kSize);
}

// The contract in one line per step; a sample, because it is slow.
std::size_t mismatches(const Matrices& x, std::size_t samples) {
  std::mt19937 random(1);
  std::size_t wrong = 0;
  for (std::size_t s = 0; s < samples; ++s) {
    const std::size_t m = random() % kSize, n = random() % kSize;
    float psum = 0.0f;
    for (unsigned slab = 0; slab < kSlabs; ++slab) {
      float y = 0.0f;
      for (std::size_t k = slab * kTile; k < (slab + 1) * kTile; ++k) {
        y = std::fmaf(x.b[k * kSize + n], x.a[k * kSize + m], y);
      }
      psum = slab == 0 ? y : psum + y;
    }
    wrong += bits_of(psum) != bits_of(x.model[m * kSize + n]);
  }
  return wrong;
}

void print_rate(const char* name, const std::vector<double>& times, const std::string& note = {}) {
  std::printf("  %-34s %8.1f G MAC/s%s\n", name, kMacs / median(times) * 1e-9, note.c_str());
}

void print_ratio(const char* name, const std::vector<double>& ratio) {
  std::printf("  %-34s %8.3f  (rounds: %.3f to %.3f)\n", name, median(ratio),
              *std::min_element(ratio.begin(), ratio.end()),
              *std::max_element(ratio.begin(), ratio.end()));
}

int run(const Options& options) {
  openblas_set_num_threads(1);
  Matrices x = make_matrices();
  MxProduct mx_product(kSize, kPitch);
  const tern::TensorShape shape;
  tern::TensorModel engine(shape, {x.sbuf.data(), kPitch});
  tern::TensorModel mx_engine(shape, mx_product.sbuf());

  blas_gemm(x);
  model_gemm(engine, x);
  mx_product.run(mx_engine);
  const std::uint64_t cycles = engine.cycle(), mx_cycles = mx_engine.cycle();
  const double utilisation = static_cast<double>(engine.counters().macs) /
                             (static_cast<double>(shape.rows) * shape.cols * cycles);
  std::vector<double> model, mx, blas, ratio, mx_ratio;
  for (unsigned i = 0; i < options.rounds; ++i) {
    blas.push_back(seconds([&] { blas_gemm(x); }));
    model.push_back(seconds([&] { model_gemm(engine, x); }));
    mx.push_back(seconds([&] { mx_product.run(mx_engine); }));
    ratio.push_back(blas.back() / model.back());
    mx_ratio.push_back(blas.back() / mx.back());
  }
  constexpr std::size_t kSamples = 20000;
  const std::size_t wrong = mismatches(x, kSamples), mx_wrong = mx_product.mismatches(kSamples);

  const std::string kernel = "  (kernel " + std::string(tern::tensor_kernels().front().name) + ")";
  std::printf("2048^3 matrix product, one thread, median of %u rounds\n", options.rounds);
  print_rate("OpenBLAS sgemm (FP32)", blas,
             "  (kernel " + std::string(openblas_get_corename()) + ")");
  print_rate("tensor model (BF16, FP32 sums)", model, kernel);
  print_rate("tensor model (MXFP8)", mx, kernel);
  print_ratio("BF16 model / sgemm", ratio);
  print_ratio("MXFP8 model / sgemm", mx_ratio);
  std::printf("  %-34s %8zu and %zu of %zu sampled results\n", "differ from the definition", wrong,
              mx_wrong, kSamples);
  std::printf("  %-34s %8llu (%.1f %% of the array used) and %llu\n", "simulated cycles",
              static_cast<unsigned long long>(cycles), 100 * utilisation,
              static_cast<unsigned long long>(mx_cycles));
  tern::bench::write_figures(options.json,
                             {{"model_bf16_over_sgemm", median(ratio)},
                              {"model_mxfp8_over_sgemm", median(mx_ratio)},
                              {"model_bf16_macs_per_s", kMacs / median(model)},
                              {"model_mxfp8_macs_per_s", kMacs / median(mx)},
                              {"sgemm_macs_per_s", kMacs / median(blas)},
                              {"model_bf16_mismatches", static_cast<double>(wrong)},
                              {"model_mxfp8_mismatches", static_cast<double>(mx_wrong)}});
  return wrong + mx_wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return tern::bench::run_bench(argc, argv, "bench_tensor_model", 9, run);
}
