// SPDX-License-Identifier: Apache-2.0
// Compares four 128 x 128 arrays with one of 512 x 128: cycles of independent MXFP8 products in
// quad mode and on the single array. They are the fast model's, which are the RTL's.
// Use: bench_quad_mode [--rounds N] [--json FILE]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "sw/base/aligned_vector.h"
#include "sw/base/math.h"
#include "systemc/engines/tensor/tensor_model.h"
#include "tb/bench/bench_support.h"
#include "tb/bench/tensor_stream.h"

namespace {

using tern::TensorCommand;
using tern::TensorMode;
using tern::bench::Options;

constexpr unsigned kStationary = 128;
constexpr unsigned kQuadrant = 32;  // rows: the grain of MX tiles
constexpr unsigned kScales = 128 * 1024;

TensorCommand command(tern::TensorOp op, TensorMode mode, unsigned rows) {
  TensorCommand c;
  c.op = op;
  c.mode = mode;
  c.type = tern::TensorType::kE4m3fnX4;
  c.rows = rows;
  c.cols = c.num0 = kStationary;
  c.aux_address = kScales;
  return c;
}

// `groups` times four products of [K, 128]^T x [K, N].
std::vector<TensorCommand> stream(TensorMode mode, unsigned groups, unsigned k, unsigned n) {
  const bool quad = mode == TensorMode::kQuad;
  const unsigned per_pass = quad ? 128 : 512, per_row = quad ? 1 : 4;
  std::vector<TensorCommand> commands;
  unsigned bank = 0;
  for (unsigned product = 0; product < groups * (quad ? 1 : 4); ++product) {
    for (unsigned done = 0; done < k; done += per_pass) {
      const unsigned rows =
          kQuadrant *
          tern::ceil_div(tern::ceil_div(std::min(per_pass, k - done), per_row), kQuadrant);
      commands.push_back(command(tern::TensorOp::kLoadStationary, mode, rows));
      TensorCommand move = command(tern::TensorOp::kMultiplyMoving, mode, rows);
      move.num0 = n;
      move.psum_bank = bank;
      move.accumulate = done != 0;
      commands.push_back(move);
    }
    bank = (bank + 1) % (quad ? 2 : 8);
  }
  return commands;
}

std::uint64_t cycles(TensorMode mode, unsigned groups, unsigned k, unsigned n) {
  tern::TensorShape shape;
  shape.max_moving = 4096;
  const tern::AlignedVector<std::uint8_t> sbuf(std::size_t{shape.rows} * shape.sbuf_bytes);
  tern::TensorModel model(shape, {sbuf.data(), shape.sbuf_bytes});
  return tern::bench::run_stream(model, stream(mode, groups, k, n));
}

int run(const Options& options) {
  constexpr unsigned kGroups = 4, kMoving = 512;
  std::printf("%u independent MXFP8 products [K, %u]^T x [K, %u], cycles for all of them:\n",
              4 * kGroups, kStationary, kMoving);
  std::printf("%6s %14s %10s %10s %8s\n", "K", "single array", "quad", "saved", "ratio");
  double best = 0;
  for (const unsigned k : {32U, 64U, 128U, 256U, 384U, 512U, 640U, 1024U, 1152U}) {
    const std::uint64_t single = cycles(TensorMode::kMx, kGroups, k, kMoving);
    const std::uint64_t quad = cycles(TensorMode::kQuad, kGroups, k, kMoving);
    const double ratio = static_cast<double>(single) / static_cast<double>(quad);
    best = std::max(best, ratio);
    std::printf("%6u %14lu %10lu %10ld %8.2f\n", k, static_cast<unsigned long>(single),
                static_cast<unsigned long>(quad),
                static_cast<long>(single) - static_cast<long>(quad), ratio);
  }
  tern::bench::write_figures(options.json, {{"quad_best_speedup", best}});
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return tern::bench::run_bench(argc, argv, "bench_quad_mode", 1, run);
}
