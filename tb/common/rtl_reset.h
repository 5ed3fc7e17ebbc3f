// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tern::tb {

// A reset between two edges of the clock. The other inputs keep their levels.
template <typename Model>
void reset_between_edges(Model& model) {
  model.clk_i = 0;
  model.eval();
  model.rst_ni = 0;
  model.eval();
  model.rst_ni = 1;
  model.eval();
}

}  // namespace tern::tb
