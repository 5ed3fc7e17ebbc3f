// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/builder/dma/dma_view.h"

#include <algorithm>

#include "sw/kernels/builder/element/view_checks.h"
#include "sw/spec/generated/address_map.h"

namespace tern::kernels {

DmaView::DmaView(const TileView& view)
    : dtype(view.dtype),
      base{DmaAddress::Space::kCore, 0,
           TERN_CORE_SBUF_BASE + view.partition * TERN_CORE_SBUF_STRIDE + view.byte},
      tile(view) {
  dims.push_back({view.partitions, static_cast<std::int64_t>(TERN_CORE_SBUF_STRIDE)});
  for (unsigned d = TileView::kDimensions; d-- > 0;) {
    const Dimension dimension = view.dimension(d);
    dims.push_back({dimension.count,
                    std::int64_t{dimension.step} * static_cast<std::int64_t>(element_bytes())});
  }
}

DmaView::DmaView(const TensorView& view)
    : dtype(view.dtype),
      base{DmaAddress::Space::kTensor, view.tensor, view.offset},
      tensor(view),
      dims{{view.partitions, static_cast<std::int64_t>(view.partition_pitch)},
           {view.outer, static_cast<std::int64_t>(view.outer_pitch)},
           {view.inner, static_cast<std::int64_t>(numerics::dtype_size(view.dtype))}} {}

std::uint64_t DmaView::elements() const {
  std::uint64_t count = 1;
  for (const Dim& dim : dims) count *= dim.count;
  return count;
}

bool DmaView::has_contiguous_rows() const {
  auto next = static_cast<std::int64_t>(element_bytes());
  for (std::size_t d = dims.size(); d-- > 1;) {
    if (dims[d].count == 1) continue;
    if (dims[d].pitch != next) return false;
    next *= static_cast<std::int64_t>(dims[d].count);
  }
  return true;
}

HazardMap::Access DmaView::access(bool write) const {
  if (tile) return access_of(*tile, write);
  return {kFirstTensorSpace + tensor->tensor,
          {tensor->row0, tensor->row1, tensor->byte0, tensor->byte1},
          write};
}

namespace {

// From the innermost, without those of one element.
std::vector<DmaView::Dim> inside_out(const DmaView& view) {
  std::vector<DmaView::Dim> dims;
  for (std::size_t d = view.dims.size(); d-- > 0;) {
    if (view.dims[d].count != 1) dims.push_back(view.dims[d]);
  }
  return dims;
}

// The finer of both splits, from the innermost dimension outwards.
std::optional<std::vector<DmaPattern::Dim>> refine(std::vector<DmaView::Dim> dst,
                                                   std::vector<DmaView::Dim> src) {
  std::vector<DmaPattern::Dim> dims;
  std::size_t d = 0, s = 0;
  while (d < dst.size() && s < src.size()) {
    DmaView::Dim &to = dst[d], &from = src[s];
    const std::uint64_t count = std::min(to.count, from.count);
    if (count == 0 || to.count % count != 0 || from.count % count != 0) return std::nullopt;
    dims.push_back({count, to.pitch, from.pitch});
    for (DmaView::Dim* dim : {&to, &from}) {
      dim->count /= count;
      dim->pitch *= static_cast<std::int64_t>(count);
    }
    if (to.count == 1) ++d;
    if (from.count == 1) ++s;
  }
  if (d < dst.size() || s < src.size()) return std::nullopt;
  return dims;
}

}  // namespace

std::optional<DmaPattern> match(const DmaView& dst, const DmaView& src) {
  const auto refined = refine(inside_out(dst), inside_out(src));
  if (!refined) return std::nullopt;
  const bool has_rows = dst.dims[0].count > 1 || src.dims[0].count > 1;
  // Adjacent dimensions that are contiguous on both sides become one; rows stay separate.
  DmaPattern pattern;
  pattern.run = dst.element_bytes();
  for (std::size_t d = 0; d < refined->size(); ++d) {
    const DmaPattern::Dim& dim = (*refined)[d];
    const bool rows = has_rows && d + 1 == refined->size();
    const auto follows = [&dim](std::int64_t dst_pitch, std::int64_t src_pitch,
                                std::uint64_t count) {
      const auto times = static_cast<std::int64_t>(count);
      return dim.dst == dst_pitch * times && dim.src == src_pitch * times;
    };
    if (!rows && pattern.dims.empty()) {
      const auto run = static_cast<std::int64_t>(pattern.run);
      if (follows(run, run, 1)) {
        pattern.run *= dim.count;
        continue;
      }
    } else if (!rows) {
      DmaPattern::Dim& inner = pattern.dims.back();
      if (follows(inner.dst, inner.src, inner.count)) {
        inner.count *= dim.count;
        continue;
      }
    }
    pattern.dims.push_back(dim);
  }
  if (!has_rows) pattern.dims.push_back({1, 0, 0});
  return pattern;
}

}  // namespace tern::kernels
