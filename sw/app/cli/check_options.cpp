// SPDX-License-Identifier: Apache-2.0
#include "sw/app/cli/check_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/app/cli/checks.h"

namespace tern::app {

namespace {

std::string check_number(const std::string& text) {
  const bool good = !text.empty() && text.size() <= 9 &&
                    text.find_first_not_of("0123456789") == std::string::npos;
  return good ? "" : fmt::format("expected a whole number, got '{}'", text);
}

std::string check_part(const std::string& text) {
  return text == "march" || text == "screen" || text == "training"
             ? ""
             : fmt::format("expected march, screen or training, got '{}'", text);
}

}  // namespace

void add_check(CLI::App* app, CheckOptions* options, std::vector<std::string>* settings) {
  CLI::App* check = app->add_subcommand(
      "check", "Test a chip: memories, a training with known bits, every core's datapaths");
  check->add_option("--chip", options->chip, "Preset or chip YAML")
      ->capture_default_str()
      ->type_name("NAME|FILE");
  check
      ->add_option("--set", *settings,
                   "Override one setting of the chip, e.g. tensor=rtl (repeatable)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  check->add_option("--core", options->cores, "Only these cores (default: all)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Validator(check_number, ""))
      ->type_name("N,..");
  check->add_option("--only", options->only, "Only these parts: march, screen, training")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Validator(check_part, ""))
      ->type_name("PART,..");
  check->add_flag("--full", options->full, "More memory, more patterns, larger operands");
  check
      ->add_option("--inject", options->inject,
                   "A stuck bit in the chip, to see it found: tensor, exp, mx, near_memory, dma, "
                   "sbuf, hbm (repeatable; docs/howto/operate.md)")
      ->allow_extra_args(false)
      ->type_name("CORE:BLOCK:[LANE.]BIT[=0|1]");
  check->add_flag("--record", options->record,
                  "Print the bits of the golden training on core 0 instead");
  check->add_option("--report", options->report, "Write check.html, .md, .json there")
      ->check(check_name)
      ->type_name("DIR")
      ->group("Output");
  check->add_flag("--json", options->json, "Print the result as JSON instead of text")
      ->group("Output");
  check->add_flag("--quiet", options->quiet, "No progress on stderr")->group("Output");
  check->footer(
      "Examples:\n"
      "  tern check\n"
      "  tern check --chip trn2 --full --core 0,1\n"
      "  tern check --inject 2:tensor:37.12 --inject 0:sbuf:5.77=0\n"
      "Exit code: 0 every test passed, 1 one failed (so it does with --inject), 2 bad input.");
}

}  // namespace tern::app
