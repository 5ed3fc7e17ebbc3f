// SPDX-License-Identifier: Apache-2.0
#include "sw/app/cli/cc_options.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "sw/app/cli/checks.h"
#include "sw/app/cli/system_options.h"
#include "sw/collectives/algorithms/algorithms.h"
#include "sw/collectives/evaluate.h"

namespace tern::app {

void add_cc(CLI::App* app, CcOptions* options) {
  CLI::App* cc = app->add_subcommand(
      "cc", "Collective operations between the chips of a system: time, algbw, busbw, bound");
  std::vector<std::string> operations = collectives::operation_names();
  operations.emplace_back("send_recv");
  cc->add_option("operation", options->operation, fmt::format("{}", fmt::join(operations, ", ")))
      ->required()
      ->check(one_of(operations))
      ->type_name("OPERATION");
  cc->add_option("-s,--system", options->systems,
                 "Presets ('tern system ls') or YAML files, with commas between them")
      ->required()
      ->delimiter(',')
      ->check(check_name)
      ->type_name("NAME|FILE");
  add_units(cc, &options->units);
  cc->add_option("-b,--begin", options->begin, "The first size: of the whole buffer")
      ->capture_default_str()
      ->type_name("N[K|M|G]");
  cc->add_option("-e,--end", options->end, "The last one")
      ->capture_default_str()
      ->type_name("N[K|M|G]");
  cc->add_option("-f,--factor", options->factor, "From one size to the next")
      ->capture_default_str()
      ->check(CLI::Range(2U, 1024U))
      ->type_name("N");
  cc->add_option("--type", options->element, "Of elements: fp32, bf16 or fp8 (e4m3fn)")
      ->capture_default_str()
      ->check(one_of(collectives::element_names()))
      ->type_name("TYPE");
  std::vector<std::string> names = {"best", "all", "table"};
  for (const auto& info : collectives::algorithms()) names.push_back(info.name);
  cc->add_option("-a,--algorithm", options->algorithm,
                 fmt::format("The fastest one of each size, all, what a table says, or one: {}",
                             fmt::join(names.begin() + 3, names.end(), ", ")))
      ->capture_default_str()
      ->check(one_of(names))
      ->type_name("NAME");
  cc->add_option("--table", options->table, "Of -a table: this file instead of Tern's own")
      ->check(check_name)
      ->type_name("FILE.yaml");
  cc->add_option("--schedule", options->schedule, "Run the steps of this file instead")
      ->check(check_name)
      ->type_name("FILE.yaml");
  cc->add_option(
        "--group", options->group,
        "Chips of the group: all, or numbers, ranges and names, as 0-15 or rack0,rack1.tray2")
      ->capture_default_str()
      ->check(check_name)
      ->type_name("CHIPS");
  cc->add_option("--cores", options->cores, "Ranks of each chip: so many of its cores")
      ->capture_default_str()
      ->check(CLI::Range(1U, 64U))
      ->type_name("N");
  cc->add_option("--root", options->root, "Rank that broadcasts, or sends")
      ->capture_default_str()
      ->check(CLI::Range(0U, 1023U))
      ->type_name("RANK");
  cc->add_option("--to", options->to, "Rank that gets it, of send_recv (default 1)")
      ->check(CLI::Range(0U, 1023U))
      ->type_name("RANK");
  cc->add_option("--hot", options->hot,
                 "Of all_to_all_v: rank 0 gets so many times what others get, of what is routed at "
                 "random (default 1)")
      ->check(CLI::Range(1.0, 1000.0))
      ->type_name("X");
  cc->add_option("--counts", options->counts, "Of all_to_all_v: key counts of this file instead")
      ->check(check_name)
      ->type_name("FILE.yaml");
  cc->add_option("--level", options->level,
                 "Level of detail: cores (chips whose collective cores run it, in bits), packet "
                 "(every queue and credit), flow (links are shared fairly) or ideal (nobody waits)")
      ->capture_default_str()
      ->check(one_of({"cores", "packet", "flow", "ideal"}))
      ->type_name("LEVEL");
  cc->add_option("--planes", options->planes,
                 "Divide each put into so many streams (default: a chip's links to switches)")
      ->check(CLI::Range(1U, 256U))
      ->type_name("N");
  cc->add_option("--class", options->traffic_class, "Class of service, 0 is the most urgent")
      ->capture_default_str()
      ->check(CLI::Range(0U, 3U))
      ->type_name("N");
  cc->add_option("--faults", options->faults,
                 "Break links, switches, chips and trays as this script says; not at level ideal")
      ->check(check_name)
      ->type_name("FILE.yaml");
  cc->add_option("--seed", options->seed, "Of bit errors, operands and tokens")
      ->capture_default_str()
      ->check(check_count)
      ->type_name("N");
  cc->add_option("--write", options->write, "Write the steps of the algorithm as a schedule")
      ->check(check_name)
      ->type_name("FILE.yaml")
      ->group("Output");
  cc->add_option("--report", options->report, "Write cc.html, .md, .json, .csv and busbw.svg there")
      ->check(check_name)
      ->type_name("DIR")
      ->group("Output");
  cc->add_flag("--json", options->json, "Print the result as JSON instead of text")
      ->group("Output");
  cc->add_flag("--quiet", options->quiet, "No progress on stderr")->group("Output");
  cc->footer(
      "Examples:\n"
      "  tern cc all_reduce --system trn3-nl72x2-gen1 -b 1K -e 1G\n"
      "  tern cc all_to_all -s trn3-nl64-3d -a all --report out\n"
      "  tern cc all_reduce -s trn3-nl64-3d,trn3-nl72x2-gen1 -b 1K -e 1G --report out\n"
      "  tern cc all_gather -s trn2-nl16 --group server0.tray0,server0.tray1\n"
      "  tern cc all_reduce -s trn2-nl16 -a ring --write ring.yaml\n"
      "  tern cc all_reduce -s trn2-nl16 --schedule ring.yaml\n"
      "  tern cc all_reduce -s trn3-nl16-2d --group 0-3 --cores 4 --level cores -e 1M\n"
      "Exit code: 0 all has arrived, 1 something was lost or has wrong bits, 2 bad input.");
}

}  // namespace tern::app
