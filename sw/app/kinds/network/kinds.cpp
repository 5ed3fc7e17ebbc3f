// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/network/matmul.h"
#include "sw/app/kinds/network/mlp.h"

namespace tern::app {

std::vector<Kind> network_kinds() {
  const Compared program = program_compared();
  Compared mlp = program;
  mlp.numbers.push_back({"accuracy", "/accuracy", true});
  return {make_kind("mlp", load_mlp, run_mlp, mlp,
                    {"--core", "--output", "--firmware", "--faults", "compile"}),
          make_kind("matmul", load_matmul, run_matmul, program,
                    {"--core", "--output", "--firmware", "--faults", "compile"})};
}

}  // namespace tern::app
