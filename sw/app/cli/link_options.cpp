// SPDX-License-Identifier: Apache-2.0
#include "sw/app/cli/link_options.h"

#include "sw/app/cli/checks.h"

namespace tern::app {

void add_flit_by_flit(CLI::App* command, LinkChoice* choice) {
  const char* const group = "Links flit by flit";
  command
      ->add_option("--link", choice->backend,
                   "Simulate the links of --links flit by flit: by the model, the RTL, or both in "
                   "lockstep")
      ->check(one_of({"model", "rtl", "both"}))
      ->type_name("model|rtl|both")
      ->group(group);
  command
      ->add_option("--links", choice->links,
                   "Which ones: A--B, or the name of a chip, switch or tray for all of its links")
      ->check(check_name)
      ->delimiter(',')
      ->type_name("NAME,...")
      ->group(group);
  command->add_option("--flits", choice->flits, "Write every flit on their wires, with its fields")
      ->check(check_name)
      ->type_name("FILE.csv")
      ->group(group);
}

}  // namespace tern::app
