// SPDX-License-Identifier: Apache-2.0
#include "sw/train/probes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sw/base/math.h"

namespace tern::train {
namespace {

// Writers' rectangles of memory as rows and columns of the matrix.
void add_parts(const kernels::KernelBuilder& kb, const layers::TileView& view, unsigned slab,
               Probe* probe) {
  const std::uint64_t size = numerics::dtype_size(view.dtype);
  const std::uint64_t end = view.byte + view.num0 * size;
  for (const auto& writer : kb.writers(view)) {
    const std::uint64_t x0 = std::max<std::uint64_t>(writer.box.x0, view.byte);
    const std::uint64_t x1 = std::min<std::uint64_t>(writer.box.x1, end);
    const std::uint64_t first = std::uint64_t{slab} * Matrix::kSlab;
    probe->parts.push_back({first + writer.box.y0, first + writer.box.y1, (x0 - view.byte) / size,
                            ceil_div(x1 - view.byte, size), writer.instruction});
  }
}

}  // namespace

const std::string& Probe::writer(std::uint64_t row, std::uint64_t column) const {
  static const std::string kNobody = "an unknown instruction";
  const std::string* last = &kNobody;
  for (const Part& part : parts) {
    if (row >= part.row0 && row < part.row1 && column >= part.column0 && column < part.column1)
      last = &part.instruction;
  }
  return *last;
}

void Probes::see(const std::string& what, const Matrix& matrix) {
  if (list_ == nullptr) return;
  Probe probe{
      fmt::format("probe.{}", list_->size()), what, matrix.dtype, matrix.rows, matrix.columns, {}};
  for (unsigned slab = 0; slab < matrix.slabs(); ++slab)
    add_parts(l_.builder(), matrix.slab(slab), slab, &probe);
  l_.store(l_.builder().output(probe.tensor, probe.dtype, {probe.rows, probe.columns}), matrix);
  list_->push_back(std::move(probe));
}

void store_metrics(Layers& l, const Layers::CrossEntropy& loss, std::uint32_t of) {
  const std::uint32_t elements = of == 0 ? loss.loss.rows : of;
  const kernels::Tensor metrics = l.builder().output("metrics", DType::kFp32, {1, 2});
  const Matrix sum = l.column_sums(loss.loss), mean = l.make(1, 1, DType::kFp32);
  l.scale(mean, sum.part_rows(0, 1), 1.0f / static_cast<float>(elements));
  l.store(metrics, mean, 0, 0);
  l.store(metrics, l.column_sums(loss.correct).part_rows(0, 1), 0, 1);
}

}  // namespace tern::train
