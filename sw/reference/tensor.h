// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

// The tensor engine's products (docs/numerics.md, section 2) as plain host loops: C[M, N] = A^T x B
// for A [K, M] and B [K, N], row major. Like reference.h it shares no code with the engines.
namespace tern::reference {

// Contents of PSUM between the slabs of K.
enum class Psum { kFp32, kBf16 };

// An FP32 word as a TF32 operand.
float to_tf32(float word);

// Slabs of 128 k, each a chain of fused multiply-adds; values already of the operand format.
std::vector<float> matmul_dense(const std::vector<float>& a, const std::vector<float>& b,
                                std::size_t k, std::size_t m, std::size_t n, Psum psum);

// The four passes over the halves of the significands.
std::vector<float> matmul_fp32(const std::vector<float>& a, const std::vector<float>& b,
                               std::size_t k, std::size_t m, std::size_t n, Psum psum);

// `kept` of every `group` consecutive k: values [K * kept / group, M] in increasing k, each with
// its position inside the group.
struct SparseOperand {
  unsigned kept = 4, group = 16;
  std::size_t columns = 0;
  std::vector<float> values;
  std::vector<std::uint8_t> positions;
};
std::vector<float> matmul_sparse(const SparseOperand& a, const std::vector<float>& b, std::size_t k,
                                 std::size_t n, Psum psum);

enum class SmallFormat { kE4m3fn, kE4m3, kE5m2, kE2m1 };
double small_value(SmallFormat format, std::uint8_t code);

// Elements of 8 or 4 bits, one code each, [K, columns]; scales [blocks, columns], none for 2^0.
struct BlockOperand {
  SmallFormat format = SmallFormat::kE4m3fn;
  std::size_t columns = 0;
  std::vector<std::uint8_t> codes, scales;
};

// How k is cut into slabs and exact blocks, and where a block's scale is.
struct BlockOrder {
  struct Block {
    std::vector<std::size_t> k;
    std::size_t scale_row = 0;
  };
  std::vector<std::vector<Block>> slabs;
};
// Slabs of 512: with R rows (128, fewer in the last), k = first + q * R + r; blocks of eight rows.
BlockOrder mx_order(std::size_t k);
// Slabs of 256 in two planes.
BlockOrder double_row_order(std::size_t k);
// Slabs of 128, blocks of 32; the scales of product `slot` of four.
BlockOrder quad_order(std::size_t k, unsigned slot);

std::vector<float> matmul_blocks(const BlockOperand& a, const BlockOperand& b,
                                 const BlockOrder& order, Psum psum);

}  // namespace tern::reference
