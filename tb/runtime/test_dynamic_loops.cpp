// SPDX-License-Identifier: Apache-2.0
// The kernel builder's registers, operands that they move, and loops that the program counts.
#include <catch2/catch.hpp>

#include "sw/base/user_error.h"
#include "tb/runtime/chip_program.h"

namespace tern::tb {

using kernels::Alu;
using kernels::DynamicOffset;
using kernels::KernelBuilder;
using kernels::Tile;
using kernels::TileView;
using numerics::DType;

namespace {

constexpr unsigned kLimit = 1, kCount = 2, kInner = 3;  // registers

double x(unsigned p, unsigned i) {
  return static_cast<double>((3 * p + i) % 101);
}

// The word holds its partition: 5 on partition 5.
TileView word_of(KernelBuilder& kb, const std::string& name, unsigned value) {
  const Tile words = kb.sbuf_tile(name, 128, 1, DType::kInt32);
  kb.iota(words, {static_cast<int>(value), 0, {0}});
  return words.view(0, 1, 0, 1);
}

DynamicOffset by(unsigned reg, unsigned count) {
  DynamicOffset offset;
  offset.reg = reg;
  offset.bytes = sizeof(float);
  offset.count = count;
  offset.what = "beyond the tile";
  return offset;
}

// The columns of `tile` from the register on, for Vector.
TileView moved(KernelBuilder& kb, const Tile& tile, unsigned columns, unsigned reg) {
  kb.load_offset(TERN_QUEUE_VECTOR, KernelBuilder::kOffsets, by(reg, tile.free - columns + 1));
  TileView view = tile.view(0, tile.partitions, 0, columns);
  view.moved_by = KernelBuilder::kOffsets;
  view.moved_begin = tile.byte;
  view.moved_end = tile.byte + tile.free * sizeof(float);
  return view;
}

}  // namespace

TEST_CASE("dynamic loops on the chip: sums carried from iteration to iteration, nested") {
  Platform platform;
  platform.run([&] {
    for (const unsigned limit : {0u, 1u, 6u}) {
      ChipProgram program(platform);
      KernelBuilder& kb = program.kb;
      const Tile values = program.tile(rows(128, 64, x));
      const Tile total = kb.sbuf_tile("total", 128, 16, DType::kFp32);
      const Tile copy = kb.sbuf_tile("copy", 128, 16, DType::kFp32);
      kb.memset(total, 0.0f);
      kb.register_load(KernelBuilder::kAllQueues, kLimit, word_of(kb, "limit", limit));
      kb.begin_repeat(TERN_BRANCH_COND_GE, kCount, kLimit, 0);
      kb.register_alu(KernelBuilder::kAllQueues, TERN_REGISTER_OP_MOVE, kInner, 0, 0, 0);
      kb.begin_repeat(TERN_BRANCH_COND_GE, kInner, 0, 2);
      kb.tensor_copy(copy, moved(kb, values, 16, kCount), kernels::Engine::kVector);
      kb.tensor_tensor(total, total, Alu::kAdd, copy, kernels::Engine::kGpsimd);
      kb.end_repeat(kInner, 1);
      kb.end_repeat(kCount, 1);
      program.store("total", total);
      const auto expected = rows(128, 16, [&](unsigned p, unsigned i) {
        double sum = 0;
        for (unsigned k = 0; k < limit; ++k) sum += 2 * x(p, i + k);
        return sum;
      });
      auto results = program.run();
      CHECK((results["total"] == expected));
    }
  });
}

TEST_CASE("dynamic loops on the chip: an offset out of its range stops the program") {
  Platform platform;
  platform.run([&] {
    ChipProgram program(platform);
    KernelBuilder& kb = program.kb;
    const Tile values = program.tile(rows(128, 64, x));
    const Tile copy = kb.sbuf_tile("copy", 128, 16, DType::kFp32);
    kb.register_alu(KernelBuilder::kAllQueues, TERN_REGISTER_OP_MOVE, kCount, 0, 0, 49);
    kb.tensor_copy(copy, moved(kb, values, 16, kCount), kernels::Engine::kVector);
    program.store("copy", copy);
    CHECK_THROWS_WITH(program.run(), Catch::Contains("beyond the tile"));
  });
}

TEST_CASE("dynamic loops: what cannot be repeated is refused") {
  KernelBuilder kb("loop", load_chip_config("trn3").chip);
  const auto in = kb.input("in", DType::kFp32, {128, 64});
  const Tile tile = kb.sbuf_tile("tile", 128, 64, DType::kFp32);
  CHECK_THROWS_WITH(kb.end_repeat(0, 0), Catch::Contains("none is open"));
  kb.begin_repeat(TERN_BRANCH_COND_EQ, kCount, 0, 0);
  kernels::DmaOptions by_host;
  by_host.descriptors = kernels::Descriptors::kHost;
  CHECK_THROWS_WITH(kb.dma_load(tile, in.view(0, 128, 0, 64), by_host),
                    Catch::Contains("descriptors that the host makes"));
  CHECK_THROWS_WITH(kb.finish(), Catch::Contains("inside a loop"));
}

}  // namespace tern::tb
