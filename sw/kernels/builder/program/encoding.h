// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/kernels/builder/memory/views.h"
#include "sw/spec/generated/isa.h"

namespace tern::kernels {

// The two inner dimensions of a view, as instructions carry them.
tern_ap_t pattern(const TileView& view);
// The same elements with fewer dimensions, if there are more than two: those of one element
// omitted, adjacent contiguous ones merged.
TileView folded(const TileView& view);
// All of them: the outer ones in an `extend`, of the folded view.
void encode_pattern(const TileView& view, tern_ap_t* ap, tern_outer_t* outer);
// The same, dimension by dimension as the author wrote them.
void encode_dimensions(const TileView& view, tern_ap_t* ap, tern_outer_t* outer);

inline std::uint8_t code(DType dtype) {
  return static_cast<std::uint8_t>(dtype);
}

}  // namespace tern::kernels
