// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tb/tensor/operands.h"
#include "tb/tensor/tensor_bench.h"

namespace tern::tb {

// `length` random commands, mostly legal, on random operands with random gaps; the bench compares
// everything.
void run_random_program(TensorBench& bench, Random& random, unsigned length);

}  // namespace tern::tb
