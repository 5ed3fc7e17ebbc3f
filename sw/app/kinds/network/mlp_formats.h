// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/app/kinds/network/mlp.h"

namespace tern::app {

// The network layer by layer in each of its formats: a product and what follows it are programs of
// the chip. The host quantises the operands of every product, so every format of the tensor engine
// can be used, and does the softmax.
int run_mlp_formats(const RunOptions& options, const MlpWorkload& mlp);

}  // namespace tern::app
