// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/top/bench/engine.h"

#include <stdexcept>

#include "sw/spec/generated/tensor_shapes.h"

namespace tern::tb {

TensorShape config_shape(const std::string& config) {
#define TERN_CONFIG(name, rows, cols, banks, columns, interval, moving, depth, stages) \
  if (config == #name) return {rows, cols, banks, columns, interval, moving, depth, stages};
  TERN_TENSOR_SHAPES(TERN_CONFIG)
#undef TERN_CONFIG
  throw std::logic_error("no tensor configuration '" + config + "'");
}

}  // namespace tern::tb
