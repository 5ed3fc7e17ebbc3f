// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/board/input_log.h"

#include <algorithm>

namespace tern::mgmt {

namespace {

// The first answer with at least this number.
template <typename Answers>
auto from(Answers& answers, std::uint64_t number) {
  return std::lower_bound(
      answers.begin(), answers.end(), number,
      [](const auto& answer, std::uint64_t other) { return answer.number < other; });
}

}  // namespace

void InputLog::cut_future() {
  received_.erase(from(received_, position_.received), received_.end());
  may_.erase(from(may_, position_.asked), may_.end());
}

void InputLog::cut_past(const Position& position) {
  received_.erase(received_.begin(), from(received_, position.received));
  // The last change before it still holds.
  auto first = from(may_, position.asked + 1);
  if (first != may_.begin()) may_.erase(may_.begin(), first - 1);
}

std::size_t InputLog::bytes() const {
  return received_.size() * sizeof(Answer<std::uint8_t>) + may_.size() * sizeof(Answer<bool>);
}

void InputLog::transmit(std::uint8_t byte) {
  if (mode_ != Mode::kReplay) to_.transmit(byte);
}

std::optional<std::uint8_t> InputLog::receive() {
  if (mode_ == Mode::kPass) return to_.receive();
  if (mode_ == Mode::kHold) return std::nullopt;
  const std::uint64_t number = position_.received++;
  if (mode_ == Mode::kReplay) {
    const auto found = from(received_, number);
    if (found == received_.end() || found->number != number) return std::nullopt;
    return found->value;
  }
  const std::optional<std::uint8_t> byte = to_.receive();
  if (byte) received_.push_back({number, *byte});
  return byte;
}

bool InputLog::may_receive() {
  if (mode_ == Mode::kPass) return to_.may_receive();
  if (mode_ == Mode::kHold) return false;
  const std::uint64_t number = position_.asked++;
  if (mode_ == Mode::kReplay) {
    const auto next = from(may_, number + 1);
    return next != may_.begin() && (next - 1)->value;
  }
  const bool may = to_.may_receive();
  if (may_.empty() || may_.back().value != may) may_.push_back({number, may});
  return may;
}

}  // namespace tern::mgmt
