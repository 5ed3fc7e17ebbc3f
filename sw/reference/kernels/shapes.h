// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

// The results of kernels, in FP64 and plain loops: the tests' oracle. Shares no code with the
// kernels. Matrices are row major; inputs are the values that the device holds.
namespace tern::reference {

using Values = std::vector<double>;
using Inputs = std::vector<float>;

}  // namespace tern::reference
