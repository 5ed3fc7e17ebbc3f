// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/layers/layers.h"
#include "sw/runtime/executable.h"
#include "systemc/config/chip_config.h"

namespace tern::train {

using numerics::DType;

// What products multiply, and what the weights are kept in between steps.
enum class Precision : std::uint8_t {
  kBf16,        // BF16 operands of FP32 weights
  kMxfp8,       // the same, forward products in MXFP8 (e4m3fn blocks made on the chip)
  kStochastic,  // BF16 weights, rounded stochastically when they are updated
  kFp32,        // FP32 throughout, products in four passes
};
enum class Optimiser : std::uint8_t { kSgd, kAdamW };

// A network of fully connected layers with rectifiers between them, softmax and cross-entropy.
struct MlpSpec {
  std::vector<std::uint32_t> sizes;  // {784, 128, 10}
  std::uint32_t batch = 0;
  Precision precision = Precision::kBf16;
  Optimiser optimiser = Optimiser::kSgd;
  float momentum = 0.9f;                                // sgd
  float beta1 = 0.9f, beta2 = 0.999f, epsilon = 1e-8f;  // adamw
  bool masks = false;         // weights of all layers but the last stay zero where masks say so
  float weight_decay = 0.0f;  // adamw: of weights and biases, times the learning rate

  std::size_t layers() const { return sizes.size() - 1; }
  std::uint32_t classes() const { return sizes.back(); }
  DType operand() const { return precision == Precision::kFp32 ? DType::kFp32 : DType::kBf16; }
  DType master() const { return precision == Precision::kStochastic ? DType::kBf16 : DType::kFp32; }
};

// What lies in HBM from step to step, row major: "w0" [in, out], "b0" [1, out], the optimiser's
// moments "m.w0", "v.w0", ..., "mask.w0" (zeros and ones), and with stochastic rounding the
// generators' state "random".
struct StateTensor {
  std::string name;
  DType dtype = DType::kFp32;
  std::uint64_t rows = 0, columns = 0;
  std::uint64_t elements() const { return rows * columns; }
  std::uint64_t bytes() const { return elements() * numerics::dtype_size(dtype); }
};
std::vector<StateTensor> state_tensors(const MlpSpec& spec);

// Numbers of a step that no instruction computes, tensor "hyper": the learning rate and what
// follows from it and the number of the step (from 1).
constexpr std::uint32_t kHyperColumns = 4;
std::vector<float> hyper_of(const MlpSpec& spec, std::uint64_t step, double learning_rate);

// A tensor of a step that a debugging build stores, in the order of the program.
struct Probe {
  std::string tensor;  // its name in HBM: "probe.0"
  std::string what;    // "gradient of w1"
  DType dtype = DType::kFp32;
  std::uint64_t rows = 0, columns = 0;
  // Who wrote its parts, oldest first.
  struct Part {
    std::uint64_t row0 = 0, row1 = 0, column0 = 0, column1 = 0;
    std::string instruction;
  };
  std::vector<Part> parts;
  // The instruction behind an element.
  const std::string& writer(std::uint64_t row, std::uint64_t column) const;
};

// One step: the batch "x" [batch, features] (bf16, or fp32) and "labels" [1, batch] (int32) go
// forward and back; the optimiser changes the state in place. Output "metrics" [1, 2]: mean loss,
// number correct. With `probes` every intermediate tensor is stored as well.
Executable build_training_step(const MlpSpec& spec, const ChipConfig& chip,
                               std::vector<Probe>* probes = nullptr);
// The same batch forward only, weights as they are. Output "correct" [batch, 1]: 1 where no logit
// is larger than the label's, else 0.
Executable build_evaluation(const MlpSpec& spec, const ChipConfig& chip);

}  // namespace tern::train
