// SPDX-License-Identifier: Apache-2.0
#include "sw/platform/tensor_bytes.h"

#include <fmt/format.h>

#include "sw/base/user_error.h"
#include "sw/numerics/convert.h"

namespace tern {
namespace {

std::size_t element_bytes(numerics::DType dtype) {
  if (!numerics::is_compute_dtype(dtype)) {
    throw UserError(fmt::format("format '{}' is not one of single numbers in whole bytes",
                                numerics::dtype_name(dtype)));
  }
  return numerics::dtype_size(dtype);
}

}  // namespace

Bytes to_bytes(const std::vector<float>& values, numerics::DType dtype) {
  Bytes bytes(values.size() * element_bytes(dtype));
  numerics::narrow(dtype, values.data(), bytes.data(), values.size());
  return bytes;
}

std::vector<float> to_floats(const Bytes& bytes, numerics::DType dtype) {
  std::vector<float> values(bytes.size() / element_bytes(dtype));
  numerics::widen(dtype, bytes.data(), values.data(), values.size());
  return values;
}

}  // namespace tern
