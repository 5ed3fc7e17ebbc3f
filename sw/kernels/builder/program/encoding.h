// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/kernels/builder/memory/views.h"
#include "sw/spec/generated/isa.h"

namespace tern::kernels {

// The two inner dimensions of a view, as instructions carry them.
tern_ap_t pattern(const TileView& view);
// All of them: the outer ones in an `extend`. Three or four dimensions, some of them contiguous,
// are encoded as fewer.
void encode_pattern(const TileView& view, tern_ap_t* ap, tern_outer_t* outer);
// The same, dimension by dimension as the author wrote them.
void encode_dimensions(const TileView& view, tern_ap_t* ap, tern_outer_t* outer);

inline std::uint8_t code(DType dtype) {
  return static_cast<std::uint8_t>(dtype);
}

}  // namespace tern::kernels
