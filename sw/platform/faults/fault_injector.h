// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <systemc>
#include <vector>

#include "sw/platform/faults/fault_plan.h"
#include "systemc/chip/chip.h"
#include "systemc/mgmt/board/board.h"

namespace tern {

// Makes the faults of a plan happen in a chip, each once, at its time. Deterministic: plan and
// program decide all. Before the simulation starts.
class FaultInjector : public sc_core::sc_module {
 public:
  // What became of a fault.
  struct Outcome {
    enum class State : std::uint8_t {
      kWaits,     // its time has not come
      kHappened,  // at `at`
      kNowhere,   // there was nothing to break: a queue that does not run, a ring without
                  // descriptors in HBM
    };
    State state = State::kWaits;
    sc_core::sc_time at;
  };

  // How often it looks at instructions executed.
  static constexpr unsigned kLookNs = 100;

  // board: the management core's, or null. Throws UserError for what the chip lacks.
  FaultInjector(sc_core::sc_module_name name, FaultPlan plan, Chip& chip, mgmt::Board* board);

  // Times at_us count from now on; later calls change nothing.
  void program_starts();

  const FaultPlan& plan() const { return plan_; }
  const std::vector<Outcome>& outcomes() const { return outcomes_; }

 private:
  SC_HAS_PROCESS(FaultInjector);
  void run();
  // When it is due, if that is known; now or earlier: at once.
  std::optional<sc_core::sc_time> due(const Fault& fault) const;
  Outcome::State inject(const Fault& fault);
  Outcome::State damage_descriptor(const Fault& fault);
  // Tries again later; until then there was nothing to break.
  bool waits_for_ring(const Fault& fault) const;
  // Of all that hold, the strongest.
  void throttle(unsigned core);

  struct Throttling {
    const Fault* fault;
    std::optional<sc_core::sc_time> end;
  };

  const FaultPlan plan_;
  Chip& chip_;
  mgmt::Board* const board_;
  std::vector<Outcome> outcomes_;
  std::vector<bool> open_;  // of each fault: to be looked at again
  std::vector<Throttling> throttled_;
  std::optional<sc_core::sc_time> program_;
  sc_core::sc_event changed_;
};

}  // namespace tern
