// SPDX-License-Identifier: Apache-2.0
#include "tb/kernels/random_elements.h"

#include <array>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "sw/kernels/builder/kernel_builder.h"
#include "tb/kernels/bare_builder.h"
#include "tb/kernels/test_chip.h"

namespace tern::tb {

namespace {

using kernels::Activation;
using kernels::Alu;
using kernels::Engine;
using kernels::KernelBuilder;
using kernels::Reduce;
using kernels::ReduceCommand;
using kernels::ScalarOperand;
using kernels::Tile;
using kernels::TileView;
using numerics::DType;

constexpr unsigned kPartitions = 32, kFree = 24;

class Generator {
 public:
  Generator(std::uint64_t seed, KernelBuilder* kb) : random_(seed), kb_(*kb) {
    for (unsigned i = 0; i < 4; ++i) {
      const std::string name = "t" + std::to_string(i);
      tiles_.push_back(kb_.sbuf_tile(name, 2 * kPartitions, kFree, DType::kFp32));
    }
  }

  const std::vector<Tile>& tiles() const { return tiles_; }
  void instruction() {
    row_ = kPartitions * draw(2);
    return draw(2) == 0 ? special() : arithmetic();
  }

 private:
  void arithmetic();
  void special();
  unsigned draw(unsigned below) {
    return std::uniform_int_distribution<unsigned>(0, below - 1)(random_);
  }
  bool coin() { return draw(2) == 0; }
  // Eight elements per partition in one of several patterns, all on the same 32 partitions.
  TileView view() {
    const Tile& tile = tiles_[draw(4)];
    switch (draw(5)) {
      case 0:
        return tile.view(row_, kPartitions, draw(16), 8);
      case 1:
        return tile.pattern(row_, kPartitions, draw(2), {{2, 12}, {4, 2}});
      case 2:
        return tile.pattern(row_, kPartitions, draw(2), {{2, 10}, {2, 5}, {2, 2}});
      case 3:
        return tile.pattern(row_, kPartitions, draw(4), {{2, 12}, {2, 4}, {2, 2}, {1, 1}});
      default:
        return tile.view(row_, kPartitions, draw(12), 8).split(2).transposed();
    }
  }
  TileView column() { return tiles_[draw(4)].view(row_, kPartitions, draw(kFree), 1); }
  ScalarOperand scalar() { return coin() ? ScalarOperand(1.0f) : ScalarOperand(column()); }
  std::optional<Reduce> reduce() {
    if (coin()) return std::nullopt;
    Reduce result;
    static constexpr ReduceCommand kCommands[] = {
        ReduceCommand::kReduce, ReduceCommand::kResetReduce, ReduceCommand::kLoadReduce};
    result.command = kCommands[draw(3)];
    if (coin() || result.command == ReduceCommand::kLoadReduce) result.column = column();
    result.store = coin();
    return result;
  }
  // `count` contiguous elements of another format.
  TileView contiguous(unsigned count, DType dtype = DType::kFp32) {
    TileView result = tiles_[draw(4)].view(row_, kPartitions, draw(8), 1);
    result.dtype = dtype;
    result.num0 = count;
    return result;
  }
  Engine engine() { return coin() ? Engine::kVector : Engine::kGpsimd; }

  std::mt19937_64 random_;
  KernelBuilder& kb_;
  std::vector<Tile> tiles_;
  unsigned row_ = 0;
};

void Generator::arithmetic() {
  switch (draw(12)) {
    case 0:
      return kb_.activation(view(), Activation::kRelu, view(), {scalar(), scalar(), reduce()});
    case 1: {
      kernels::ScalarOptions options;
      options.reduce = reduce();
      return kb_.activate2(view(), view(), Alu::kMultiply, scalar(), Alu::kAdd, scalar(), options);
    }
    case 2: {
      kernels::ScalarOptions options;
      options.reduce = reduce();
      return kb_.tensor_scalar(view(), view(), Alu::kAdd, scalar(), Alu::kMax, scalar(), options);
    }
    case 3:
      return kb_.exponential(view(), view(), scalar(), reduce());
    case 4:
      return kb_.tensor_copy_predicated(view(), view(), view(), coin());
    case 5:
      return kb_.select_reduce(view(), view(), view(), scalar(),
                               coin() ? std::nullopt : std::optional(column()));
    case 6:
      return kb_.tensor_tensor(view(), view(), Alu::kAdd, view(), engine());
    case 7:
      return kb_.scalar_tensor_tensor(view(), view(), Alu::kAdd, scalar(), Alu::kMultiply, view());
    case 8:
      return kb_.tensor_reduce(
          tiles_[draw(4)].view(row_, kPartitions, draw(20), 4), Alu::kAdd,
          tiles_[draw(4)].pattern(row_, kPartitions, draw(2), {{4, 5}, {2, 3}, {2, 2}}), coin(), 2);
    case 9:
      return kb_.affine_select(view(), view(), {0, 1, {8, 4, 2, 1}}, Alu::kIsGe, 0.0f);
    case 10:
      return kb_.memset(view(), scalar(), engine());
    default:
      return kb_.tensor_tensor_scan(view(), view(), Alu::kMultiply, view(), Alu::kAdd, scalar());
  }
}

void Generator::special() {
  switch (draw(13)) {
    case 0:
      return kb_.bn_stats(contiguous(6), view());
    case 1:
      return kb_.bn_aggr(contiguous(2), contiguous(6));
    case 2:
      return kb_.max8(view(), view());
    case 3:
      return kb_.nc_find_index8(view().as(DType::kUint32), view(), view());
    case 4:
      return kb_.nc_match_replace8(view(), view(), view(), 0.0f);
    case 5: {
      std::array<std::uint8_t, 32> mask{};
      if (coin()) mask[5] = 255;
      return kb_.nc_stream_shuffle(contiguous(8), contiguous(8), mask);
    }
    case 6:
      return kb_.nc_transpose(view().rows(0, 8), view().rows(0, 8), Engine::kVector);
    case 7:
      return coin() ? kb_.dropout(view(), view(), column())
                    : kb_.rng(view().as(DType::kUint32), engine());
    case 8:
      return kb_.local_gather(view(), view(), contiguous(2, DType::kUint16));
    case 9:
      return kb_.nc_n_gather(view(), view(), view().as(DType::kUint32));
    case 10:
      return coin() ? kb_.nonzero_with_count(contiguous(9).as(DType::kInt32), view())
                    : kb_.sequence_bounds(contiguous(16), view());
    case 11:
      return kb_.topk(contiguous(2, DType::kBf16), contiguous(2, DType::kUint32),
                      contiguous(4, DType::kBf16), 64, 32);
    default:
      return kb_.tensor_partition_reduce(view().rows(0, 1), Alu::kAdd, view());
  }
}

}  // namespace

Executable random_element_program(std::uint64_t seed, unsigned count) {
  BareBuilder kb("random", test_chip());
  Generator generator(seed, &kb);
  for (const Tile& tile : generator.tiles()) {
    const auto in = kb.input("in." + tile.name, DType::kFp32, {tile.partitions, tile.free});
    kb.dma_load(tile, in.view(0, tile.partitions, 0, tile.free));
  }
  for (unsigned i = 0; i < count; ++i) generator.instruction();
  for (const Tile& tile : generator.tiles()) {
    const auto out = kb.output("out." + tile.name, DType::kFp32, {tile.partitions, tile.free});
    kb.dma_store(out.view(0, tile.partitions, 0, tile.free), tile);
  }
  return kb.finish();
}

}  // namespace tern::tb
