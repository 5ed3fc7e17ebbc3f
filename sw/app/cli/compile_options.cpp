// SPDX-License-Identifier: Apache-2.0
#include "sw/app/cli/compile_options.h"

#include "sw/app/cli/checks.h"

namespace tern::app {

void add_compile(CLI::App* app, RunOptions* options) {
  CLI::App* compile = app->add_subcommand(
      "compile", "Write a workload's program as a file that the C runtime loads");
  compile->add_option("workload", options->workload, "Workload YAML of kind matmul, mlp or kernel")
      ->required()
      ->check(check_name)
      ->type_name("FILE");
  compile->add_option("-o,--output", options->compile.output, "Write the program there")
      ->required()
      ->check(check_name)
      ->type_name("FILE");
  compile
      ->add_option("--data", options->compile.data,
                   "Write the bytes of every input there, as NAME.bin")
      ->check(check_name)
      ->type_name("DIR");
  compile->add_option("--chip", options->chip, "Preset or chip YAML (default trn3)")
      ->check(check_name)
      ->type_name("NAME|FILE");
  compile->add_option("--seed", options->seed, "Of random tensors (default 0)")
      ->check(check_count)
      ->type_name("N");
  compile->footer(
      "Example:\n"
      "  tern compile sw/examples/matmul/matmul.yaml -o product.tern --data tensors\n"
      "docs/howto/runtime.md shows how a program loads it.");
}

}  // namespace tern::app
