// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "sw/base/user_error.h"
#include "sw/kernels/catalogue/kernels.h"

namespace tern::kernels {

const std::vector<Kernel>& catalogue() {
  static const std::vector<Kernel> kernels = {
      attention_kernel(), batch_norm_kernel(),      convolution_kernel(), cross_entropy_kernel(),
      depthwise_kernel(), embedding_kernel(),       layer_norm_kernel(),  pooling_kernel(),
      reduction_kernel(), residual_kernel(),        rms_norm_kernel(),    rotary_kernel(),
      softmax_kernel(),   transformer_mlp_kernel(),
  };
  return kernels;
}

const Kernel& find_kernel(const std::string& name) {
  std::string names;
  for (const Kernel& kernel : catalogue()) {
    if (kernel.name == name) return kernel;
    names += (names.empty() ? "" : ", ") + kernel.name;
  }
  throw UserError(fmt::format("no kernel '{}': expected one of {}", name, names));
}

}  // namespace tern::kernels
