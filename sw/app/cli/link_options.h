// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "sw/app/host/link_choice.h"

namespace tern::app {

// --link, --links, --flits of a command that simulates links between chips.
void add_flit_by_flit(CLI::App* command, LinkChoice* choice);

}  // namespace tern::app
