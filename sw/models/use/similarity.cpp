// SPDX-License-Identifier: Apache-2.0
#include "sw/models/use/similarity.h"

#include "sw/layers/layers.h"
#include "sw/models/use/model.h"

namespace tern::use {

using kernels::DType;
using layers::Layers;
using layers::Matrix;

namespace {

constexpr unsigned kWidth = Model::kWidth;

// The queries on every rank, given those of the first one: [512, rows].
Matrix broadcast(Layers& l, const SimilarityPart& part, const kernels::Tensor* own) {
  kernels::KernelBuilder& kb = l.builder();
  kernels::Tensor queries = kb.scratch("queries", DType::kFp32, {part.queries, kWidth});
  kb.already_written(queries);  // by the first rank
  if (own != nullptr) l.store(queries, l.load(*own));
  kernels::CollectiveOperands operands;
  operands.data = queries.rows_on_partitions(0, 1, part.queries);
  kb.collective(*part.broadcast, operands);
  return l.transpose(l.load(queries));
}

}  // namespace

Executable build_similarities(const std::vector<Embeddings>& inputs, const ChipConfig& chip,
                              const SimilarityPart& part) {
  kernels::KernelBuilder kb("similarities", chip);
  if (part.ranks > 1) kb.join_parts(part.rank, part.ranks);
  Layers l(kb, chip);
  std::uint64_t all = 0;
  for (const Embeddings& input : inputs) all += input.rows;
  std::vector<kernels::Tensor> tensors;
  tensors.reserve(inputs.size());
  for (const Embeddings& input : inputs)
    tensors.push_back(kb.input(input.name, DType::kFp32, {input.rows, kWidth}));
  const bool first = part.rank == 0;
  const unsigned count = part.ranks > 1 ? part.queries : inputs.front().rows;
  const kernels::Tensor out = kb.output("similarities", DType::kFp32, {all, count});
  Matrix queries;  // [512, rows]
  if (part.ranks > 1) queries = broadcast(l, part, first ? &tensors.front() : nullptr);
  std::uint64_t row = 0;
  for (const kernels::Tensor& tensor : tensors) {
    const Matrix rows = l.transpose(l.load(tensor));
    if (row == 0 && part.ranks == 1) queries = rows;
    l.store(out, l.product(DType::kFp32, rows, queries), row);
    row += tensor.rows;
  }
  return kb.finish();
}

}  // namespace tern::use
