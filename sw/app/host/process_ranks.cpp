// SPDX-License-Identifier: Apache-2.0
#include "sw/app/host/process_ranks.h"

namespace tern::app {

namespace {
system::Ranks* g_ranks = nullptr;
}  // namespace

system::Ranks* process_ranks() {
  return g_ranks;
}

void set_process_ranks(system::Ranks* ranks) {
  g_ranks = ranks;
}

}  // namespace tern::app
