// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <systemc>

#include "sw/base/stop.h"
#include "systemc/chip/windows.h"

namespace tern {

// The SystemC kernel as Tern uses it: 1 fs resolution, one host program, exceptions that keep their
// type.
//
//   Simulation simulation;                    // before any module
//   Chip chip("chip", config, options, &trace);
//   simulation.run([&] { runtime.execute(...); });
//
// A process elaborates once: one Simulation per process. run() may be called again after it has
// returned normally.
class Simulation {
 public:
  // Stack of a host program's thread; touched only as far as it is used.
  static constexpr unsigned kHostStackBytes = 8 * 1024 * 1024;

  struct Options {
    // Set from a signal handler or another thread: the host program gets the exception Interrupted
    // at its next wait.
    const std::atomic<bool>* stop = nullptr;
    // Called about every progress_ms of wall time, between simulation steps.
    std::function<void(std::uint64_t simulated_fs)> progress;
    unsigned progress_ms = 200;
    // Appended to the message when the simulation comes to rest too early, for example
    // Chip::describe_stall().
    std::function<std::string()> describe_rest;
    // Of a simulation of several processes.
    Windows* windows = nullptr;
  };

  Simulation();
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // Runs host_program as a SystemC thread until it returns. Rethrows what it, or any other process,
  // has thrown. RunError when the host program waits and no event is left.
  void run(std::function<void()> host_program) { run(std::move(host_program), Options()); }
  void run(std::function<void()> host_program, const Options& options);

  // Somebody who looks at the simulation in every run, whatever its options: called about every
  // `ms` of wall time between simulation steps, and must change nothing. Empty: nobody.
  void set_watcher(std::function<void()> watcher, unsigned ms);

 private:
  class Watchdog;
  std::unique_ptr<Watchdog> watchdog_;
  unsigned runs_ = 0;
  bool failed_ = false;
};

}  // namespace tern
