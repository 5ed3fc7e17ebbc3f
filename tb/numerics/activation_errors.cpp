// SPDX-License-Identifier: Apache-2.0
// Measures every activation function over all BF16 inputs and prints docs/reference/activation.md.
// Use: activation_errors > docs/reference/activation.md
#include <cstdio>

#include "tb/numerics/activation_error.h"

int main() {
  std::vector<tern::tb::ActivationError> errors;
  for (unsigned f = 0; f < tern::numerics::kActFunctions; ++f) {
    errors.push_back(tern::tb::measure_activation(static_cast<tern::numerics::ActFunction>(f)));
  }
  std::fputs(tern::tb::activation_page(errors).c_str(), stdout);
  return 0;
}
