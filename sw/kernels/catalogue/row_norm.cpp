// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/catalogue/row_norm.h"

#include "sw/kernels/builder/memory/limits.h"
#include "sw/kernels/catalogue/blocks.h"
#include "sw/reference/kernels/normalisation.h"

namespace tern::kernels {

namespace {

constexpr std::uint32_t kGroup = 512;    // elements of one bn_stats
constexpr std::uint32_t kGroupSize = 6;  // size of its output

std::uint32_t groups_of(std::uint64_t columns) {
  return static_cast<std::uint32_t>(blocks_of(columns, kGroup));
}

bool is_layer(const NormSpec& spec) {
  return spec.kind == NormSpec::Kind::kLayer;
}

}  // namespace

RowNorm::RowNorm(KernelBuilder& kb, const NormSpec& spec) : kb_(kb), spec_(spec) {
  const std::uint32_t chunk = std::min(spec.chunk(), static_cast<std::uint32_t>(spec.columns));
  results_ = kb_.sbuf_pool("results", 3, chunk * spec.size());
  moments_ = kb_.sbuf_pool("moments", 3, 8);
  inverses_ = kb_.sbuf_pool("inverses", 3, 4);
  gamma_ = load("gamma");
  if (is_layer(spec)) {
    beta_ = load("beta");
    products_ = kb_.sbuf_pool("products", 2, 4 * chunk);
    scaled_ = kb_.sbuf_pool("scaled", 2, 4 * chunk);
    statistics_ = kb_.sbuf_pool("statistics", 3, 4 * kGroupSize * groups_of(spec.columns));
  } else {
    products_ = kb_.sbuf_pool("products", 2, chunk * spec.size());
    squares_ = kb_.sbuf_pool("squares", 2, 2 * chunk);
  }
}

// One row, the same on all partitions.
Tile RowNorm::load(const char* name) {
  const Tensor tensor = kb_.weight(name, spec_.dtype, {1, spec_.columns});
  const auto columns = static_cast<std::uint32_t>(spec_.columns);
  const Tile tile = kb_.sbuf_tile(name, kPartitions, columns, spec_.dtype);
  kb_.dma_load(tile, tensor.replicated(0, kPartitions, 0, columns));
  return tile;
}

RowNorm::Rows RowNorm::begin(unsigned rows) {
  Rows block;
  block.rows = rows;
  if (is_layer(spec_)) {
    block.statistics =
        statistics_.tile("statistics", rows, kGroupSize * groups_of(spec_.columns), DType::kFp32);
  }
  block.moments = moments_.tile("moments", rows, 2, DType::kFp32);
  block.inverse = inverses_.tile("inverse", rows, 1, DType::kFp32);
  return block;
}

void RowNorm::add(const Rows& block, unsigned index, const Tile& x) {
  if (is_layer(spec_)) {
    const std::uint32_t before = index * spec_.chunk() / kGroup;
    for_blocks(x.free, kGroup, [&](std::uint64_t first, std::uint32_t count) {
      const auto group = before + static_cast<std::uint32_t>(first / kGroup);
      kb_.bn_stats(block.statistics.view(0, block.rows, group * kGroupSize, kGroupSize),
                   x.view(0, block.rows, static_cast<unsigned>(first), count));
    });
    return;
  }
  // The squares themselves are not used: the narrowest format.
  const Tile squares = squares_.tile("squares", block.rows, x.free, DType::kBf16);
  ActivationOptions options;
  options.reduce = Reduce{Alu::kAdd, block.moments.column(0),
                          index == 0 ? ReduceCommand::kResetReduce : ReduceCommand::kReduce,
                          index + 1 == spec_.chunks()};
  kb_.activation(squares, Activation::kSquare, x, options);
}

void RowNorm::end(const Rows& block) {
  const auto epsilon = static_cast<float>(spec_.epsilon);
  if (is_layer(spec_)) {
    kb_.bn_aggr(block.moments, block.statistics);
    kb_.activation(block.inverse, Activation::kRsqrt, block.moments.column(1), 1.0f, epsilon);
  } else {
    kb_.activation(block.inverse, Activation::kRsqrt, block.moments.column(0),
                   1.0f / static_cast<float>(spec_.columns), epsilon);
  }
}

Tile RowNorm::normalise(const Rows& block, std::uint64_t first, const Tile& x) {
  const Tile result = results_.tile("result", block.rows, x.free, spec_.dtype);
  const auto of_columns = [&](const Tile& row) {
    return row.view(0, block.rows, static_cast<unsigned>(first), x.free);
  };
  const TileView gamma = of_columns(gamma_);
  if (!is_layer(spec_)) {
    if (spec_.dtype == DType::kFp32) {
      kb_.scalar_tensor_tensor(result, x, Alu::kMultiply, block.inverse, Alu::kMultiply, gamma);
    } else {
      const Tile scaled = products_.tile("scaled", block.rows, x.free, spec_.dtype);
      kb_.tensor_scalar(scaled, x, Alu::kMultiply, block.inverse);
      kb_.tensor_tensor(result, scaled, Alu::kMultiply, gamma);
    }
    return result;
  }
  const Tile product = products_.tile("product", block.rows, x.free, DType::kFp32);
  kb_.scalar_tensor_tensor(product, x, Alu::kSubtract, block.moments.column(0), Alu::kMultiply,
                           gamma);
  const Tile scaled = scaled_.tile("scaled", block.rows, x.free, DType::kFp32);
  ActivationOptions options;
  options.scale = block.inverse;
  kb_.activation(scaled, Activation::kIdentity, product, options);
  kb_.tensor_tensor(result, scaled, Alu::kAdd, of_columns(beta_), Engine::kGpsimd);
  return result;
}

}  // namespace tern::kernels
