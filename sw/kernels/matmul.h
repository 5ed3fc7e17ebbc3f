// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/runtime/executable.h"
#include "systemc/config/chip_config.h"
#include "systemc/numerics/dtype.h"

namespace tern::kernels {

// Which part of the kernel a program holds. kLoad then kCompute on one core do what kAll does, with
// the operands resting in SBUF in between: so the time of the multiplication alone can be measured.
enum class MatmulPart { kAll, kLoad, kCompute };

// C[M, N] = A[K, M]^T x B[K, N]: both operands have the contraction dimension K as rows
// ("K-major"). Tensors of the program: inputs "a" [K, M] and "b" [K, N], BF16 or FP16; output "c"
// [M, N], FP32 or BF16. Row major. Arithmetic: K in slabs of 128 rows, each an FP32 chain of fused
// multiply-adds; slabs are added in FP32 in order (docs/numerics.md); a BF16 result is rounded once
// at the end.
struct MatmulSpec {
  std::uint64_t m = 0, k = 0, n = 0;
  numerics::DType input = numerics::DType::kBf16;
  numerics::DType output = numerics::DType::kFp32;
  MatmulPart part = MatmulPart::kAll;  // kLoad and kCompute: both operands must fit into SBUF
};

Executable build_matmul(const MatmulSpec& spec, const ChipConfig& chip);

}  // namespace tern::kernels
