// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace tern::mgmt {

// Keys of a raw terminal: Ctrl-A begins a command, everything else is for the serial line.
class TerminalKeys {
 public:
  enum class Command : std::uint8_t { kNone, kQuit, kHelp };
  struct Meaning {
    std::optional<std::uint8_t> byte;  // for the line
    Command command = Command::kNone;
  };
  static constexpr std::uint8_t kEscape = 1;  // Ctrl-A

  Meaning key(std::uint8_t byte) {
    if (!escaped_) {
      escaped_ = byte == kEscape;
      return escaped_ ? Meaning{} : Meaning{byte, Command::kNone};
    }
    escaped_ = false;
    switch (byte) {
      case kEscape:
        return {kEscape, Command::kNone};
      case 'x':
      case 'X':
        return {std::nullopt, Command::kQuit};
      case 'h':
      case '?':
        return {std::nullopt, Command::kHelp};
      default:
        return {};
    }
  }

 private:
  bool escaped_ = false;
};

}  // namespace tern::mgmt
