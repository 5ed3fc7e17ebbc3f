// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <systemc>
#include <vector>

#include "sw/config/load_chip_config.h"
#include "sw/platform/hosted_chip.h"
#include "sw/platform/tensor_bytes.h"
#include "sw/runtime/runtime.h"
#include "systemc/chip/chip_counters.h"
#include "systemc/chip/simulation.h"

namespace tern {

// The results of a program.
struct CallResult {
  std::map<std::string, Bytes> outputs;  // by tensor
  tern::runtime::RunResult run;
  ChipCounters counters;  // work of the chip while it ran, without the host's copies
};

// A chip with a host: all that a program with custom kernels needs. One per process, because a
// SystemC kernel elaborates once.
//
//   tern::Platform platform("trn3");
//   auto result = platform.call(tern::kernels::build_matmul(spec, platform.config),
//                               {{"a", a_bytes}, {"b", b_bytes}});
struct Platform {
  // A preset or a chip YAML file, single settings of it, and the back ends of the engines' sockets
  // (systemc/cosim/rtl_chip_options.h; by default the fast models).
  explicit Platform(const std::string& preset = "trn3",
                    const std::vector<ConfigOverride>& overrides = {},
                    const ChipOptions& options = {});

  // Copies the inputs into device memory, runs the program on one core and copies the outputs back.
  // Inside run() it is part of the host program; elsewhere it is a whole one. UserError if an input
  // is missing, unknown or of another size; RunError if the program fails.
  // Large programs are moved here: memory holds them once.
  CallResult call(Executable program, const std::map<std::string, Bytes>& inputs,
                  unsigned core = 0);
  // The same with inputs that stay where they are.
  using InputViews = std::map<std::string, std::string_view>;
  CallResult call_with(Executable program, const InputViews& inputs, unsigned core = 0);

  // A custom host program, with `runtime` and `port`; it runs as a SystemC thread.
  void run(const std::function<void()>& program) { run(program, Simulation::Options()); }
  void run(const std::function<void()>& program, Simulation::Options options);

  // A snapshot of the chip in a file, and the same chip in another process, at the same simulated
  // time (chip_snapshot.h). notes: whatever the host needs to continue, as the addresses of its
  // buffers. Inside run() they are part of the host program, elsewhere a whole one.
  void save(const std::string& path, const std::string& notes = {});
  std::string restore(const std::string& path);

  Simulation simulation;
  HostedChip hosted;
  const ChipConfig& config;
  tern::trace::Bus& trace;  // add_sink() to listen
  Chip& chip;
  tern::runtime::HostPort& port;
  tern::runtime::Runtime runtime;

 private:
  void in_thread(const std::function<void()>& body);
  CallResult call_in_thread(Executable program, const InputViews& inputs, unsigned core);
};

}  // namespace tern
