// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "sw/kernels/builder/kernel_builder.h"

namespace tern::tb {

// For single instructions, whose operands nothing writes.
struct BareBuilder : kernels::KernelBuilder {
  BareBuilder(std::string name, const ChipConfig& chip)
      : kernels::KernelBuilder(std::move(name), chip) {
    check_use(false);
  }
};

}  // namespace tern::tb
