// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sw/config/chip_config.h"
#include "sw/numerics/dtype.h"
#include "sw/runtime/executable.h"

namespace tern::train {

using numerics::DType;

// The operands of products, and the format of the weights between steps.
enum class Precision : std::uint8_t {
  kBf16,        // BF16 operands of FP32 weights
  kMxfp8,       // the same, forward products in MXFP8 (e4m3fn blocks made on the chip)
  kStochastic,  // BF16 weights, rounded stochastically when they are updated
  kFp32,        // FP32 throughout, products in four passes
};
enum class Optimiser : std::uint8_t { kSgd, kAdamW };

// How weights follow their gradients.
struct OptimiserRules {
  Optimiser optimiser = Optimiser::kSgd;
  float momentum = 0.9f;                                // for sgd
  float beta1 = 0.9f, beta2 = 0.999f, epsilon = 1e-8f;  // for adamw
  float weight_decay = 0.0f;                            // for adamw: times the learning rate
};

// A tensor that stays in HBM between steps, row major, and its initial values.
struct StateTensor {
  enum class Initial : std::uint8_t { kZero, kOne, kUniform, kRandomWords };

  std::string name;
  DType dtype = DType::kFp32;
  std::uint64_t rows = 0, columns = 0;
  Initial initial = Initial::kZero;
  float limit = 0;  // kUniform: within +- limit
  std::uint64_t elements() const { return rows * columns; }
  std::uint64_t bytes() const { return elements() * numerics::dtype_size(dtype); }
};

// What a rank has of a tensor: those rows and columns, side by side. None named: all.
struct TensorPart {
  struct Run {
    std::uint64_t first = 0, count = 0;
  };
  std::vector<Run> rows, columns;
};

// The optimiser's state for a parameter: "m.NAME", with AdamW also "v.NAME".
std::vector<StateTensor> moments_of(const StateTensor& parameter, const OptimiserRules& rules);

// Numbers of a step that no instruction computes, tensor "hyper": the learning rate and what
// follows from it and the number of the step (from 1).
constexpr std::uint32_t kHyperColumns = 4;
std::vector<float> hyper_of(const OptimiserRules& rules, std::uint64_t step, double learning_rate);

// A tensor of a step that a debugging build stores, in the order of the program.
struct Probe {
  std::string tensor;  // its name in HBM: "probe.0"
  std::string what;    // "gradient of w1"
  DType dtype = DType::kFp32;
  std::uint64_t rows = 0, columns = 0;
  // The writers of its parts, oldest first.
  struct Part {
    std::uint64_t row0 = 0, row1 = 0, column0 = 0, column1 = 0;
    std::string instruction;
  };
  std::vector<Part> parts;
  // The instruction that wrote an element.
  const std::string& writer(std::uint64_t row, std::uint64_t column) const;
};

// A training from the host's side. A step reads the batch "x" and "labels" [1, labels] (int32)
// and "hyper" [1, kHyperColumns], changes the state in place, and leaves "metrics" [1, 2]: mean
// loss, number correct. An evaluation reads the batch and leaves one fp32 per label. With probes a
// step stores every intermediate tensor as well.
struct Model {
  std::vector<StateTensor> state;  // whole tensors, as checkpoints have them
  // Of ranks that divide a model: what this one has of each. Empty: all ranks have all.
  std::vector<TensorPart> parts;
  // So many ranks that follow each other have the same part of the batch; the one that reports has
  // the metrics and what is evaluated and predicted. Parts: some samples, and of each one of so
  // many parts of equal length, which are those of ranks that follow each other.
  unsigned sharers = 1;
  std::uint64_t samples = 1;
  unsigned sample_parts = 1;
  unsigned group = 1;  // how many ranks, one after the other, evaluate and predict together
  bool reports = true;
  unsigned stage = 0;  // of a pipeline
  std::uint64_t x_bytes = 0;
  std::uint32_t labels = 0;
  std::string evaluated;  // the output of the evaluation
  std::function<Executable(const ChipConfig& chip, std::vector<Probe>* probes)> build_step;
  std::function<Executable(const ChipConfig& chip)> build_evaluation;
  // Of a model that predicts: from "window" [1, window] (int32) "logits" [window, choices]; of
  // samples in parts, those of one part.
  struct Prediction {
    std::uint32_t window = 0, choices = 0;
    std::function<Executable(const ChipConfig& chip)> build;
  };
  std::optional<Prediction> prediction;

  // Where a rank's elements are in those of the whole batch, when it has `own` of them.
  struct Slice {
    std::uint64_t first = 0, run = 0, pitch = 0;  // `run` elements of each sample
    std::uint64_t samples = 1;
  };
  Slice slice(unsigned rank, std::uint64_t own) const;
};

}  // namespace tern::train
