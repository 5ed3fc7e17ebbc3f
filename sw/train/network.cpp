// SPDX-License-Identifier: Apache-2.0
#include "sw/train/network.h"

#include <fmt/format.h>

#include <utility>

namespace tern::train {

using layers::Activation;
using layers::Epilogue;

namespace {

// Held from one step, a program of its own, to the next.
kernels::Tensor state_of(Layers& layers, const StateTensor& tensor) {
  kernels::KernelBuilder& builder = layers.builder();
  const kernels::Tensor state =
      builder.scratch(tensor.name, tensor.dtype, {tensor.rows, tensor.columns});
  builder.already_written(state);
  return state;
}

}  // namespace

StateMatrix::StateMatrix(Layers& layers, const StateTensor& tensor, Rows rows)
    : tensor_(state_of(layers, tensor)),
      value_(tensor.rows == 1 && rows == Rows::kEqual ? layers.load_row(tensor_)
                                                      : layers.load(tensor_)) {}

void StateMatrix::store(Layers& layers) const {
  layers.store(tensor_, stored());
}

Network::Network(Layers& layers, const MlpSpec& spec, Observer observe)
    : l_(layers), spec_(spec), observe_(std::move(observe)) {
  for (std::size_t i = 0; i < spec.layers(); ++i) {
    const std::uint64_t in = spec.sizes[i], out = spec.sizes[i + 1];
    StateMatrix weight(l_, {fmt::format("w{}", i), spec.master(), in, out});
    StateMatrix bias(l_, {fmt::format("b{}", i), DType::kFp32, 1, out});
    observe_(fmt::format("w{}", i), weight.value());
    const Matrix operand = spec.master() == spec.operand()
                               ? weight.value()
                               : l_.convert(spec.operand(), weight.value());
    layers_of_.push_back({weight, bias, operand, {}});
  }
}

Matrix Network::forward(const Matrix& x) {
  Matrix values = x;
  for (std::size_t i = 0; i < spec_.layers(); ++i) values = forward(i, values);
  return values;
}

Matrix Network::forward(std::size_t index, const Matrix& in) {
  Layer& layer = layers_of_[index];
  l_.builder().part(fmt::format("layer {}, forward", index));
  const bool last = index + 1 == spec_.layers();
  layer.input = in;
  Epilogue epilogue;
  epilogue.bias_row = &layer.bias.value();
  if (!last) epilogue.function = Activation::kRelu;
  const Matrix out = l_.make(in.rows, spec_.sizes[index + 1], last ? DType::kFp32 : in.dtype);
  const Matrix by_feature = l_.transpose(in);
  if (spec_.precision == Precision::kMxfp8) {
    l_.product(out, l_.quantize(by_feature), l_.quantize(layer.operand), epilogue);
  } else {
    l_.product(out, by_feature, layer.operand, epilogue);
  }
  observe_(last ? "logits" : fmt::format("activations of layer {}", index), out);
  return out;
}

}  // namespace tern::train
