// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "systemc/mgmt/devices/backend/input_chunk.h"
#include "systemc/mgmt/devices/backend/raw_terminal.h"
#include "systemc/mgmt/devices/backend/terminal_keys.h"
#include "systemc/mgmt/devices/backend/uart_backend.h"

namespace tern::mgmt {

// The standard input and output of this process as the serial line's other end. README.md.
class TerminalBackend : public UartBackend {
 public:
  // quit: called for Ctrl-A x; by default it raises base::stop_request().
  explicit TerminalBackend(std::function<void()> quit = {}, int input = 0, int output = 1);

  void transmit(std::uint8_t byte) override;
  std::optional<std::uint8_t> receive() override;
  bool may_receive() override { return !ended_; }

 private:
  void print(std::string_view text);
  void read_keys();

  const std::function<void()> quit_;
  const int input_, output_;
  const bool keyboard_, screen_;      // the two are terminals
  std::unique_ptr<RawTerminal> raw_;  // of a keyboard
  TerminalKeys keys_;
  InputChunk chunk_;
  bool ended_ = false, mute_ = false;  // input, output
};

}  // namespace tern::mgmt
