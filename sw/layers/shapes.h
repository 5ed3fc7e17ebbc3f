// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>

#include "sw/base/user_error.h"
#include "sw/layers/matrix.h"

namespace tern::layers {

template <typename M>
std::string shape(const M& matrix) {
  return fmt::format("[{}, {}]", matrix.rows, matrix.columns);
}

inline void require(bool good, SourceLine where, const std::string& message) {
  if (!good) throw UserError(where.text() + ": " + message);
}

inline void require_shape(const Matrix& matrix, std::uint32_t rows, std::uint32_t columns,
                          const char* what, SourceLine where) {
  require(matrix.rows == rows && matrix.columns == columns, where,
          fmt::format("{} {}: expected [{}, {}]", what, shape(matrix), rows, columns));
}

}  // namespace tern::layers
