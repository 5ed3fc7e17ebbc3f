// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "sw/kernels/catalogue/kernels.h"
#include "systemc/config/user_error.h"

namespace tern::kernels {

const std::vector<Kernel>& catalogue() {
  static const std::vector<Kernel> kernels = {
      attention_kernel(), convolution_kernel(), cross_entropy_kernel(), embedding_kernel(),
      pooling_kernel(),   reduction_kernel(),   rotary_kernel(),        transformer_mlp_kernel(),
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
