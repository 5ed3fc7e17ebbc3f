// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sw/reference/tensor.h"

namespace tern::reference {

// C for FP32 values a [K, M] and b [K, N] in one of the kernels' formats, by its name
// (sw/kernels/matmul_format.h): rounded or quantised, then multiplied as docs/numerics.md says.
// Quad formats take and give four matrices, one below the other.
std::vector<float> matmul_in_format(const std::string& format, const std::vector<float>& a,
                                    const std::vector<float>& b, std::size_t k, std::size_t m,
                                    std::size_t n, Psum psum = Psum::kFp32);

}  // namespace tern::reference
