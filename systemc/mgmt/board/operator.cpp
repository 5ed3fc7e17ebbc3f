// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/board/operator.h"

#include <utility>

#include "sw/base/user_error.h"

namespace tern::mgmt {

namespace {

constexpr std::string_view kCountdown = "Hit any key to stop autoboot";
constexpr std::size_t kLongestLine = 4096;  // of the output; of a longer one the start is kept

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

Operator::Operator(UartBackend* to, Script script, std::function<void()> found)
    : to_(to), script_(std::move(script)), found_(std::move(found)) {}

void Operator::transmit(std::uint8_t byte) {
  if (to_ != nullptr) to_->transmit(byte);
  ++transmitted_;
  last_ = static_cast<char>(byte);
  const bool typed = !typing() && lines_left() == 0;
  follow_line(last_);
  if (typed) look_for_text(last_);
}

// What the terminal's last line shows, as far as prompts need it.
void Operator::follow_line(char byte) {
  std::string& line = state_.line;
  if (byte == '\n' || byte == '\r') {
    line.clear();
    return;
  }
  if (byte == '\b') {
    if (!line.empty()) line.pop_back();
    return;
  }
  if (line.size() < kLongestLine) line += byte;
  if (!script_.types) return;
  if (ends_with(line, kCountdown)) {
    state_.to_send += ' ';
  } else if (line == script_.prompt && lines_left() != 0) {
    state_.to_send += script_.lines[state_.typed++] + '\r';
  }
}

void Operator::look_for_text(char byte) {
  if (state_.found || script_.until.empty()) return;
  state_.seen += byte;
  if (state_.seen.size() > script_.until.size()) state_.seen.erase(0, 1);
  const bool prompt = script_.until == script_.prompt;
  if (prompt ? state_.line != script_.prompt : state_.seen != script_.until) return;
  state_.found = true;
  if (found_) found_();
}

bool Operator::may_receive() {
  if (typing()) return true;
  return lines_left() == 0 && to_ != nullptr && to_->may_receive();
}

std::optional<std::uint8_t> Operator::receive() {
  if (typing()) {
    const auto byte = static_cast<std::uint8_t>(state_.to_send.front());
    state_.to_send.erase(0, 1);
    return byte;
  }
  if (lines_left() != 0 || to_ == nullptr) return std::nullopt;
  return to_->receive();
}

void Operator::restore(const State& state) {
  if (state.typed > script_.lines.size() || state.line.size() > kLongestLine ||
      state.seen.size() > script_.until.size()) {
    throw RunError("serial line: the snapshot is one of another script");
  }
  state_ = state;
}

}  // namespace tern::mgmt
