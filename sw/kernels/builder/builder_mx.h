// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/kernels/builder/builder_products.h"

namespace tern::kernels {

// Conversions to MX operands and back.
class MxCalls : public ProductCalls {
 public:
  using ProductCalls::ProductCalls;

  // dst x4 [P, F] and their scales [P, F], laid out as for mx(), from src [P, 4F]; and back.
  void quantize_mx(const TileView& dst, const TileView& scales, const TileView& src,
                   MxRule rule = MxRule::kAws, unsigned scale_offset = 0,
                   SourceLine where = SourceLine::here());
  void dequantize_mx(const TileView& dst, const TileView& src, const TileView& scales,
                     unsigned scale_offset = 0, SourceLine where = SourceLine::here());
  // dst e4m3fn_x4 = src e2m1_x4, the same values; scales are unchanged.
  void expand_fp4(const TileView& dst, const TileView& src, SourceLine where = SourceLine::here());
};

}  // namespace tern::kernels
