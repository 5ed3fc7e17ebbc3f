// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "sw/models/use/model.h"

namespace tern::use {

// A block as the chip computes it, with n(x) = (x - mean) / deviation:
//   h = n(x); queries and keys = h qk + qk_bias, already scaled; values = h v;
//   y = [heads, x if narrower] out + out_bias, plus x if as wide;
//   result = y + relu(n(y) feed_in + in_bias) feed_out + out_bias.
struct FoldedBlock {
  Dense qk;   // [width, queries of all heads then keys]
  Dense v;    // its bias is in out's
  Dense out;  // [width, 512], or [2 width, 512] with the residual's weights below
  Dense feed_in;
  Dense feed_out;
};

FoldedBlock fold(const Block& block);
// One of `parts` equal parts: of qk and v the columns of some heads, of out the rows that belong to
// them and, of the residual, as many; of feed_in columns, of feed_out rows. Biases of out and
// feed_out are whole: of the sum.
FoldedBlock part_of(const FoldedBlock& whole, unsigned width, unsigned parts, unsigned part);

}  // namespace tern::use
