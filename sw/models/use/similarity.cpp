// SPDX-License-Identifier: Apache-2.0
#include "sw/models/use/similarity.h"

#include "sw/layers/layers.h"
#include "sw/models/use/model.h"

namespace tern::use {

Executable build_similarities(const std::vector<Embeddings>& inputs, const ChipConfig& chip) {
  using kernels::DType;
  constexpr unsigned kWidth = Model::kWidth;
  kernels::KernelBuilder kb("similarities", chip);
  layers::Layers l(kb, chip);
  std::uint64_t all = 0;
  for (const Embeddings& input : inputs) all += input.rows;
  const unsigned first = inputs.front().rows;
  const kernels::Tensor out = kb.output("similarities", DType::kFp32, {all, first});
  layers::Matrix queries;  // [512, rows]
  std::uint64_t row = 0;
  for (const Embeddings& input : inputs) {
    const layers::Matrix rows =
        l.transpose(l.load(kb.input(input.name, DType::kFp32, {input.rows, kWidth})));
    if (row == 0) queries = rows;
    l.store(out, l.product(DType::kFp32, rows, queries), row);
    row += input.rows;
  }
  return kb.finish();
}

}  // namespace tern::use
