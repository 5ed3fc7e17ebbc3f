// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <termios.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tern::app {

// A terminal as a screen that is drawn again and again: its own page, no cursor, keys at once. The
// destructor restores all of it.
class Terminal {
 public:
  Terminal();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  struct Size {
    std::size_t rows = 24, columns = 80;
  };
  static Size size();

  // The screen, from the top; lines below the last row are left out.
  static void draw(const std::vector<std::string>& lines);

  // The next key, at most after this time; none: none came. Returns early when the size changes.
  std::optional<char> key(double seconds);

 private:
  std::optional<termios> before_;  // none: keys come from elsewhere
};

}  // namespace tern::app
