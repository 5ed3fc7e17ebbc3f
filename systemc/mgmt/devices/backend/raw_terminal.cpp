// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/devices/backend/raw_terminal.h"

#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>

#include "sw/base/user_error.h"

namespace tern::mgmt {

namespace {

// Those that end a process. An orderly end after one that the program handles restores, too.
constexpr std::array kEnds = {SIGHUP,  SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGABRT,
                              SIGSEGV, SIGBUS, SIGFPE,  SIGILL,  SIGALRM, SIGXCPU};

// What a signal handler needs: plain data, written only while no handler of ours is installed.
struct Terminal {
  std::atomic<bool> raw{false};
  int descriptor = -1;
  termios before{}, mode{};
  std::array<struct sigaction, kEnds.size()> ends{};
  struct sigaction stop {};
  struct sigaction go_on {};
};
static_assert(std::atomic<bool>::is_always_lock_free, "used in a signal handler");

Terminal& terminal() {
  static Terminal the_terminal;
  return the_terminal;
}

// From the background the call would stop the process.
void set_mode(const termios& mode) {
  if (RawTerminal::in_foreground(terminal().descriptor)) {
    tcsetattr(terminal().descriptor, TCSANOW, &mode);
  }
}

void restore() {
  if (terminal().raw) set_mode(terminal().before);
}

void on_end(int number, siginfo_t* info, void* context) {
  const int error = errno;
  restore();
  for (std::size_t i = 0; i < kEnds.size(); ++i) {
    if (kEnds[i] != number) continue;
    const struct sigaction& before = terminal().ends[i];
    if ((before.sa_flags & SA_SIGINFO) != 0) {
      before.sa_sigaction(number, info, context);
    } else if (before.sa_handler != SIG_DFL) {
      before.sa_handler(number);
    } else {  // ends the process when this handler returns
      sigaction(number, &before, nullptr);
      raise(number);
    }
  }
  errno = error;
}

void on_continue(int) {
  const int error = errno;
  if (terminal().raw) set_mode(terminal().mode);
  errno = error;
}

void on_stop(int number);

void catch_stop() {
  struct sigaction action {};
  action.sa_handler = on_stop;
  action.sa_flags = SA_RESTART;
  sigaction(SIGTSTP, &action, nullptr);
}

// Stops here, as without a handler; on_continue() has run when it continues.
void on_stop(int number) {
  const int error = errno;
  restore();
  signal(number, SIG_DFL);
  sigset_t only, mask;
  sigemptyset(&only);
  sigaddset(&only, number);
  raise(number);
  sigprocmask(SIG_UNBLOCK, &only, &mask);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  catch_stop();
  on_continue(SIGCONT);
  errno = error;
}

void catch_signals() {
  struct sigaction action {};
  action.sa_sigaction = on_end;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  for (std::size_t i = 0; i < kEnds.size(); ++i) {
    struct sigaction& before = terminal().ends[i];
    sigaction(kEnds[i], nullptr, &before);
    const bool ignored = (before.sa_flags & SA_SIGINFO) == 0 && before.sa_handler == SIG_IGN;
    if (!ignored) sigaction(kEnds[i], &action, nullptr);
  }
  sigaction(SIGTSTP, nullptr, &terminal().stop);
  if (terminal().stop.sa_handler == SIG_DFL) catch_stop();
  action = {};
  action.sa_handler = on_continue;
  action.sa_flags = SA_RESTART;
  sigaction(SIGCONT, &action, &terminal().go_on);
}

void release_signals() {
  for (std::size_t i = 0; i < kEnds.size(); ++i) {
    sigaction(kEnds[i], &terminal().ends[i], nullptr);
  }
  sigaction(SIGTSTP, &terminal().stop, nullptr);
  sigaction(SIGCONT, &terminal().go_on, nullptr);
}

}  // namespace

// A terminal that does not control this process has no foreground.
bool RawTerminal::in_foreground(int descriptor) {
  const pid_t group = tcgetpgrp(descriptor);
  return group < 0 || group == getpgrp();
}

RawTerminal::RawTerminal(int descriptor) {
  Terminal& the_terminal = terminal();
  if (the_terminal.raw) throw UserError("only one serial line can have the terminal");
  if (tcgetattr(descriptor, &the_terminal.before) != 0) {
    throw UserError("the standard input is no terminal");
  }
  the_terminal.descriptor = descriptor;
  // Output is still translated: a line feed begins a line.
  the_terminal.mode = the_terminal.before;
  the_terminal.mode.c_iflag &=
      ~static_cast<tcflag_t>(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON);
  the_terminal.mode.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHONL | ICANON | IEXTEN | ISIG);
  the_terminal.mode.c_cflag &= ~static_cast<tcflag_t>(CSIZE | PARENB);
  the_terminal.mode.c_cflag |= CS8;
  the_terminal.mode.c_cc[VMIN] = 1;
  the_terminal.mode.c_cc[VTIME] = 0;
  static const bool at_exit = std::atexit(restore) == 0;
  static_cast<void>(at_exit);
  the_terminal.raw = true;
  catch_signals();
  set_mode(the_terminal.mode);
}

// Twice: a signal in between may have set the mode once more.
RawTerminal::~RawTerminal() {
  restore();
  terminal().raw = false;
  set_mode(terminal().before);
  release_signals();
}

}  // namespace tern::mgmt
