// SPDX-License-Identifier: Apache-2.0
#include "sw/models/use/operand.h"

namespace tern::use {

using kernels::DType;
using kernels::MxRule;
using layers::Matrix;
using layers::MxMatrix;

namespace {

constexpr unsigned kQuadrant = 32, kScaleRows = 4;  // partitions; of them with scales
constexpr unsigned kGroup = 4 * Matrix::kSlab;      // rows of one MX product

}  // namespace

Operand Operand::columns(std::uint32_t first, std::uint32_t count) const {
  Operand part;
  if (plain) part.plain = plain->part_columns(first, count);
  if (mx) {
    part.mx = MxMatrix{mx->rows, count, mx->elements.part_columns(first, count),
                       mx->scales.part_columns(first, count)};
  }
  return part;
}

Operand Operands::weight(const std::string& name, std::uint32_t rows, std::uint32_t columns,
                         bool exact) {
  kernels::KernelBuilder& kb = l_.builder();
  if (exact) return {l_.load(kb.weight(name, DType::kFp32, {rows, columns})), {}};
  if (format_ == Format::kBf16)
    return {l_.load(kb.weight(name, DType::kBf16, {rows, columns})), {}};
  const std::uint32_t groups = (rows + kGroup - 1) / kGroup, packed = groups * Matrix::kSlab;
  MxMatrix matrix;
  matrix.rows = rows;
  matrix.columns = columns;
  matrix.elements = l_.make(packed, columns, DType::kE4m3FnX4);
  matrix.scales = l_.make(packed, columns, DType::kE8m0);
  const DType stored = format_ == Format::kW4a8 ? DType::kE2m1X4 : DType::kE4m3FnX4;
  const auto elements = kb.weight(name, stored, {packed, columns});
  const auto scales = kb.weight(name + ".scales", DType::kE8m0, {packed / 8, columns});
  for (unsigned g = 0; g < groups; ++g) {
    for (unsigned q = 0; q < Matrix::kSlab; q += kQuadrant) {
      kb.dma_load(matrix.scales.slab(g).rows(q, kScaleRows),
                  scales.view((g * Matrix::kSlab + q) / 8, kScaleRows, 0, columns));
    }
  }
  if (stored == DType::kE4m3FnX4) {
    l_.load(matrix.elements, elements);
  } else {
    const Matrix narrow = l_.load(elements);
    for (unsigned g = 0; g < groups; ++g) kb.expand_fp4(matrix.elements.slab(g), narrow.slab(g));
  }
  return {{}, matrix};
}

Operand Operands::activations(const Matrix& matrix) {
  if (format_ == Format::kBf16 || matrix.dtype == DType::kFp32) return {matrix, {}};
  const MxRule rule = format_ == Format::kMxfp8Ocp ? MxRule::kOcp : MxRule::kAws;
  return {{}, l_.quantize(matrix, DType::kE4m3FnX4, rule)};
}

void Operands::product(const Matrix& dst, const Operand& a, const Operand& b,
                       const layers::Epilogue& epilogue) {
  if (a.plain) return l_.product(dst, *a.plain, *b.plain, epilogue);
  // Missing rows of the last group are zero on both sides.
  MxMatrix left = *a.mx, right = *b.mx;
  left.rows = right.rows;
  l_.product(dst, left, right, epilogue);
}

}  // namespace tern::use
