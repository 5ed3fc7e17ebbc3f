// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "sw/config/chip_config.h"
#include "sw/numerics/dtype.h"
#include "sw/runtime/executable.h"

namespace tern::kernels {

// Which part of the kernel a program holds. On one core, kLoad then kCompute have the effect of
// kAll, with the operands in SBUF in between. So the time of the multiplication alone can be
// measured.
enum class MatmulPart { kAll, kLoad, kCompute };

// C[M, N] = A[K, M]^T x B[K, N]: both operands have the contraction dimension K as rows
// ("K-major"). Tensors of the program, row major: inputs "a" and "b", output "c" [M, N]. With
// formats of matmul_format.h, P = 128 partitions and R those of a slab (fewer in the last):
//
//   dense          a [K, M], b [K, N]
// double row     a [K/2, 2, M'], b [K/2, 2, N'], two planes padded to a multiple of four
//                  columns: slabs of 256, row s*P + r of plane p is k = s*256 + p*R + r
//   MX             x4 elements a [K/4, M], b [K/4, N]: row s*P + r, slot q is k = s*512 + q*R + r;
//                  e8m0 a_scales, b_scales [K/32, ...]: row s*16 + i is rows 8i..8i+7 of the slab
//   quad           four products: slot q of a [K, M], b [K, N] is product q; scales [K/8, ...]:
//                  row s*16 + 4g + q, k = s*128 + 32g .. +31; c [4*M, N]
//   sparse M of N  kept a [K*M/N, columns], a_tags two bytes for four columns, b [K, N]
//
// Arithmetic: docs/numerics.md; slabs are added in PSUM in order. A BF16 result is rounded once at
// the end, a BF16 PSUM at every slab.
struct MatmulSpec {
  std::uint64_t m = 0, k = 0, n = 0;
  std::string format = "bf16";
  numerics::DType psum = numerics::DType::kFp32;
  numerics::DType output = numerics::DType::kFp32;
  MatmulPart part = MatmulPart::kAll;  // kLoad and kCompute: both operands must fit into SBUF
};

// Both operands fit into SBUF together.
bool matmul_fits(const MatmulSpec& spec, const ChipConfig& chip);

Executable build_matmul(const MatmulSpec& spec, const ChipConfig& chip);

}  // namespace tern::kernels
