// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/matmul_data.h"

#include <array>
#include <cstring>

#include "sw/base/bytes.h"
#include "sw/kernels/pack/double_row_pack.h"
#include "sw/kernels/pack/mx_pack.h"
#include "sw/kernels/pack/sparse_pack.h"
#include "sw/numerics/bf16.h"
#include "sw/numerics/fp16.h"

namespace tern::kernels {

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes dense_bytes(const std::vector<float>& values, DType dtype) {
  if (numerics::dtype_size(dtype) == 4) return base::bytes_of(values);
  std::vector<std::uint16_t> halves;
  halves.reserve(values.size());
  for (const float x : values) {
    halves.push_back(dtype == DType::kFp16 ? numerics::fp16_from_float(x)
                                           : numerics::bf16_from_float(x));
  }
  return base::bytes_of(halves);
}

// The four products of quad mode, which the caller passes one below the other.
std::array<std::vector<float>, 4> products_of(const std::vector<float>& values) {
  std::array<std::vector<float>, 4> products;
  const auto size = static_cast<std::ptrdiff_t>(values.size() / products.size());
  auto begin = values.begin();
  for (auto& product : products) {
    product.assign(begin, begin + size);
    begin += size;
  }
  return products;
}

void add_blocks(const std::string& name, const std::vector<float>& values, std::uint64_t k,
                std::uint64_t columns, DType dtype, bool quad, numerics::MxRule rule,
                std::vector<MatmulTensor>* tensors) {
  MxPacked packed = quad ? pack_quad(products_of(values), k, columns, dtype, rule)
                         : pack_mx(values, k, columns, dtype, rule);
  tensors->push_back({name, std::move(packed.data)});
  tensors->push_back({name + "_scales", std::move(packed.scales)});
}

}  // namespace

std::vector<MatmulTensor> pack_matmul(const MatmulSpec& spec, const std::vector<float>& a,
                                      const std::vector<float>& b) {
  const MatmulFormat& format = *find_matmul_format(spec.format);
  std::vector<MatmulTensor> tensors;
  switch (format.mode) {
    case TensorMode::kDense:
      return {{"a", dense_bytes(a, format.a)}, {"b", dense_bytes(b, format.b)}};
    case TensorMode::kDoubleRow:
      return {{"a", pack_double_row(a, spec.k, spec.m, format.a).data},
              {"b", pack_double_row(b, spec.k, spec.n, format.b).data}};
    case TensorMode::kSparse: {
      SparsePacked packed = pack_sparse(a, spec.k, spec.m, format.sparsity, format.a);
      return {{"a", base::bytes_of(packed.values)},
              {"a_tags", std::move(packed.tags)},
              {"b", dense_bytes(b, format.b)}};
    }
    default: {
      const bool quad = format.mode == TensorMode::kQuad;
      add_blocks("a", a, spec.k, spec.m, format.a_in_hbm, quad, format.a_rule, &tensors);
      add_blocks("b", b, spec.k, spec.n, format.b, quad, format.b_rule, &tensors);
      return tensors;
    }
  }
}

}  // namespace tern::kernels
