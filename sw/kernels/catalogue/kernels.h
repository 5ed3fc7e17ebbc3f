// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/kernels/catalogue/kernel.h"

// One function per entry of the catalogue, each in a file of its own.
namespace tern::kernels {

Kernel attention_kernel();
Kernel convolution_kernel();
Kernel cross_entropy_kernel();
Kernel embedding_kernel();
Kernel pooling_kernel();
Kernel reduction_kernel();
Kernel rotary_kernel();
Kernel transformer_mlp_kernel();

}  // namespace tern::kernels
