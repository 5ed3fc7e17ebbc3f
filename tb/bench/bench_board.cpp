// SPDX-License-Identifier: Apache-2.0
// A hart of the management core's board in a loop of integer work, with exact time, against the
// same C compiled for this host. bench_board_sv39: in S mode, in pages of 4 KiB.
// Use: bench_board [--rounds N] [--json FILE]
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <systemc>
#include <vector>

#include "systemc/mgmt/board/board.h"
#include "tb/bench/bench_support.h"
#include "tb/bench/board_compute.h"

namespace {

using tern::mgmt::Board;

constexpr std::uint64_t kProgress = 0x80100000;

struct Progress {
  std::uint32_t iterations = 0, sum = 0;
};
Progress progress_of(Board& board) {
  Progress progress;
  if (!board.peek(kProgress, &progress, sizeof progress)) throw std::runtime_error("no memory");
  return progress;
}

int run(const tern::bench::Options& options) {
  Board::prepare_simulation();
  const tern::mgmt::BoardConfig config = tern::mgmt::load_board_config("mgmt");
  tern::mgmt::BoardImages images;
  images.images.push_back(
      tern::mgmt::read_image(TERN_BOARD_PROGRAM, config, tern::mgmt::kMemoryBase));
  Board board("board", config, images, nullptr);
  std::vector<double> speeds, ratios, native_times;
  Progress native;  // repeats what the board has done
  constexpr std::uint64_t kPieceMs = 200;
  for (unsigned round = 1; round <= options.rounds; ++round) {
    const std::uint64_t before = board.instructions();
    const std::uint32_t done = native.iterations;
    const double on_board = tern::bench::seconds(
        [&] { board.run(sc_core::sc_time(round * kPieceMs, sc_core::SC_MS)); });
    const Progress progress = progress_of(board);
    const double on_host = tern::bench::seconds([&] {
      for (; native.iterations < progress.iterations; ++native.iterations)
        native.sum += board_compute(native.iterations);
    });
    if (native.sum != progress.sum) throw std::runtime_error("board and host differ");
    speeds.push_back(static_cast<double>(board.instructions() - before) / on_board);
    ratios.push_back(on_host / on_board);
    native_times.push_back(on_host / (native.iterations - done));
  }
  const double speed = tern::bench::median(speeds), ratio = tern::bench::median(ratios);
  std::printf("%.0f MIPS, %.4f of the native speed (%.1f us an iteration)\n", speed * 1e-6, ratio,
              tern::bench::median(native_times) * 1e6);
  tern::bench::write_figures(options.json,
                             {{TERN_FIGURES "_instructions_per_s", speed},
                              {TERN_FIGURES "_over_native", ratio},
                              {"native_compute_per_s", 1 / tern::bench::median(native_times)}});
  return 0;
}

}  // namespace

int sc_main(int argc, char** argv) {
  return tern::bench::run_bench(argc, argv, "bench_" TERN_FIGURES, 5, run);
}
