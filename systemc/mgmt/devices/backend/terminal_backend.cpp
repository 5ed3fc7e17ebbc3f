// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/devices/backend/terminal_backend.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "sw/base/stop.h"
#include "systemc/mgmt/devices/backend/host_file.h"

namespace tern::mgmt {

namespace {

constexpr std::string_view kHelp =
    "\nCtrl-A x      quit\n"
    "Ctrl-A Ctrl-A send Ctrl-A\n"
    "Ctrl-A h      this text\n";

// For readers that are no terminal: where their output is shown later is not for the guest.
bool harmless(std::uint8_t byte) {
  return (byte >= 0x20 && byte != 0x7F) || byte == '\n' || byte == '\r' || byte == '\t';
}

}  // namespace

TerminalBackend::TerminalBackend(std::function<void()> quit, int input, int output)
    : quit_(quit ? std::move(quit) : [] { base::stop_request() = true; }),
      input_(input),
      output_(output),
      keyboard_(isatty(input) == 1),
      screen_(isatty(output) == 1) {
  if (keyboard_) raw_ = std::make_unique<RawTerminal>(input);
}

// Without a reader the machine continues without a screen.
void TerminalBackend::print(std::string_view text) {
  if (!mute_) mute_ = !write_all(output_, text);
}

void TerminalBackend::transmit(std::uint8_t byte) {
  if (screen_ || harmless(byte)) {
    const char one = static_cast<char>(byte);
    print({&one, 1});
  } else {
    print(fmt::format("\\x{:02x}", byte));
  }
}

void TerminalBackend::read_keys() {
  pollfd state{input_, POLLIN, 0};
  if (poll(&state, 1, 0) <= 0) return;
  const ssize_t count = read(input_, chunk_.room(), InputChunk::kBytes);
  if (count > 0) {
    chunk_.fill(static_cast<std::size_t>(count));
  } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
    ended_ = true;
  }
}

std::optional<std::uint8_t> TerminalBackend::receive() {
  if (keyboard_ && !RawTerminal::in_foreground(input_)) return std::nullopt;
  if (chunk_.empty() && !ended_) read_keys();
  while (const std::optional<std::uint8_t> key = chunk_.take()) {
    if (!keyboard_) return key;
    const TerminalKeys::Meaning meaning = keys_.key(*key);
    if (meaning.command == TerminalKeys::Command::kQuit) quit_();
    if (meaning.command == TerminalKeys::Command::kHelp) print(kHelp);
    if (meaning.byte) return meaning.byte;
  }
  return std::nullopt;
}

}  // namespace tern::mgmt
