// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "sw/app/kinds/kind.h"
#include "sw/kernels/catalogue/kernel.h"

namespace tern::app {

// A kernel of the catalogue (sw/kernels/catalogue) with its parameters as written.
struct KernelWorkload : Workload {
  std::string kernel;
  kernels::Parameters parameters;

  std::string describe() const override { return kernel; }  // the case knows more
};

KernelWorkload load_kernel(const config::YamlMap& top, std::uint64_t seed);

}  // namespace tern::app
