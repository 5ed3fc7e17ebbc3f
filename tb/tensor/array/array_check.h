// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tb/tensor/array/array_bench.h"
#include "tb/tensor/array/array_command.h"

namespace tern::tb {

// Runs commands in the order of their issue and compares all that leaves the array with the
// reference. By default the array is right: `spoil` changes what it is expected to give.
void check(ArrayBench* bench, const std::vector<ArrayCommand>& commands,
           void (*spoil)(std::vector<ArrayResult>*) = nullptr);

}  // namespace tern::tb
