// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/network/tensors.h"

#include <cstring>

#include "sw/base/bytes.h"
#include "sw/numerics/bf16.h"
#include "sw/numerics/fp16.h"

namespace tern::app {

using numerics::DType;

std::vector<std::uint8_t> bytes_of(const std::vector<float>& values, DType dtype) {
  if (dtype == DType::kFp32) return base::bytes_of(values);
  std::vector<std::uint8_t> bytes(values.size() * 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint16_t bits = dtype == DType::kFp16 ? numerics::fp16_from_float(values[i])
                                                     : numerics::bf16_from_float(values[i]);
    std::memcpy(&bytes[2 * i], &bits, 2);
  }
  return bytes;
}

Job::Tensor output(const char* name, std::size_t words) {
  return {name, std::vector<std::uint8_t>(words * sizeof(float)), true};
}

void append_bits(const std::vector<float>& values, std::vector<std::uint32_t>* bits) {
  const std::size_t before = bits->size();
  bits->resize(before + values.size());
  if (!values.empty())
    std::memcpy(bits->data() + before, values.data(), values.size() * sizeof(float));
}

}  // namespace tern::app
