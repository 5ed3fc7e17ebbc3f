// SPDX-License-Identifier: Apache-2.0
#include "tb/system/terminal.h"

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <stdexcept>

namespace tern::tb {

OnTerminal::OnTerminal(const std::vector<std::string>& arguments, unsigned short rows,
                       unsigned short columns) {
  winsize size{rows, columns, 0, 0};
  pid_ = forkpty(&terminal_, nullptr, nullptr, &size);
  if (pid_ < 0) throw std::runtime_error("no terminal");
  if (pid_ > 0) return;
  std::vector<char*> argv = {const_cast<char*>(TERN_BINARY)};
  for (const auto& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  execv(TERN_BINARY, argv.data());
  _exit(127);
}

OnTerminal::~OnTerminal() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(terminal_);
}

void OnTerminal::type(const std::string& keys) {
  if (write(terminal_, keys.data(), keys.size()) != static_cast<ssize_t>(keys.size()))
    throw std::runtime_error("the terminal takes no key");
}

bool OnTerminal::take(std::string* drawn) {
  pollfd output{terminal_, POLLIN, 0};
  if (poll(&output, 1, 100) <= 0) return true;
  std::array<char, 4096> piece{};
  const ssize_t count = read(terminal_, piece.data(), piece.size());
  if (count <= 0) return false;
  drawn->append(piece.data(), static_cast<std::size_t>(count));
  return true;
}

std::string OnTerminal::until(const std::function<bool(const std::string&)>& satisfied) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::minutes(2);
  std::string drawn;
  while (!satisfied(drawn)) {
    if (!take(&drawn)) throw std::runtime_error("ended, last: " + drawn);
    if (Clock::now() > end) throw std::runtime_error("not within minutes, but: " + drawn);
  }
  return drawn;
}

int OnTerminal::wait(std::string* last) {
  while (take(last)) {
  }
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool OnTerminal::is_cooked() const {
  termios mode{};
  return tcgetattr(terminal_, &mode) == 0 && (mode.c_lflag & (ICANON | ECHO)) == (ICANON | ECHO);
}

}  // namespace tern::tb
