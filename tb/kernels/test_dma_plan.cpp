// SPDX-License-Identifier: Apache-2.0
// Descriptors move exactly the bytes of a transfer, each once, and every engine signals once.
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <random>

#include "sw/kernels/builder/dma/dma_plan.h"
#include "sw/kernels/builder/kernel_builder.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"
#include "tb/common/seed.h"
#include "tb/kernels/bare_builder.h"
#include "tb/kernels/test_chip.h"

namespace tern::tb {

namespace {

using namespace kernels;
using numerics::DType;

constexpr unsigned kSemaphore = 77;

// Byte of SBUF (partition, byte) -> byte of the tensor, written down from the definition of the
// views.
std::map<std::uint64_t, std::uint64_t> expected_moves(const TileView& tile,
                                                      const TensorView& tensor) {
  const std::uint64_t size = numerics::dtype_size(tile.dtype);
  std::map<std::uint64_t, std::uint64_t> moves;
  for (unsigned p = 0; p < tile.partitions; ++p) {
    for (std::uint64_t i = 0; i < tile.elements(); ++i) {
      const std::uint64_t at =
          (tile.partition + p) * std::uint64_t{0x40000} + tile.byte +
          (i / tile.num0 * static_cast<std::uint64_t>(tile.step1) + i % tile.num0) * size;
      const std::uint64_t from = tensor.offset + p * tensor.partition_pitch +
                                 i / tensor.inner * tensor.outer_pitch + i % tensor.inner * size;
      for (std::uint64_t b = 0; b < size; ++b) moves[at + b] = from + b;
    }
  }
  return moves;
}

void check_plan(const TileView& tile, const TensorView& tensor, DmaDirection direction) {
  const EngineDescriptors plan = plan_transfer(tile, tensor, direction, kSemaphore);
  std::map<std::uint64_t, std::uint64_t> moves;
  unsigned increments = 0;
  for (const auto& pairs : plan) {
    bool open = false;
    unsigned in_packet = 0;
    REQUIRE(!pairs.empty());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const DescriptorPair& pair = pairs[i];
      CHECK(pair.first == !open);
      in_packet = pair.first ? 1 : in_packet + 1;
      CHECK(in_packet <= kPairsPerPacket);
      open = !pair.last;
      CHECK(pair.bytes >= 1);
      CHECK(pair.bytes <= 65536);
      if (pair.source.space == DmaAddress::Space::kValue) {
        CHECK(i + 1 == pairs.size());
        CHECK((pair.first && pair.last && pair.bytes == 4));
        CHECK(pair.destination.space == DmaAddress::Space::kCore);
        CHECK(pair.destination.offset == 0x20000000u + 0x1800u + 4 * kSemaphore);
        increments += 1;
        continue;
      }
      const bool load = direction == DmaDirection::kLoad;
      const DmaAddress& core = load ? pair.destination : pair.source;
      const DmaAddress& hbm = load ? pair.source : pair.destination;
      CHECK(core.space == DmaAddress::Space::kCore);
      CHECK(hbm.space == DmaAddress::Space::kTensor);
      CHECK(hbm.tensor == tensor.tensor);
      for (std::uint32_t b = 0; b < pair.bytes; ++b) {
        const bool fresh = moves.emplace(core.offset + b, hbm.offset + b).second;
        if (!fresh) FAIL("a byte is moved twice");
      }
    }
    CHECK(!open);
  }
  CHECK(increments == 16);
  CHECK(moves == expected_moves(tile, tensor));
}

Tile make_tile(unsigned partitions, std::uint32_t free, DType dtype, std::uint32_t byte) {
  return {"t", Space::kSbuf, dtype, partitions, free, byte};
}

Tensor make_tensor(std::uint64_t rows, std::uint64_t columns, DType dtype) {
  return {3, "x", dtype, rows, columns};
}

}  // namespace

TEST_CASE("transfers of every kind are covered exactly once") {
  const Tensor x = make_tensor(1000, 700, DType::kBf16);
  for (const auto direction : {DmaDirection::kLoad, DmaDirection::kStore}) {
    check_plan(make_tile(128, 700, DType::kBf16, 0), x.view(5, 128, 0, 700), direction);
    check_plan(make_tile(128, 64, DType::kBf16, 64), x.view(0, 128, 10, 64), direction);
    check_plan(make_tile(1, 1, DType::kBf16, 0), x.view(999, 1, 699, 1), direction);
    check_plan(make_tile(1, 700, DType::kBf16, 0), x.view(3, 1, 0, 700), direction);
    check_plan(make_tile(7, 300, DType::kBf16, 2), x.view(3, 7, 11, 300), direction);
    check_plan(make_tile(17, 3, DType::kBf16, 2), x.view(3, 17, 11, 3), direction);
    // slabs side by side
    check_plan(make_tile(128, 6 * 64, DType::kBf16, 128).view_2d(0, 128, 0, 6, 50, 64),
               x.slabs(0, 128, 6, 128, 100, 50), direction);
    // several whole rows on each partition: one run
    const Tensor narrow = make_tensor(1000, 10, DType::kFp32);
    check_plan(make_tile(113, 8 * 10, DType::kFp32, 64), narrow.rows_on_partitions(7, 113, 8),
               direction);
  }
  const Tensor bias = make_tensor(1, 300, DType::kFp32);
  check_plan(make_tile(128, 300, DType::kFp32, 0), bias.replicated(0, 128, 0, 300),
             DmaDirection::kLoad);
  check_plan(make_tile(100, 1, DType::kFp32, 0), bias.column_of_row(0, 128, 100),
             DmaDirection::kLoad);
}

TEST_CASE("128 partitions: engine p / 8 serves partition p, rows beyond 64 KiB are cut") {
  const Tensor x = make_tensor(128, 50000, DType::kFp32);
  const EngineDescriptors plan = plan_transfer(make_tile(128, 50000, DType::kFp32, 0),
                                               x.view(0, 128, 0, 50000), DmaDirection::kLoad, 1);
  for (unsigned e = 0; e < 16; ++e) {
    CHECK(plan[e].size() == 8 * 4 + 1);
    for (const DescriptorPair& pair : plan[e]) {
      if (pair.source.space == DmaAddress::Space::kValue) continue;
      CHECK(pair.destination.offset / TERN_CORE_SBUF_STRIDE / 8 == e);
    }
  }
}

TEST_CASE("whole rows that follow one another on both sides become one descriptor") {
  const Tensor x = make_tensor(64, 32, DType::kFp32);
  // 4 rows side by side on 16 partitions: partition p gets rows p, 16 + p, ...: not contiguous in
  // HBM.
  const auto apart = plan_transfer(make_tile(16, 128, DType::kFp32, 0).view_2d(0, 16, 0, 4, 32, 32),
                                   x.slabs(0, 16, 4, 16, 0, 32), DmaDirection::kLoad, 1);
  CHECK(apart[0].size() == 5);
  // Rows 4p .. 4p + 3: contiguous.
  TensorView together = x.slabs(0, 16, 4, 1, 0, 32);
  together.partition_pitch = 4 * 128;
  const auto merged =
      plan_transfer(make_tile(16, 128, DType::kFp32, 0).view_2d(0, 16, 0, 4, 32, 32), together,
                    DmaDirection::kLoad, 1);
  CHECK(merged[0].size() == 2);
  CHECK(merged[0][0].bytes == 512);
}

TEST_CASE("random transfers are covered exactly once") {
  std::mt19937_64 random(test_seed());
  const auto pick = [&](std::uint64_t low, std::uint64_t high) {
    return std::uniform_int_distribution<std::uint64_t>(low, high)(random);
  };
  for (int i = 0; i < 200; ++i) {
    const DType dtype = numerics::kAllDTypes[pick(0, 8)];
    const Tensor x = make_tensor(pick(1, 300), pick(1, 400), dtype);
    const auto rows = static_cast<unsigned>(pick(1, std::min<std::uint64_t>(128, x.rows)));
    const auto outer = static_cast<unsigned>(pick(1, std::min<std::uint64_t>(4, x.rows / rows)));
    const auto inner = static_cast<unsigned>(pick(1, x.columns));
    const std::uint64_t first = pick(0, x.columns - inner);
    const std::uint64_t row = pick(0, x.rows - outer * rows);
    const auto pitch = static_cast<unsigned>(inner + pick(0, 3));
    const Tile tile = make_tile(128, 4 * pitch, dtype, static_cast<std::uint32_t>(64 * pick(0, 9)));
    const auto partition = static_cast<unsigned>(pick(0, 128 - rows));
    check_plan(tile.view_2d(partition, rows, 0, outer, inner, pitch),
               x.slabs(row, rows, outer, rows, first, inner),
               pick(0, 1) == 0 ? DmaDirection::kLoad : DmaDirection::kStore);
  }
}

TEST_CASE("a trigger counts every descriptor of its transfer") {
  BareBuilder kb("k", test_chip());
  const Tensor x = kb.input("x", DType::kFp32, {128, 20000});
  const Tile tile = kb.sbuf_tile("t", 128, 20000, DType::kFp32);
  kb.dma_load(tile, x.view(0, 128, 0, 20000), kMadeByHost);
  const Executable program = kb.finish();
  for (unsigned e = 0; e < 16; ++e) {
    CHECK(program.queues[TERN_QUEUE_SYNC][1].dma_trigger.count[e] == program.rings.at(0)[e].size());
  }
}

}  // namespace tern::tb
