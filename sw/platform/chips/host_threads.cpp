// SPDX-License-Identifier: Apache-2.0
// sc_spawn is part of the dynamic process interface.
#define SC_INCLUDE_DYNAMIC_PROCESSES
#include "sw/platform/chips/host_threads.h"

#include <exception>
#include <memory>
#include <systemc>

#include "systemc/chip/simulation.h"

namespace tern {

struct HostThreads::State {
  std::size_t running = 0;
  std::exception_ptr error;
  sc_core::sc_event ended;
};

HostThreads::HostThreads(const std::vector<std::function<void()>>& programs)
    : state_(std::make_shared<State>()) {
  const auto state = state_;
  state->running = programs.size();
  sc_core::sc_spawn_options options;
  options.set_stack_size(Simulation::kHostStackBytes);
  for (const auto& program : programs) {
    sc_core::sc_spawn(
        [state, program] {
          try {
            program();
          } catch (const sc_core::sc_unwind_exception&) {
            throw;  // the kernel ends this thread
          } catch (...) {
            if (!state->error) state->error = std::current_exception();
          }
          --state->running;
          state->ended.notify(sc_core::SC_ZERO_TIME);
        },
        sc_core::sc_gen_unique_name("host"), &options);
  }
}

bool HostThreads::running() const {
  return state_->running > 0 && !state_->error;
}

void HostThreads::join() {
  while (running()) sc_core::wait(state_->ended);
  if (state_->error) std::rethrow_exception(state_->error);
}

}  // namespace tern
