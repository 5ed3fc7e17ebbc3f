// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "systemc/mgmt/devices/backend/uart_backend.h"

namespace tern::mgmt {

// Somebody at the serial line who looks at the last line of the output: hits a key when U-Boot
// offers to stop its countdown, types one line at each prompt, and waits for a text. It depends on
// the output alone, so a run with it is repeatable. Output continues to another backend, whose
// input is read when all lines have been typed.
class Operator : public UartBackend {
 public:
  struct Script {
    bool types = false;  // hits the key and types `lines`
    std::vector<std::string> lines;
    std::string prompt = "=> ";  // all of the last line of the output
    // Looked for in what follows the typed lines; equal to the prompt: the next prompt. Empty:
    // nothing.
    std::string until;
  };
  struct State {
    std::size_t typed = 0;   // lines
    std::string to_send;     // the rest of what is being typed
    std::string line, seen;  // the last line of the output; its end that may begin `until`
    bool found = false;
  };

  // The backend must outlive it. found: called once, in the middle of the transmission that
  // completes `until`.
  Operator(UartBackend* to, Script script, std::function<void()> found);

  void transmit(std::uint8_t byte) override;
  std::optional<std::uint8_t> receive() override;
  bool may_receive() override;

  bool found() const { return state_.found; }
  std::size_t lines_left() const { return script_.lines.size() - state_.typed; }
  std::uint64_t transmitted() const { return transmitted_; }  // bytes
  char last() const { return last_; }                         // the newest one, '\n' at first

  // The output had this last line when somebody else looked at it: as if it came now.
  void follow(const std::string& line) {
    for (const char byte : line) follow_line(byte);
  }

  State save() const { return state_; }
  // Throws RunError for the state of another script.
  void restore(const State& state);

 private:
  void follow_line(char byte);
  void look_for_text(char byte);
  bool typing() const { return !state_.to_send.empty(); }

  UartBackend* const to_;
  const Script script_;
  const std::function<void()> found_;
  State state_;
  std::uint64_t transmitted_ = 0;
  char last_ = '\n';
};

// A text of a command line without its escapes \n, \r, \t, \e, \\ and \xNN. Throws UserError.
std::string unescaped(const std::string& text);
// Such a text as lines to type.
std::vector<std::string> lines_of_escaped(const std::string& text);
// A file of lines; at most 1 MiB. Throws UserError.
std::vector<std::string> lines_of_file(const std::string& path);

}  // namespace tern::mgmt
