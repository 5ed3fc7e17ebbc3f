// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/layers/layers.h"
#include "sw/train/model.h"

namespace tern::train {

using layers::Layers;
using layers::Matrix;

// Stores the intermediate tensors of a debugging build; without a list it does nothing.
class Probes {
 public:
  Probes(Layers& layers, std::vector<Probe>* list) : l_(layers), list_(list) {}
  void see(const std::string& what, const Matrix& matrix);

 private:
  Layers& l_;
  std::vector<Probe>* list_;
};

// The output "metrics" of a step. `of`: elements of the whole batch, if these are not all.
void store_metrics(Layers& layers, const Layers::CrossEntropy& loss, std::uint32_t of = 0);

}  // namespace tern::train
