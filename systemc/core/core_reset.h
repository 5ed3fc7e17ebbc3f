// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <systemc>

namespace tern {

// The reset of a core: stops everything, waits until nothing is under way, then clears.
class CoreReset : public sc_core::sc_module {
 public:
  // How often it looks: a reset takes a multiple of it.
  static constexpr unsigned kStepNs = 100;

  struct Actions {
    std::function<void()> stop;
    std::function<bool()> at_rest;
    std::function<void()> clear;
  };

  CoreReset(sc_core::sc_module_name name, Actions actions);

  // Nothing, if one is under way.
  void begin();
  bool active() const { return active_; }

 private:
  SC_HAS_PROCESS(CoreReset);
  void run();

  const Actions actions_;
  bool active_ = false;
  sc_core::sc_event begun_;
};

}  // namespace tern
