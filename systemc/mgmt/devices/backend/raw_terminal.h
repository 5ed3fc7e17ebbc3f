// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tern::mgmt {

// While it exists, the terminal hands over every key as it is typed, Ctrl-C too. Its mode comes
// back at the end of the object, at the end of the process, and when a signal ends or stops the
// process. A process in the background leaves the terminal alone until it is in the foreground.
class RawTerminal {
 public:
  // descriptor: of a terminal. One object at a time; throws UserError.
  explicit RawTerminal(int descriptor);
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

  // Whether this process may read the terminal now.
  static bool in_foreground(int descriptor);
};

}  // namespace tern::mgmt
