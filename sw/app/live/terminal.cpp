// SPDX-License-Identifier: Apache-2.0
#include "sw/app/live/terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>

#include <fmt/format.h>

#include "sw/base/user_error.h"

namespace tern::app {

namespace {

// Its arrival is enough: it ends the wait for a key.
void on_resize(int) {}

void put(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw RunError("cannot write to the terminal");
}

}  // namespace

Terminal::Terminal() {
  struct sigaction resize {};
  resize.sa_handler = on_resize;
  sigaction(SIGWINCH, &resize, nullptr);
  termios mode{};
  if (isatty(STDIN_FILENO) != 0 && tcgetattr(STDIN_FILENO, &mode) == 0) {
    before_ = mode;
    mode.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    mode.c_cc[VMIN] = 0;
    mode.c_cc[VTIME] = 0;
    // A program that is stopped or dies of a key would leave its screen behind.
    mode.c_cc[VSUSP] = mode.c_cc[VQUIT] = _POSIX_VDISABLE;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &mode);
  }
  put("\033[?1049h\033[?25l\033[2J");
}

Terminal::~Terminal() {
  static_cast<void>(std::fputs("\033[?25h\033[?1049l", stdout));
  std::fflush(stdout);
  if (before_) tcsetattr(STDIN_FILENO, TCSADRAIN, &*before_);
  std::signal(SIGWINCH, SIG_DFL);
}

Terminal::Size Terminal::size() {
  winsize window{};
  Size size;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0) {
    if (window.ws_row != 0) size.rows = window.ws_row;
    if (window.ws_col != 0) size.columns = window.ws_col;
  }
  return size;
}

void Terminal::draw(const std::vector<std::string>& lines) {
  const std::size_t rows = size().rows;
  std::string text = "\033[H";
  for (std::size_t i = 0; i < std::min(rows, lines.size()); ++i)
    text += (i == 0 ? "" : "\r\n") + lines[i] + "\033[K";
  put(text + "\033[J");
}

std::optional<char> Terminal::key(double seconds) {
  pollfd input{before_ ? STDIN_FILENO : -1, POLLIN, 0};
  if (poll(&input, 1, static_cast<int>(std::ceil(seconds * 1000))) <= 0) return {};
  char key = 0;
  if (read(STDIN_FILENO, &key, 1) == 1) return key;
  before_.reset();  // the terminal is gone
  return {};
}

}  // namespace tern::app
