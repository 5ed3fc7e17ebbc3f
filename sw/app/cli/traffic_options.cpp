// SPDX-License-Identifier: Apache-2.0
#include "sw/app/cli/traffic_options.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "sw/app/cli/checks.h"
#include "sw/app/cli/link_options.h"
#include "sw/app/cli/system_options.h"
#include "systemc/fabric/traffic/pattern.h"

namespace tern::app {

void add_traffic(CLI::App* app, TrafficOptions* options) {
  CLI::App* traffic = app->add_subcommand(
      "traffic", "Send traffic between the chips of a system: time, hottest links, a heat map");
  traffic->add_option("system", options->system, "Preset ('tern system ls') or YAML file")
      ->required()
      ->check(check_name)
      ->type_name("NAME|FILE");
  add_units(traffic, &options->units);
  const std::vector<std::string> patterns = fabric::pattern_names();
  traffic
      ->add_option("--pattern", options->pattern,
                   fmt::format("Who sends to whom: {}", fmt::join(patterns, ", ")))
      ->capture_default_str()
      ->check(one_of(patterns))
      ->type_name("NAME");
  traffic->add_option("--bytes", options->bytes, "From a chip to each of its targets")
      ->capture_default_str()
      ->type_name("N[K|M|G]");
  traffic
      ->add_option(
          "--level", options->level,
          "Level of detail: packet (every queue and credit), flow (links are shared fairly), both, "
          "or ideal (nobody waits)")
      ->capture_default_str()
      ->check(one_of({"packet", "flow", "both", "ideal"}))
      ->type_name("LEVEL");
  const auto number = [&](const char* name, auto* value, unsigned least, unsigned most,
                          const char* help) {
    traffic->add_option(name, *value, help)
        ->capture_default_str()
        ->check(CLI::Range(least, most))
        ->type_name("N");
  };
  number("--streams", &options->streams, 1, 1024,
         "Divide the bytes of two chips into so many streams, each on a way of its own");
  number("--class", &options->traffic_class, 0, 3, "Class of service, 0 is the most urgent");
  traffic
      ->add_option("--targets", options->targets,
                   "Of each chip, of the pattern uniform (default 8)")
      ->check(CLI::Range(1U, 4096U))
      ->type_name("N");
  traffic
      ->add_option("--from", options->from, "Of the pattern pair: its number or name (default 0)")
      ->check(check_name)
      ->type_name("CHIP");
  traffic
      ->add_option("--to", options->to, "Of the patterns pair (default 1) and incast (default 0)")
      ->check(check_name)
      ->type_name("CHIP");
  traffic
      ->add_option("--seed", options->seed,
                   "Of the patterns uniform and permutation, and of bit errors")
      ->capture_default_str()
      ->check(check_count)
      ->type_name("N");
  traffic
      ->add_option("--also", options->also,
                   "Another pattern at the same time, as pattern=incast,class=0,bytes=4K "
                   "(repeatable); keys: pattern, bytes, class, streams, from, to, targets, seed, "
                   "at_us, rounds, every_us")
      ->check(check_name)
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE,...");
  traffic
      ->add_option("--faults", options->faults,
                   "Break links, switches, chips and trays as this script says; not at level ideal")
      ->check(check_name)
      ->type_name("FILE.yaml");
  traffic->add_option("--heat", options->heat, "Write the system's picture with the use of links")
      ->check(check_name)
      ->type_name("FILE.svg")
      ->group("Output");
  traffic
      ->add_option("--report", options->report,
                   "Write traffic.html, .md, .json, .csv and .svg there")
      ->check(check_name)
      ->type_name("DIR")
      ->group("Output");
  add_flit_by_flit(traffic, &options->flit_by_flit);
  traffic
      ->add_option("--wave", options->flit_by_flit.wave,
                   "Record the RTL of the links: a file for each end")
      ->check(check_name)
      ->type_name("FILE.fst")
      ->group("Links flit by flit");
  traffic->add_flag("--json", options->json, "Print the result as JSON instead of text")
      ->group("Output");
  traffic->add_flag("--quiet", options->quiet, "No progress on stderr")->group("Output");
  traffic->footer(
      "Examples:\n"
      "  tern traffic trn3-nl72x2-gen1\n"
      "  tern traffic trn3-nl32x2-gen2 --pattern incast --bytes 1M --heat heat.svg\n"
      "  tern traffic trn2-nl64 --pattern pair --from 0 --to 21 --streams 6 --bytes 16M\n"
      "  tern traffic trn3-nl16-2d --also pattern=incast,class=0,bytes=4K,rounds=20,every_us=1\n"
      "  tern traffic trn3-nl72x2-gen1 --faults sw/examples/link_faults/link_faults.yaml\n"
      "  tern traffic trn3-nl16-2d --link both --links server0.tray0.chip0\n"
      "Exit code: 0 all has arrived, 1 something was lost, 2 bad input.");
}

}  // namespace tern::app
