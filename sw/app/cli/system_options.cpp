// SPDX-License-Identifier: Apache-2.0
#include "sw/app/cli/system_options.h"

#include "sw/app/cli/checks.h"

namespace tern::app {

namespace {

CLI::App* add_command(CLI::App* system, const char* name, const char* help,
                      SystemOptions* options) {
  CLI::App* command = system->add_subcommand(name, help);
  command->add_option("system", options->system, "Preset ('tern system ls') or YAML file")
      ->required()
      ->check(check_name)
      ->type_name("NAME|FILE");
  add_units(command, &options->units);
  return command;
}

void add_chip(CLI::App* command, const char* name, std::string* chip, bool required) {
  command->add_option(name, *chip, "Chip: its number, or rack0.tray3.chip1")
      ->required(required)
      ->check(check_name)
      ->type_name("CHIP");
}

}  // namespace

void add_units(CLI::App* command, std::optional<unsigned>* units) {
  command
      ->add_option("--units", *units,
                   "Connect this number of such systems by the network of their key scale_out")
      ->check(CLI::Range(1U, 1024U))
      ->type_name("N");
}

void add_system(CLI::App* app, SystemOptions* options) {
  CLI::App* system = app->add_subcommand("system", "Servers and racks: chips, links, switches");
  system->require_subcommand(1);
  CLI::App* list = system->add_subcommand("ls", "The systems that have a preset");
  list->add_flag("--json", options->json, "Print JSON instead of text");
  CLI::App* show = add_command(system, "show", "Chips, lanes, switches, hops", options);
  show->add_flag("--bill", options->bill, "Hosts, power, cooling, cables, cost, with sources");
  CLI::App* hops = add_command(system, "hops", "The way from one chip to another", options);
  add_chip(hops, "from", &options->from, true);
  add_chip(hops, "to", &options->to, true);
  CLI::App* routes = add_command(system, "routes", "The ways from a chip to all others", options);
  add_chip(routes, "--from", &options->from, false);
  CLI::App* blast =
      add_command(system, "blast-radius", "What goes out of service with something", options);
  blast
      ->add_option("element", options->element,
                   "Chip (by name or number), switch, tray (rack0.tray3) or link (A--B)")
      ->required()
      ->check(check_name)
      ->type_name("NAME");
  CLI::App* draw = add_command(system, "draw", "A picture of the system as SVG", options);
  draw->add_option("-o,--output", options->output, "Write it there, not to the standard output")
      ->check(check_name)
      ->type_name("FILE");
  CLI::App* scaleout = system->add_subcommand(
      "scaleout", "Chips and switches of the network that connects servers, by its layers");
  scaleout
      ->add_option("--switch", options->switch_tb_per_s,
                   "Tb/s of a switch; of leaves, spines and cores with commas between them")
      ->delimiter(',')
      ->capture_default_str()
      ->check(CLI::Range(0.1, 10000.0))
      ->type_name("Tb/s");
  scaleout->add_option("--port", options->port_gb_per_s, "Gb/s of a port")
      ->capture_default_str()
      ->check(CLI::Range(1.0, 100000.0))
      ->type_name("Gb/s");
  scaleout->add_option("--chip", options->chip_gb_per_s, "Gb/s of a chip: a port for each plane")
      ->capture_default_str()
      ->check(CLI::Range(1.0, 100000.0))
      ->type_name("Gb/s");
  system->footer(
      "Examples:\n"
      "  tern system show trn3-nl72x2-gen1 --bill\n"
      "  tern system hops trn3-nl72x2-gen1 rack0.tray0.chip0 rack1.tray5.chip1\n"
      "  tern system blast-radius trn2-nl64 server0.tray0.chip0\n"
      "  tern system show trn2-nl64 --units 4\n"
      "  tern system draw trn3-nl32x2-gen1 -o rack.svg\n"
      "  tern system scaleout --switch 25.6,25.6,12.8 --port 100 --chip 400");
}

int run_system(const CLI::App& app, const SystemOptions& options) {
  const CLI::App* system = app.get_subcommand("system");
  if (system->got_subcommand("ls")) return system_list(options);
  if (system->got_subcommand("show")) return system_show(options);
  if (system->got_subcommand("hops")) return system_hops(options);
  if (system->got_subcommand("routes")) return system_routes(options);
  if (system->got_subcommand("draw")) return system_draw(options);
  if (system->got_subcommand("scaleout")) return system_scaleout(options);
  return system_blast_radius(options);
}

}  // namespace tern::app
