// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/builder/program/encoding.h"

#include <limits>

namespace tern::kernels {

TileView folded(const TileView& view) {
  if (view.dimensions() <= 2) return view;
  constexpr std::uint64_t kMaxCount = std::numeric_limits<std::uint16_t>::max();
  TileView result = view;
  unsigned last = 0;
  for (unsigned d = 1; d < TileView::kDimensions; ++d) {
    const Dimension outer = view.dimension(d), inner = result.dimension(last);
    if (outer.count == 1) continue;
    const std::uint64_t count = std::uint64_t{inner.count} * outer.count;
    if (inner.count == 1) {
      result.set_dimension(last, outer);
    } else if (outer.step == std::int64_t{inner.step} * inner.count && count <= kMaxCount) {
      result.set_dimension(last, {static_cast<std::uint32_t>(count), inner.step});
    } else {
      result.set_dimension(++last, outer);
    }
  }
  for (unsigned d = last + 1; d < TileView::kDimensions; ++d) result.set_dimension(d, {1, 0});
  return result;
}

tern_ap_t pattern(const TileView& view) {
  tern_ap_t ap{};
  ap.addr = (view.space == Space::kPsum ? std::uint32_t{1} << 31 : 0) |
            (std::uint32_t{view.partition} << 24) | view.byte;
  ap.num0 = static_cast<std::uint16_t>(view.num0);
  ap.step0 = static_cast<std::int16_t>(view.step0);
  ap.num1 = static_cast<std::uint16_t>(view.num1);
  ap.step1 = static_cast<std::int16_t>(view.step1);
  return ap;
}

void encode_dimensions(const TileView& view, tern_ap_t* ap, tern_outer_t* outer) {
  *ap = pattern(view);
  *outer = {};
  if (view.dimensions() > 2) {
    outer->num2 = static_cast<std::uint16_t>(view.num2);
    outer->step2 = static_cast<std::int16_t>(view.step2);
  }
  if (view.dimensions() > 3) {
    outer->num3 = static_cast<std::uint16_t>(view.num3);
    outer->step3 = static_cast<std::int16_t>(view.step3);
  }
}

void encode_pattern(const TileView& view, tern_ap_t* ap, tern_outer_t* outer) {
  encode_dimensions(folded(view), ap, outer);
}

}  // namespace tern::kernels
