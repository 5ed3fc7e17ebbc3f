// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/kernels/catalogue/kernel.h"

// One function per entry of the catalogue, each in a separate file.
namespace tern::kernels {

Kernel attention_kernel();
Kernel batch_norm_kernel();
Kernel convolution_kernel();
Kernel cross_entropy_kernel();
Kernel depthwise_kernel();
Kernel embedding_kernel();
Kernel layer_norm_kernel();
Kernel pooling_kernel();
Kernel reduction_kernel();
Kernel residual_kernel();
Kernel rms_norm_kernel();
Kernel rotary_kernel();
Kernel softmax_kernel();
Kernel transformer_mlp_kernel();

}  // namespace tern::kernels
