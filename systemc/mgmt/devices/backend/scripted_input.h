// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systemc/mgmt/devices/backend/uart_backend.h"

namespace tern::mgmt {

// Types into a serial line like a patient person: step by step it waits for a text in the output
// and then sends its own. Depends on the output alone, so a run with it is repeatable. Output
// continues to another backend, whose input is read after the last step.
class ScriptedInput : public UartBackend {
 public:
  struct Step {
    std::string wait_for;  // after the text of the step before; empty: nothing
    std::string send;
  };
  struct State {
    std::size_t found = 0;           // steps whose text has come
    std::size_t step = 0, sent = 0;  // the step that is being sent, and its bytes so far
    std::string seen;                // the end of the output that may begin the next text
  };

  // The backend must outlive it.
  ScriptedInput(UartBackend& to, std::vector<Step> steps);

  void transmit(std::uint8_t byte) override;
  std::optional<std::uint8_t> receive() override;
  bool may_receive() override { return done() ? to_.may_receive() : state_.step < state_.found; }

  bool done() const { return state_.step == steps_.size(); }
  // The text that has not come yet; empty: none is missing.
  std::string waiting_for() const;

  State save() const { return state_; }
  // Throws RunError for the state of another script.
  void restore(const State& state);

 private:
  void skip_empty();

  UartBackend& to_;
  const std::vector<Step> steps_;
  State state_;
};

}  // namespace tern::mgmt
