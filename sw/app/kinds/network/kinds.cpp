// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/network/matmul.h"
#include "sw/app/kinds/network/mlp.h"

namespace tern::app {

std::vector<Kind> network_kinds() {
  return {make_kind("mlp", load_mlp, run_mlp), make_kind("matmul", load_matmul, run_matmul)};
}

}  // namespace tern::app
