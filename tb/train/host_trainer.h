// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tern::tb {

// An MLP trained on the host in FP64 with plain loops: rectifiers, softmax cross-entropy, SGD with
// momentum or AdamW. Written from the formulas; shares no code with what runs on the chip.
class HostTrainer {
 public:
  struct Layer {
    std::size_t in = 0, out = 0;
    std::vector<double> weight, bias;                    // [in, out], [out]
    std::vector<double> weight_gradient, bias_gradient;  // of the last step
    std::vector<double> weight_m, bias_m, weight_v, bias_v;
  };
  struct Rules {
    bool adamw = false;
    double momentum = 0.9, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0;
  };
  struct Result {
    double loss = 0;
    std::size_t correct = 0;
  };

  HostTrainer(const std::vector<std::uint32_t>& sizes, const Rules& rules);

  // Mean loss of a batch [labels.size(), features] with the current weights.
  Result evaluate(const std::vector<double>& x, const std::vector<std::int32_t>& labels) const;
  Result step(const std::vector<double>& x, const std::vector<std::int32_t>& labels, double rate);

  std::vector<Layer> layers;

 private:
  std::vector<double> forward(const double* x, std::vector<std::vector<double>>* inputs) const;
  void update(std::vector<double>& value, const std::vector<double>& gradient,
              std::vector<double>& m, std::vector<double>& v, double rate);

  Rules rules_;
  unsigned steps_ = 0;
};

}  // namespace tern::tb
