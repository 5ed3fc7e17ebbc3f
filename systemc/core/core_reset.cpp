// SPDX-License-Identifier: Apache-2.0
#include "systemc/core/core_reset.h"

#include <utility>

namespace tern {

CoreReset::CoreReset(sc_core::sc_module_name name, Actions actions)
    : sc_module(name), actions_(std::move(actions)) {
  SC_THREAD(run);
}

void CoreReset::begin() {
  if (active_) return;
  active_ = true;
  begun_.notify(sc_core::SC_ZERO_TIME);
}

void CoreReset::run() {
  const sc_core::sc_time step(kStepNs, sc_core::SC_NS);
  for (;;) {
    while (!active_) wait(begun_);
    actions_.stop();
    do {
      wait(step);
    } while (!actions_.at_rest());
    active_ = false;
    actions_.clear();
  }
}

}  // namespace tern
