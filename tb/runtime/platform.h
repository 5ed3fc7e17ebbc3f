// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "sw/runtime/runtime.h"
#include "systemc/chip/chip.h"
#include "systemc/chip/simulation.h"
#include "systemc/config/load_chip_config.h"
#include "systemc/trace/trace.h"

namespace tern::tb {

// A chip with a host: everything a test of software needs. One per process.
struct Platform {
  explicit Platform(const std::string& preset = "trn3",
                    const std::vector<ConfigOverride>& overrides = {})
      : config(load_chip_config(preset, overrides).chip),
        chip("chip", config, ChipOptions(), &trace),
        port("host"),
        runtime(port) {
    port.socket.bind(chip.host);
    chip.irq(irq);
    port.irq(irq);
  }

  // The host program, in a SystemC thread.
  void run(const std::function<void()>& program) { simulation.run(program); }

  Simulation simulation;
  ChipConfig config;
  trace::Bus trace;
  Chip chip;
  sc_core::sc_signal<bool> irq;
  runtime::HostPort port;
  runtime::Runtime runtime;
};

}  // namespace tern::tb
