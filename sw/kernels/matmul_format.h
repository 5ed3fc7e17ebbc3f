// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/kernels/builder/tensor/products.h"
#include "sw/numerics/instruction_codes.h"

namespace tern::kernels {

// A number format of a matrix product with the mode of the tensor engine that computes it.
struct MatmulFormat {
  const char* name;
  TensorMode mode;
  DType a, b;      // of the operands in the array
  DType a_in_hbm;  // storage format; expanded on chip where it differs
  Sparsity sparsity = Sparsity::k4of16;
  const char* remark;
  // How the host chooses the scales of blocks. E4M3FN and E5M2 as the chip does; E2M1, which only
  // the host makes, without headroom: three quarters of the error.
  numerics::MxRule a_rule = numerics::MxRule::kAws, b_rule = numerics::MxRule::kAws;

  // Contraction indices that one partition holds of an operand.
  unsigned k_per_partition() const;
  // K is a multiple of this.
  unsigned k_grain() const;
  // Independent products of the same shape in one pass.
  unsigned products() const { return mode == TensorMode::kQuad ? 4 : 1; }
  bool has_scales() const { return mode == TensorMode::kMx || mode == TensorMode::kQuad; }
};

const std::vector<MatmulFormat>& matmul_formats();
// nullptr for an unknown name.
const MatmulFormat* find_matmul_format(const std::string& name);

}  // namespace tern::kernels
