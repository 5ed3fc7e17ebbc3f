// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/matmul_operand.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "sw/base/math.h"
#include "sw/kernels/builder/memory/limits.h"

namespace tern::kernels {

namespace {

constexpr unsigned kQuadrant = TERN_LIMIT_QUADRANT,
                   kScaleRows = 4;   // partitions; of them with scales
constexpr std::uint32_t kPitch = 8;  // elements: planes stay aligned

std::uint64_t rounded(std::uint64_t value, std::uint64_t step) {
  return round_up(value, step);
}

std::uint64_t tag_bytes(std::uint64_t columns) {
  return 2 * ceil_div(columns, 4);
}

std::uint64_t aux_bytes(const MatmulFormat& format, MatmulOperand::Role role,
                        std::uint64_t columns) {
  if (format.has_scales()) return columns;
  const bool tags = format.mode == TensorMode::kSparse && role == MatmulOperand::Role::kStationary;
  return tags ? tag_bytes(columns) : 0;
}

unsigned planes_of(const MatmulFormat& format, MatmulOperand::Role role) {
  if (format.mode == TensorMode::kDoubleRow) return 2;
  const bool moving = role == MatmulOperand::Role::kMoving;
  return format.mode == TensorMode::kSparse && moving ? planes(format.sparsity) : 1;
}

std::vector<std::uint64_t> shape_of(const MatmulFormat& format, MatmulOperand::Role role,
                                    const MatmulOperand::Extent& extent) {
  const std::uint64_t rows = extent.k / format.k_per_partition();
  const bool kept = format.mode == TensorMode::kSparse && role == MatmulOperand::Role::kStationary;
  if (kept || format.mode == TensorMode::kMx) return {rows, extent.columns};
  // Planes padded to a multiple of four columns.
  if (format.mode == TensorMode::kDoubleRow) return {rows, 2, rounded(extent.columns, 4)};
  return {extent.k, extent.columns};
}

}  // namespace

MatmulOperand::MatmulOperand(KernelBuilder* kb, const MatmulFormat& format, Role role,
                             Extent extent)
    : kb_(kb),
      format_(format),
      role_(role),
      extent_(extent),
      name_(role == Role::kStationary ? "a" : "b"),
      dtype_(role == Role::kStationary ? format.a : format.b),
      in_hbm_(role == Role::kStationary ? format.a_in_hbm : format.b),
      elements_(kb->input(name_, in_hbm_, shape_of(format, role, extent))) {
  if (format.has_scales()) {
    const std::uint64_t blocks = extent.k / format.k_per_partition() / 8;
    aux_ = kb->input(name_ + "_scales", DType::kE8m0, {blocks, extent.columns});
  } else if (aux_bytes(format, role, 1) > 0) {
    aux_ = kb->input(name_ + "_tags", DType::kUint8,
                     {extent.k / format.k_per_partition(), tag_bytes(extent.columns)});
  }
}

unsigned MatmulOperand::slab_rows(const MatmulFormat& format, std::uint64_t k, std::uint64_t slab) {
  const std::uint64_t rows = k / format.k_per_partition();
  return static_cast<unsigned>(std::min<std::uint64_t>(kPartitions, rows - slab * kPartitions));
}

std::uint64_t MatmulOperand::bytes(const MatmulFormat& format, Role role, std::uint64_t columns) {
  constexpr std::uint64_t kAlignment = 64;
  const bool stationary = role == Role::kStationary;
  const DType dtype = stationary ? format.a : format.b;
  const unsigned count = planes_of(format, role);
  const std::uint64_t free = count == 1 ? columns : count * rounded(columns, kPitch);
  std::uint64_t all = rounded(free * numerics::dtype_size(dtype), kAlignment) +
                      rounded(aux_bytes(format, role, columns), kAlignment);
  if (stationary && format.a_in_hbm != format.a) {
    all += rounded(columns * numerics::dtype_size(format.a_in_hbm), kAlignment);
  }
  return all;
}

unsigned MatmulOperand::element_planes() const {
  return planes_of(format_, role_);
}

std::uint32_t MatmulOperand::pitch(std::uint32_t columns) const {
  return element_planes() == 1 ? columns : static_cast<std::uint32_t>(rounded(columns, kPitch));
}

unsigned MatmulOperand::together(std::uint32_t columns) const {
  const bool one_piece = role_ == Role::kMoving && element_planes() == 1 && !aux_ &&
                         in_hbm_ == dtype_ && elements_.rows % kPartitions == 0;
  if (!one_piece) return 1;
  const std::uint64_t slabs = elements_.rows / kPartitions;
  const std::uint64_t wanted = kLongRow / (columns * numerics::dtype_size(dtype_));
  for (std::uint64_t count = std::min(slabs, wanted); count > 1; --count) {
    if (slabs % count == 0) return static_cast<unsigned>(count);
  }
  return 1;
}

void MatmulOperand::rotate(unsigned buffers, std::uint32_t columns) {
  const unsigned slabs = together(columns);
  const auto pool = [&](const char* what, std::uint64_t bytes) {
    return kb_->sbuf_pool(name_ + what, std::max(2u, buffers / slabs),
                          static_cast<std::uint32_t>(slabs * bytes));
  };
  element_pool_ =
      pool("", std::uint64_t{element_planes()} * pitch(columns) * numerics::dtype_size(dtype_));
  if (in_hbm_ != dtype_) stored_pool_ = pool(".stored", columns * numerics::dtype_size(in_hbm_));
  if (aux_) aux_pool_ = pool(".aux", aux_bytes(format_, role_, columns));
}

void MatmulOperand::set_part(bool loads, bool computes) {
  loads_ = loads;
  computes_ = computes;
}

Tile MatmulOperand::place(std::optional<TilePool>* pool, const char* what, std::uint64_t slab,
                          unsigned rows, std::uint32_t free, DType dtype) {
  const std::string name = name_ + what + "." + std::to_string(slab);
  return *pool ? (*pool)->tile(name, rows, free, dtype) : kb_->sbuf_tile(name, rows, free, dtype);
}

void MatmulOperand::fetch(std::uint64_t slab, std::uint64_t first, std::uint32_t columns) {
  const unsigned slabs = together(columns);
  slab -= slab % slabs;
  const Key key{first, slab};
  if (tiles_.count(key) != 0) return;
  const unsigned rows = slab_rows(format_, extent_.k, slab);
  Tiles tiles;
  tiles.columns = columns;
  tiles.pitch = pitch(columns);
  tiles.together = slabs;
  tiles.elements =
      place(&element_pool_, "", slab, rows, slabs * element_planes() * tiles.pitch, dtype_);
  if (in_hbm_ != dtype_)
    tiles.stored = place(&stored_pool_, ".stored", slab, rows, columns, in_hbm_);
  if (aux_) {
    const auto free = static_cast<std::uint32_t>(aux_bytes(format_, role_, columns));
    tiles.aux = place(&aux_pool_, ".aux", slab, rows, free, aux_->dtype);
  }
  if (loads_) load(tiles, slab, first);
  if (computes_ && tiles.stored) kb_->expand_fp4(tiles.elements, *tiles.stored);
  tiles_[key] = tiles;
}

void MatmulOperand::load(const Tiles& tiles, std::uint64_t slab, std::uint64_t first) {
  const Tile& target = tiles.stored ? *tiles.stored : tiles.elements;
  const unsigned rows = target.partitions, count = element_planes();
  const std::uint64_t row = slab * kPartitions;
  // Two sources of descriptors: neither holds up the other.
  const DmaOptions options = role_ == Role::kStationary ? kMadeByHost : DmaOptions{};
  if (count == 1) {
    const TensorView source =
        elements_.slabs(row, rows, tiles.together, kPartitions, first, tiles.columns);
    kb_->dma_load(target, source, options);
  } else {
    const TileView view = target.view_2d(0, rows, 0, count, tiles.columns, tiles.pitch);
    kb_->dma_load(view, elements_.interleaved(count * row, rows, count, first, tiles.columns),
                  options);
  }
  if (tiles.aux) load_aux(tiles, slab, first);
}

void MatmulOperand::load_aux(const Tiles& tiles, std::uint64_t slab, std::uint64_t first) {
  const Tile& aux = *tiles.aux;
  if (!format_.has_scales()) {
    kb_->dma_load(aux, aux_->view(slab * kPartitions, aux.partitions, tag_bytes(first), aux.free),
                  kMadeByHost);
    return;
  }
  const std::uint64_t row = slab * kPartitions / 8;
  for (unsigned g = 0; g * kQuadrant < aux.partitions; ++g) {
    kb_->dma_load(aux.view(g * kQuadrant, kScaleRows, 0, tiles.columns),
                  aux_->view(row + g * kScaleRows, kScaleRows, first, tiles.columns), kMadeByHost);
  }
}

TensorOperand MatmulOperand::view(std::uint64_t slab, std::uint64_t first, unsigned at,
                                  unsigned columns, Half half) const {
  // The transfer with this slab: the last one that begins at it or before.
  const auto found = std::prev(tiles_.upper_bound({first, slab}));
  const Tiles& tiles = found->second;
  at += static_cast<unsigned>(slab - found->first.second) * tiles.columns;
  const unsigned rows = tiles.elements.partitions, count = element_planes();
  const TileView data = count == 1
                            ? tiles.elements.view(0, rows, at, columns)
                            : tiles.elements.view_2d(0, rows, at, count, columns, tiles.pitch);
  switch (format_.mode) {
    case TensorMode::kDoubleRow:
      return double_row(data);
    case TensorMode::kMx:
      return mx(data, tiles.aux->view(0, rows, at, columns));
    case TensorMode::kQuad:
      return quad(data, tiles.aux->view(0, rows, at, columns));
    case TensorMode::kSparse:
      if (role_ == Role::kMoving) return sparse_moving(data, format_.sparsity);
      return sparse_stationary(data,
                               tiles.aux->view(0, rows, static_cast<unsigned>(tag_bytes(at)),
                                               static_cast<unsigned>(tag_bytes(columns))),
                               format_.sparsity);
    default:
      return fp32_half(data, half);
  }
}

}  // namespace tern::kernels
