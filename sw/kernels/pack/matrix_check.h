// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "sw/base/user_error.h"

namespace tern::kernels {

// A matrix [k, columns] must have as many values.
inline void check_matrix(const char* name, std::size_t values, std::size_t k, std::size_t columns) {
  if (k == 0 || columns == 0 || values != k * columns) {
    throw UserError(std::string(name) + ": " + std::to_string(values) + " values: expected [" +
                    std::to_string(k) + ", " + std::to_string(columns) + "], not empty");
  }
}

}  // namespace tern::kernels
