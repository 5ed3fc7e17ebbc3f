// SPDX-License-Identifier: Apache-2.0
// The fast tensor model against OpenBLAS sgemm, one thread each, a 2048^3 matrix product. Both run
// in turn in the same process and their medians are compared, so that a busy machine slows both
// alike. Use: bench_tensor_model [--rounds N] [--json FILE]
#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "systemc/engines/aligned_vector.h"
#include "systemc/engines/tensor_model.h"
#include "systemc/numerics/bf16.h"
#include "systemc/numerics/float_bits.h"
#include "tb/bench/bench_support.h"

namespace {

using tern::bench::median;
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
constexpr unsigned kMovingBase = kSlabs * kRowBytes;  // the stationary matrix lies below
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

// Pushes a command as an engine would: waits for room, collects what retires.
void issue(tern::TensorDatapath& engine, const tern::TensorCommand& command) {
  tern::TensorStatus status;
  while (!engine.ready()) {
    engine.advance_to(engine.next_event());
    while (engine.pop_status(&status)) {
    }
  }
  engine.push(command);
}

void drain(tern::TensorDatapath& engine) {
  tern::TensorStatus status;
  while (engine.next_event() != tern::TensorDatapath::kIdle) {
    engine.advance_to(engine.next_event());
    while (engine.pop_status(&status)) {
      if (status.code != tern::TensorStatusCode::kOk) {
        std::fprintf(stderr, "command rejected, code %d\n", static_cast<int>(status.code));
        std::exit(1);
      }
    }
  }
}

void model_gemm(tern::TensorDatapath& engine, Matrices& x) {
  constexpr unsigned kBanks = kSize / kMoving;
  for (unsigned m = 0; m < kSize; m += kTile) {
    for (unsigned slab = 0; slab < kSlabs; ++slab) {
      tern::TensorCommand load;
      load.op = tern::TensorOp::kLoadStationary;
      load.rows = kTile;
      load.cols = kTile;
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
    engine.psum_start(transfer);
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

int run(const Options& options) {
  openblas_set_num_threads(1);
  Matrices x = make_matrices();
  const tern::TensorShape shape;
  const std::vector<tern::NamedTensorKernel> kernels = tern::tensor_kernels();
  tern::TensorModel engine(shape, {x.sbuf.data(), kPitch}, kernels.front().kernel);

  blas_gemm(x);
  model_gemm(engine, x);
  const std::uint64_t cycles = engine.cycle();
  const double utilisation = engine.counters().utilisation(shape, cycles);
  std::vector<double> model, blas, ratio;
  for (unsigned i = 0; i < options.rounds; ++i) {
    blas.push_back(seconds([&] { blas_gemm(x); }));
    model.push_back(seconds([&] { model_gemm(engine, x); }));
    ratio.push_back(blas.back() / model.back());
  }
  constexpr std::size_t kSamples = 20000;
  const std::size_t wrong = mismatches(x, kSamples);

  const double macs = static_cast<double>(kSize) * kSize * kSize;
  std::printf("2048^3 matrix product, one thread, median of %u rounds\n", options.rounds);
  std::printf("  %-34s %8.1f G MAC/s\n", "OpenBLAS sgemm (FP32)", macs / median(blas) * 1e-9);
  std::printf("  %-34s %8.1f G MAC/s  (kernel %s)\n", "tensor model (BF16, FP32 sums)",
              macs / median(model) * 1e-9, std::string(kernels.front().name).c_str());
  std::printf("  %-34s %8.3f  (rounds: %.3f to %.3f)\n", "model / sgemm", median(ratio),
              *std::min_element(ratio.begin(), ratio.end()),
              *std::max_element(ratio.begin(), ratio.end()));
  std::printf("  %-34s %8zu of %zu sampled results\n", "differ from the fmaf loop", wrong,
              kSamples);
  std::printf("  %-34s %8llu  (%.1f %% of the array used)\n", "simulated cycles",
              static_cast<unsigned long long>(cycles), 100 * utilisation);
  tern::bench::write_figures(options.json, {{"model_bf16_over_sgemm", median(ratio)},
                                            {"model_bf16_macs_per_s", macs / median(model)},
                                            {"sgemm_macs_per_s", macs / median(blas)},
                                            {"model_bf16_mismatches", static_cast<double>(wrong)}});
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return tern::bench::run_bench(argc, argv, "bench_tensor_model", 9, run);
}
