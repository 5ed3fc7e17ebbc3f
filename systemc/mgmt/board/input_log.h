// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "systemc/mgmt/devices/backend/uart_backend.h"

namespace tern::mgmt {

// Between a UART and its backend: keeps what the backend has answered, so that a stretch of a run
// can be repeated with the same input and without a second output.
class InputLog : public UartBackend {
 public:
  // How many questions have been asked.
  struct Position {
    std::uint64_t received = 0, asked = 0;
  };
  enum class Mode : std::uint8_t {
    kPass,    // nothing is kept
    kRecord,  // answers of the backend are kept
    kReplay,  // answers are those that were kept, and output goes nowhere
    kHold,    // there is no input, and nothing counts: while a UART is being restored
  };

  explicit InputLog(UartBackend& to) : to_(to) {}

  void set_mode(Mode mode) { mode_ = mode; }
  Position position() const { return position_; }
  void set_position(const Position& position) { position_ = position; }
  // Forgets the answers after the present position, or before another one.
  void cut_future();
  void cut_past(const Position& position);
  std::size_t bytes() const;

  void transmit(std::uint8_t byte) override;
  std::optional<std::uint8_t> receive() override;
  bool may_receive() override;

 private:
  template <typename T>
  struct Answer {
    std::uint64_t number;
    T value;
  };

  UartBackend& to_;
  Mode mode_ = Mode::kPass;
  Position position_;
  std::deque<Answer<std::uint8_t>> received_;  // the others were nothing
  std::deque<Answer<bool>> may_;               // where the answer changed
};

}  // namespace tern::mgmt
