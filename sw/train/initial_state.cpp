// SPDX-License-Identifier: Apache-2.0
#include "sw/train/initial_state.h"

#include <cstring>
#include <random>

#include "sw/numerics/convert.h"

namespace tern::train {

namespace {

std::vector<std::uint8_t> uniform(const StateTensor& tensor, std::mt19937_64& engine) {
  std::vector<std::uint8_t> bytes(tensor.bytes());
  const std::size_t size = numerics::dtype_size(tensor.dtype);
  for (std::uint64_t i = 0; i < tensor.elements(); ++i) {
    // Written out: the standard's distributions differ between libraries.
    const float unit = static_cast<float>(engine() >> 40) * 0x1p-24f;
    const float value = (2.0f * unit - 1.0f) * tensor.limit;
    numerics::narrow(tensor.dtype, &value, &bytes[i * size], 1);
  }
  return bytes;
}

std::vector<std::uint8_t> ones(const StateTensor& tensor) {
  std::vector<std::uint8_t> bytes(tensor.bytes());
  const std::vector<float> values(tensor.elements(), 1.0f);
  numerics::narrow(tensor.dtype, values.data(), bytes.data(), values.size());
  return bytes;
}

std::vector<std::uint8_t> words(const StateTensor& tensor, std::mt19937_64& engine) {
  std::vector<std::uint8_t> bytes(tensor.bytes());
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint32_t)) {
    const auto word = static_cast<std::uint32_t>(engine() >> 32);
    std::memcpy(&bytes[at], &word, sizeof word);
  }
  return bytes;
}

}  // namespace

State zero_state(const std::vector<StateTensor>& tensors) {
  State state;
  for (const StateTensor& tensor : tensors) state.emplace_back(tensor.bytes());
  return state;
}

State initial_state(const std::vector<StateTensor>& tensors, std::uint64_t seed) {
  using Initial = StateTensor::Initial;
  std::mt19937_64 engine(seed);
  State state;
  for (const StateTensor& tensor : tensors) {
    if (tensor.initial == Initial::kUniform) {
      state.push_back(uniform(tensor, engine));
    } else if (tensor.initial == Initial::kRandomWords) {
      state.push_back(words(tensor, engine));
    } else if (tensor.initial == Initial::kOne) {
      state.push_back(ones(tensor));
    } else {
      state.emplace_back(tensor.bytes());
    }
  }
  return state;
}

}  // namespace tern::train
