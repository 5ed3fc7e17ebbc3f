// SPDX-License-Identifier: Apache-2.0
// The tensor engine's part: products, transposes, sums over rows.
#include <algorithm>
#include <vector>

#include "sw/kernels/builder/memory/limits.h"
#include "sw/kernels/catalogue/blocks.h"
#include "sw/layers/layers.h"
#include "sw/layers/shapes.h"

namespace tern::layers {

using kernels::blocks_of;
using kernels::Engine;
using kernels::for_blocks;
using kernels::TensorOperand;
using kernels::Tile;

namespace {

constexpr std::uint32_t kBank = kernels::kPsumBankColumns;
constexpr std::uint32_t kBanksPerStep =
    kernels::kPsumBanks / 2;  // the others are evicted meanwhile

// Common part of the two kinds of operands: pieces of the contraction.
unsigned depth(const Matrix& matrix) {
  return matrix.slabs();
}
unsigned depth(const MxMatrix& matrix) {
  return matrix.groups();
}

TensorOperand part(const Matrix& matrix, unsigned k, std::uint32_t first, std::uint32_t count) {
  return matrix.block(k, first, count);
}
TensorOperand part(const MxMatrix& matrix, unsigned k, std::uint32_t first, std::uint32_t count) {
  return kernels::mx(matrix.elements.block(k, first, count), matrix.scales.block(k, first, count));
}

void check_operands(const Matrix& a, const Matrix& b, SourceLine where) {
  require(a.dtype == b.dtype, where,
          fmt::format("product of {} and {}: expected one format", numerics::dtype_name(a.dtype),
                      numerics::dtype_name(b.dtype)));
}
void check_operands(const MxMatrix& /*a*/, const MxMatrix& /*b*/, SourceLine /*where*/) {}

bool in_passes(const Matrix& a) {
  return a.dtype == DType::kFp32;
}
bool in_passes(const MxMatrix& /*a*/) {
  return false;
}

}  // namespace

// 128 rows of the result by up to four banks of 512 columns at a time: one stationary serves them.
template <typename Operand>
void Layers::multiply(const Matrix& dst, const Operand& a, const Operand& b,
                      const Epilogue& epilogue, SourceLine where) {
  require(a.rows == b.rows, where,
          fmt::format("product of {} and {}: expected the same rows", shape(a), shape(b)));
  require_shape(dst, a.columns, b.columns, "result of the product", where);
  check_operands(a, b, where);
  if (epilogue.bias_row != nullptr)
    require_shape(*epilogue.bias_row, Matrix::kSlab, dst.columns, "bias by column", where);
  if (epilogue.bias_column != nullptr)
    require_shape(*epilogue.bias_column, dst.rows, 1, "bias by row", where);
  if (epilogue.residual != nullptr)
    require_shape(*epilogue.residual, dst.rows, dst.columns, "residual", where);

  struct Sum {
    std::uint32_t first;
    Tile tile;
  };
  for (unsigned m = 0; m < dst.slabs(); ++m) {
    const unsigned rows = dst.slab_rows(m);
    for_blocks(dst.columns, kBanksPerStep * kBank, [&](std::uint64_t from, std::uint32_t all) {
      std::vector<Sum> sums;
      for_blocks(all, kBank, [&](std::uint64_t at, std::uint32_t count) {
        sums.push_back({static_cast<std::uint32_t>(from + at),
                        banks_.tile("sum", rows, count, DType::kFp32, where)});
      });
      for (unsigned k = 0; k < depth(a); ++k) {
        const TensorOperand stationary = part(a, k, m * Matrix::kSlab, rows);
        if (!in_passes(a)) kb_.load_stationary(stationary, {}, where);
        for (const Sum& sum : sums) {
          const TensorOperand moving = part(b, k, sum.first, sum.tile.free);
          if (in_passes(a)) {
            kb_.nc_matmul(sum.tile, stationary, moving, k > 0, where);
          } else {
            kb_.multiply_moving(sum.tile, moving, k > 0, where);
          }
        }
      }
      for (const Sum& sum : sums) evict(dst, sum.tile, epilogue, m, sum.first, where);
    });
  }
}

void Layers::product(const Matrix& dst, const Matrix& a, const Matrix& b, const Epilogue& epilogue,
                     SourceLine where) {
  multiply(dst, a, b, epilogue, where);
}

void Layers::product(const Matrix& dst, const MxMatrix& a, const MxMatrix& b,
                     const Epilogue& epilogue, SourceLine where) {
  multiply(dst, a, b, epilogue, where);
}

Matrix Layers::product(DType dtype, const Matrix& a, const Matrix& b, const Epilogue& epilogue,
                       SourceLine where) {
  const Matrix result = make(a.columns, b.columns, dtype, where);
  product(result, a, b, epilogue, where);
  return result;
}

// function(scale * sum + bias) + residual in as few instructions as possible. Vector and Scalar
// alternate for operations that both support, with the same bits.
void Layers::evict(const Matrix& result, const TileView& sum, const Epilogue& epilogue,
                   unsigned slab, std::uint32_t first, SourceLine where) {
  const std::uint32_t count = sum.num0;
  const TileView dst = result.block(slab, first, count, where);
  const auto between = [&] {  // FP32 before the result
    return make(sum.partitions, count, DType::kFp32, where);
  };
  TileView value = sum;
  float scale = epilogue.scale;
  Matrix biased, activated;
  const bool has_function = epilogue.function != Activation::kIdentity;
  const bool has_column = epilogue.bias_column != nullptr;
  const bool adds = epilogue.residual != nullptr;

  if (epilogue.bias_row != nullptr) {
    const bool last = !has_function && !has_column && !adds;
    if (!last) biased = between();
    const TileView to = last ? dst : biased.slab(0);
    const TileView row = epilogue.bias_row->block(0, first, count).rows(0, sum.partitions);
    kb_.scalar_tensor_tensor(to, value, Alu::kMultiply, scale, Alu::kAdd, row, false, false, where);
    if (last) return;
    value = to;
    scale = 1.0f;
  }
  kernels::ScalarOperand column = 0.0f;
  if (has_column) column = epilogue.bias_column->slab(slab);
  const bool on_vector = evictions_++ % 2 == 0;
  if (has_function || has_column || !adds) {
    if (adds) activated = between();
    const TileView to = adds ? activated.slab(0) : dst;
    if (epilogue.function == Activation::kRelu && scale == 1.0f && on_vector) {
      kb_.tensor_scalar(to, value, Alu::kAdd, column, Alu::kMax, 0.0f, {}, where);
    } else if (has_function) {
      kb_.activation(to, epilogue.function, value, scale, column, where);
    } else if (has_column || scale != 1.0f) {
      kernels::ScalarOptions options;
      options.engine = on_vector ? Engine::kVector : Engine::kScalar;
      kb_.tensor_scalar(to, value, Alu::kMultiply, scale, Alu::kAdd, column, options, where);
    } else {
      kb_.tensor_copy(to, value, on_vector ? Engine::kVector : Engine::kScalar, where);
    }
    if (!adds) return;
    value = to;
    scale = 1.0f;
  }
  kb_.scalar_tensor_tensor(dst, value, Alu::kMultiply, scale, Alu::kAdd,
                           epilogue.residual->block(slab, first, count), false, false, where);
}

// Up to a bank of transposed blocks side by side, evicted at once.
void Layers::transpose(const Matrix& dst, const Matrix& src, SourceLine where) {
  require_shape(dst, src.columns, src.rows, "transposed matrix", where);
  require(dst.dtype == src.dtype, where, "transpose: expected one format");
  const auto size = static_cast<std::uint32_t>(numerics::dtype_size(src.dtype));
  const std::uint32_t width = kernels::kPsumBankBytes / size;
  for (unsigned slab = 0; slab < dst.slabs(); ++slab) {
    const unsigned partitions = dst.slab_rows(slab);
    for_blocks(src.rows, width, [&](std::uint64_t first, std::uint32_t count) {
      const Tile bank = banks_.tile("transposed", partitions, count, src.dtype, where);
      for_blocks(count, Matrix::kSlab, [&](std::uint64_t at, std::uint32_t rows) {
        const auto from = static_cast<unsigned>((first + at) / Matrix::kSlab);
        kb_.nc_transpose(bank.view(0, partitions, static_cast<unsigned>(at), rows),
                         src.block(from, slab * Matrix::kSlab, partitions), Engine::kTensor, where);
      });
      const bool on_vector = evictions_++ % 2 == 0;
      kb_.tensor_copy(dst.block(slab, static_cast<std::uint32_t>(first), count), bank,
                      on_vector ? Engine::kVector : Engine::kScalar, where);
    });
  }
}

Matrix Layers::transpose(const Matrix& src, SourceLine where) {
  const Matrix result = make(src.columns, src.rows, src.dtype, where);
  transpose(result, src, where);
  return result;
}

Matrix Layers::column_sums(const Matrix& src, SourceLine where) {
  std::optional<Matrix>& ones = src.dtype == DType::kFp32 ? ones_fp32_ : ones_bf16_;
  if (!ones || ones->dtype != src.dtype) {
    ones = filled(Matrix::kSlab, Matrix::kSlab, src.dtype, 1.0f, where);
  }
  Matrix all = *ones;  // its one slab serves all
  all.rows = src.rows;
  all.pitch_ = 0;
  return product(DType::kFp32, all, src, {}, where);
}

}  // namespace tern::layers
