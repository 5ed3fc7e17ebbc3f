// SPDX-License-Identifier: Apache-2.0
// The Verilated 128 x 128 array against a plain scalar fmaf loop that computes the same chains:
// MultiplyMoving of 512 columns back to back, each with new weights that load in the background.
// Both run alternately in one process and medians are compared, so that a busy machine slows both
// alike; every result is compared bit for bit. Then the 512 x 128 array on MXFP8 products, compared
// with the fast model. Use: bench_rtl_tensor [--rounds N] [--json FILE]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sw/numerics/bf16.h"
#include "systemc/cosim/tensor_rtl.h"
#include "tb/bench/bench_support.h"
#include "tb/bench/rtl_mx_stream.h"
#include "tb/bench/scalar_fma.h"

namespace {

using tern::bench::median;
using tern::bench::Options;
using tern::bench::seconds;

constexpr unsigned kRows = 128, kLanes = 128, kColumns = 512;
constexpr unsigned kTiles = 8;          // one PSUM bank each
constexpr unsigned kInstructions = 16;  // per round: every tile twice
constexpr unsigned kMovingBytes = kColumns * 2, kStationaryBytes = kLanes * 2;
constexpr unsigned kStationaryBase = kTiles * kMovingBytes;
constexpr std::size_t kPitch = 32 * 1024 + 64;
constexpr double kMacsPerRound = double{kInstructions} * kRows * kLanes * kColumns;

// The same BF16 values as bytes in SBUF and as floats for the host.
struct Operands {
  std::vector<std::uint8_t> sbuf = std::vector<std::uint8_t>(kPitch * kRows);
  std::vector<float> moving = std::vector<float>(std::size_t{kTiles} * kColumns * kRows);
  std::vector<float> stationary = std::vector<float>(std::size_t{kTiles} * kLanes * kRows);

  Operands() {
    std::mt19937 random(0);
    std::normal_distribution<float> normal;
    for (unsigned tile = 0; tile < kTiles; ++tile) {
      for (unsigned row = 0; row < kRows; ++row) {
        std::uint8_t* partition = sbuf.data() + row * kPitch;
        const auto fill = [&](unsigned byte, unsigned count, float* floats) {
          for (unsigned i = 0; i < count; ++i) {
            const std::uint16_t bits = tern::numerics::bf16_from_float(normal(random));
            std::memcpy(partition + byte + 2 * i, &bits, sizeof bits);
            floats[std::size_t{i} * kRows + row] = tern::numerics::bf16_to_float(bits);
          }
        };
        fill(tile * kMovingBytes, kColumns, &moving[std::size_t{tile} * kColumns * kRows]);
        fill(kStationaryBase + tile * kStationaryBytes, kLanes,
             &stationary[std::size_t{tile} * kLanes * kRows]);
      }
    }
  }
};

// LoadStationary and MultiplyMoving alternately: command i of a round.
tern::TensorCommand command(unsigned i) {
  const unsigned tile = i / 2 % kTiles;
  tern::TensorCommand c;
  c.tag = i & 0xFF;
  c.rows = kRows;
  c.cols = c.num0 = kLanes;
  if (i % 2 == 0) {
    c.op = tern::TensorOp::kLoadStationary;
    c.sbuf_address = kStationaryBase + tile * kStationaryBytes;
  } else {
    c.op = tern::TensorOp::kMultiplyMoving;
    c.sbuf_address = tile * kMovingBytes;
    c.num0 = kColumns;
    c.psum_bank = tile;
  }
  return c;
}

// One round on the RTL; returns its cycles.
std::uint64_t run_rtl(tern::TensorDatapath& engine) {
  const std::uint64_t begin = engine.cycle();
  unsigned pushed = 0, retired = 0;
  while (retired < 2 * kInstructions) {
    if (pushed < 2 * kInstructions && engine.ready()) engine.push(command(pushed++));
    engine.advance_to(engine.next_event());
    tern::TensorStatus status;
    while (engine.pop_status(&status)) {
      if (status.code != tern::TensorStatusCode::kOk) throw std::runtime_error("command rejected");
      ++retired;
    }
  }
  return engine.cycle() - begin;
}

void run_scalar(const Operands& x, std::vector<float>* y) {
  for (unsigned i = 0; i < kInstructions; ++i) {
    const std::size_t tile = i % kTiles;
    tern::bench::scalar_fma_chains(&x.moving[tile * kColumns * kRows],
                                   &x.stationary[tile * kLanes * kRows],
                                   &(*y)[tile * kColumns * kLanes], kColumns, kLanes, kRows);
  }
}

// Words of PSUM that differ from the scalar loop's.
std::size_t mismatches(tern::TensorDatapath& engine, const std::vector<float>& y) {
  constexpr std::size_t kWords = std::size_t{kTiles} * kColumns;
  std::vector<float> psum(kLanes * kWords);
  tern::PsumTransfer transfer;
  transfer.partitions = kLanes;
  transfer.columns = kWords;
  transfer.data = psum.data();
  transfer.stride = kWords;
  engine.psum_start(transfer);
  while (engine.psum_busy()) engine.advance_to(engine.next_event());
  std::size_t wrong = 0;
  for (std::size_t c = 0; c < kWords; ++c) {
    for (std::size_t m = 0; m < kLanes; ++m) {
      wrong += std::memcmp(&psum[m * kWords + c], &y[c * kLanes + m], sizeof(float)) != 0;
    }
  }
  return wrong;
}

struct MxFigures {
  double rate = 0;        // multiply-accumulates per second
  double ratio = 0;       // to the scalar loop's, round by round
  std::size_t wrong = 0;  // words that differ from the fast model's
};

MxFigures run_mx(const Options& options, const Operands& x, tern::TensorType type,
                 const char* name) {
  tern::bench::RtlMxStream stream(type);
  std::vector<float> y(std::size_t{kTiles} * kColumns * kLanes);
  std::vector<double> times, ratios;
  for (unsigned i = 0; i < options.rounds; ++i) {
    const double scalar = seconds([&] { run_scalar(x, &y); }) / kMacsPerRound;
    times.push_back(seconds([&] { stream.round(); }));
    ratios.push_back(scalar / (times.back() / stream.macs()));
  }
  const MxFigures figures{stream.macs() / median(times), median(ratios), stream.mismatches()};
  std::printf(
      "  %-34s %8.1f M MAC/s, %.3f of the scalar loop  (%zu words differ from the model's)\n", name,
      figures.rate * 1e-6, figures.ratio, figures.wrong);
  return figures;
}

int run(const Options& options) {
  const Operands x;
  tern::TensorRtlOptions engine_options;
  engine_options.sbuf = {x.sbuf.data(), kPitch};
  engine_options.sbuf_bytes = 32 * 1024;
  const std::unique_ptr<tern::TensorRtl> engine = tern::make_tensor_rtl(engine_options);

  std::vector<float> y(std::size_t{kTiles} * kColumns * kLanes);
  std::vector<double> rtl, scalar, ratio;
  std::uint64_t cycles = 0;
  for (unsigned i = 0; i < options.rounds; ++i) {
    scalar.push_back(seconds([&] { run_scalar(x, &y); }));
    rtl.push_back(seconds([&] { cycles = run_rtl(*engine); }));
    ratio.push_back(scalar.back() / rtl.back());
  }
  const std::size_t wrong = mismatches(*engine, y);

  const double rtl_rate = kMacsPerRound / median(rtl);
  const double scalar_rate = kMacsPerRound / median(scalar);
  const double cycle_rate = static_cast<double>(cycles) / median(rtl);
  std::printf("128 x 128 BF16 array in Verilated RTL, one thread, median of %u rounds\n",
              options.rounds);
  std::printf("  %-34s %8.1f M MAC/s\n", "scalar fmaf loop", scalar_rate * 1e-6);
  std::printf("  %-34s %8.1f M MAC/s  (%.0f array cycles/s)\n", "RTL", rtl_rate * 1e-6, cycle_rate);
  std::printf("  %-34s %8.3f  (rounds: %.3f to %.3f)\n", "RTL / scalar", median(ratio),
              *std::min_element(ratio.begin(), ratio.end()),
              *std::max_element(ratio.begin(), ratio.end()));
  std::printf("  %-34s %8llu  (%u MultiplyMoving of %u columns)\n", "cycles per round",
              static_cast<unsigned long long>(cycles), kInstructions, kColumns);
  std::printf("  %-34s %8zu of %zu results\n", "differ from the fmaf loop", wrong, y.size());
  const auto e4m3 = run_mx(options, x, tern::TensorType::kE4m3fnX4, "RTL, MX E4M3FN");
  const auto e5m2 = run_mx(options, x, tern::TensorType::kE5m2X4, "RTL, MX E5M2");
  tern::bench::write_figures(options.json, {{"rtl_bf16_macs_per_s", rtl_rate},
                                            {"rtl_bf16_over_scalar_fma", median(ratio)},
                                            {"scalar_fma_macs_per_s", scalar_rate},
                                            {"rtl_array_cycles_per_s", cycle_rate},
                                            {"rtl_bf16_mismatches", static_cast<double>(wrong)},
                                            {"rtl_mxfp8_macs_per_s", e4m3.rate},
                                            {"rtl_mxfp8_over_scalar_fma", e4m3.ratio},
                                            {"rtl_mxe5m2_macs_per_s", e5m2.rate}});
  return wrong + e4m3.wrong + e5m2.wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return tern::bench::run_bench(argc, argv, "bench_rtl_tensor", 7, run);
}
