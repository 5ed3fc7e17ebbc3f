// SPDX-License-Identifier: Apache-2.0
#include "sw/app/cli/gpsimd_options.h"

#include "sw/app/cli/checks.h"

namespace tern::app {

CLI::App* add_gpsimd(CLI::App* app, GpsimdOptions* options) {
  CLI::App* gpsimd =
      app->add_subcommand("gpsimd", "Run a program of GpSimd's processors, under GDB if wanted");
  gpsimd->add_option("program", options->program, "ELF file (sw/gpsimd/README.md)")
      ->required()
      ->check(check_name)
      ->type_name("FILE.elf");
  gpsimd
      ->add_option("--args", options->arguments,
                   "Its arguments, at most 8: whole numbers; with a point the bits of FP32")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("N,..");
  gpsimd->add_option("--processors", options->processors, "Of 0 to 7 (default: all)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(0, 7))
      ->type_name("N,..");
  gpsimd
      ->add_option("--input", options->inputs,
                   "Array [P, ..] that stands in SBUF before, row p from this byte of partition p "
                   "(repeatable)")
      ->allow_extra_args(false)
      ->type_name("FILE.npy@BYTE");
  gpsimd
      ->add_option("--output", options->outputs,
                   "Array that is read from there after it, a row of each partition (repeatable)")
      ->allow_extra_args(false)
      ->type_name("FILE.npy@BYTE:COLUMNSxFORMAT");
  gpsimd->add_option("--chip", options->chip, "Preset or chip YAML")
      ->capture_default_str()
      ->type_name("NAME|FILE");
  gpsimd
      ->add_option("--gdb", options->gdb,
                   "Wait for GDB at this port before the first instruction; 0: any free one")
      ->check(CLI::Range(0, 65535))
      ->type_name("PORT");
  gpsimd->add_option("--trace", options->trace, "Write a timeline for ui.perfetto.dev")
      ->check(check_name)
      ->type_name("FILE")
      ->group("Output");
  gpsimd->add_flag("--json", options->json, "Print the result as JSON instead of text")
      ->group("Output");
  gpsimd->footer(
      "Examples:\n"
      "  tern gpsimd row_topk.elf --args 0,64,2,256,264 --input scores.npy@0 \\\n"
      "      --output best.npy@256:2xfloat32 --output where.npy@264:2xuint32\n"
      "  tern gpsimd row_topk.elf --args 0,64,2,256,264 --processors 0 --gdb 3333\n"
      "Exit code: 0 the program ended, 1 it failed, 2 bad input.");
  return gpsimd;
}

}  // namespace tern::app
