// SPDX-License-Identifier: Apache-2.0
// Sums over cores by themselves: small integers, whose sums are exact in any order.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <vector>

#include "sw/kernels/builder/kernel_builder.h"
#include "tb/common/seed.h"
#include "tb/runtime/platform.h"

using namespace tern;  // NOLINT: test file
using kernels::DType;
using kernels::KernelBuilder;

namespace {

struct Shape {
  unsigned partition, rows, columns;
};

// Two tiles with a gap between them, summed twice: what was summed, plus the core's own again. At
// the end the tiles are overwritten at once.
Executable program(const ChipConfig& chip, unsigned core, unsigned cores, const Shape& shape) {
  KernelBuilder kb("sums", chip);
  kb.join_cores(core, cores);
  const unsigned all = shape.partition + shape.rows, columns = shape.columns;
  const auto x = kb.input("x", DType::kFp32, {all, columns});
  const auto y = kb.output("y", DType::kFp32, {all, columns});
  const auto own = kb.sbuf_tile("own", all, columns, DType::kFp32);
  const auto sums = kb.sbuf_tile("sums", all, columns, DType::kFp32);
  kb.dma_load(own, x.view(0, all, 0, columns));
  kb.tensor_copy(sums, own);
  const unsigned half = columns / 2;
  std::vector<kernels::TileView> views;
  if (half > 0) views.push_back(sums.view(shape.partition, shape.rows, 0, half));
  views.push_back(sums.view(shape.partition, shape.rows, half, columns - half));
  for (unsigned turn = 0; turn < 2; ++turn) {
    kb.core_sum(views);
    kb.tensor_tensor(sums, sums, kernels::Alu::kAdd, own);
  }
  kb.dma_store(y.view(0, all, 0, columns), sums);
  kb.memset(sums, -1.0f);
  return kb.finish();
}

}  // namespace

TEST_CASE("sums over cores: exact, wherever the views begin and however few rows they have") {
  tb::Platform platform;
  std::mt19937_64 random(tb::test_seed());
  platform.run([&] {
    for (const Shape& shape : {Shape{0, 128, 96}, Shape{0, 128, 7}, Shape{0, 1, 130},
                               Shape{32, 32, 33}, Shape{0, 100, 1}, Shape{64, 64, 2500}}) {
      for (const unsigned cores : {2u, 5u, 8u}) {
        const std::size_t columns = shape.columns, all = shape.partition + shape.rows;
        std::vector<std::vector<float>> own(cores, std::vector<float>(all * columns));
        std::vector<runtime::Buffer> x, y;
        std::vector<runtime::Program> programs;
        for (unsigned core = 0; core < cores; ++core) {
          for (float& value : own[core]) value = static_cast<float>(random() % 1000);
          const std::size_t bytes = own[core].size() * sizeof(float);
          x.push_back(platform.runtime.allocate("x", bytes, core));
          y.push_back(platform.runtime.allocate("y", bytes, core));
          platform.runtime.copy_to_device(x.back(), own[core].data(), bytes);
        }
        for (unsigned core = 0; core < cores; ++core) {
          programs.push_back(platform.runtime.load(program(platform.config, core, cores, shape),
                                                   {{"x", &x[core]}, {"y", &y[core]}}, core));
        }
        for (unsigned core = cores; core-- > 0;) platform.runtime.execute(programs[core]);
        for (auto& one : programs) platform.runtime.wait(one);
        for (unsigned core = 0; core < cores; ++core) {
          std::vector<float> got(own[core].size());
          platform.runtime.copy_from_device(y[core], got.data(), got.size() * sizeof(float));
          std::size_t wrong = 0;
          for (std::size_t i = 0; i < got.size(); ++i) {
            float sum = 0;
            for (const auto& values : own) sum += values[i];
            // The second sum has the first of every core, and what each added to it.
            const bool summed = i / columns >= shape.partition;
            const float want =
                summed ? static_cast<float>(cores) * sum + sum + own[core][i] : 3 * own[core][i];
            wrong += got[i] != want ? 1 : 0;
          }
          INFO(fmt::format("{} rows from {} on, {} columns, {} cores, core {}", shape.rows,
                           shape.partition, columns, cores, core));
          CHECK(wrong == 0);
        }
      }
    }
  });
}

TEST_CASE("sums over cores: what cannot be summed is refused with the author's line") {
  const ChipConfig chip = load_chip_config("trn3", {}).chip;
  KernelBuilder kb("sums", chip);
  kb.join_cores(0, 2);
  const auto half = kb.sbuf_tile("half", 128, 64, DType::kBf16);
  const auto tile = kb.sbuf_tile("tile", 128, 64, DType::kFp32);
  CHECK_THROWS_WITH(kb.core_sum({half}), Catch::Contains("test_core_sum.cpp") &&
                                             Catch::Contains("core_sum: expected fp32"));
  CHECK_THROWS_WITH(kb.core_sum({tile.view().split(32).transposed()}),
                    Catch::Contains("core_sum: expected contiguous elements"));
  kb.memset(tile, 1.0f);
  CHECK_THROWS_WITH(kb.loop(4, [&](unsigned) { kb.memset(tile, 1.0f); }),
                    Catch::Contains("loop: not in a program that works with other cores"));
  CHECK_THROWS_WITH(kb.join_cores(0, 2),
                    Catch::Contains("join_cores: expected in front of the first instruction"));
}
