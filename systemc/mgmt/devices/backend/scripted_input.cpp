// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/devices/backend/scripted_input.h"

#include <utility>

#include "sw/base/user_error.h"

namespace tern::mgmt {

ScriptedInput::ScriptedInput(UartBackend& to, std::vector<Step> steps)
    : to_(to), steps_(std::move(steps)) {
  skip_empty();
}

// Past texts and bytes that there are none of.
void ScriptedInput::skip_empty() {
  while (state_.found < steps_.size() && steps_[state_.found].wait_for.empty()) ++state_.found;
  while (state_.step < state_.found && state_.sent == steps_[state_.step].send.size()) {
    ++state_.step;
    state_.sent = 0;
  }
}

// The text of the next step may come while an earlier one is being sent.
void ScriptedInput::transmit(std::uint8_t byte) {
  to_.transmit(byte);
  if (state_.found == steps_.size()) return;
  const std::string& text = steps_[state_.found].wait_for;
  state_.seen += static_cast<char>(byte);
  if (state_.seen.size() > text.size()) state_.seen.erase(0, 1);
  if (state_.seen != text) return;
  state_.seen.clear();
  ++state_.found;
  skip_empty();
}

std::optional<std::uint8_t> ScriptedInput::receive() {
  if (done()) return to_.receive();
  if (state_.step == state_.found) return std::nullopt;
  const auto byte = static_cast<std::uint8_t>(steps_[state_.step].send[state_.sent++]);
  skip_empty();
  return byte;
}

std::string ScriptedInput::waiting_for() const {
  return state_.found == steps_.size() ? std::string() : steps_[state_.found].wait_for;
}

void ScriptedInput::restore(const State& state) {
  const bool searching = state.found < steps_.size(), sending = state.step < state.found;
  const bool fits = state.found <= steps_.size() && state.step <= state.found &&
                    state.sent < (sending ? steps_[state.step].send.size() : 1) &&
                    state.seen.size() <= (searching ? steps_[state.found].wait_for.size() : 0);
  if (!fits) throw RunError("scripted input: the snapshot is one of another script");
  state_ = state;
}

}  // namespace tern::mgmt
