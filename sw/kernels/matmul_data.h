// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/kernels/matmul.h"
#include "sw/kernels/matmul_format.h"

namespace tern::kernels {

// An input tensor of a matmul program, as bytes.
struct MatmulTensor {
  std::string name;
  std::vector<std::uint8_t> bytes;
};

// The tensors of build_matmul() for FP32 values a [K, M] and b [K, N], rounded or quantised to the
// format. Sparse formats take an `a` that is sparse already (pack/sparse_pack.h); quad mode four
// matrices each, one below the other.
std::vector<MatmulTensor> pack_matmul(const MatmulSpec& spec, const std::vector<float>& a,
                                      const std::vector<float>& b);

}  // namespace tern::kernels
