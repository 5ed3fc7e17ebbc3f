// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <exception>

#include "sw/base/stop.h"
#include "sw/base/user_error.h"
#include "systemc/mgmt/devices/backend/host_file.h"
#include "systemc/mgmt/devices/backend/terminal_backend.h"
#include "tb/common/temp_folder.h"
#include "tb/mgmt/devices/backend_access.h"

using namespace tern;
using namespace tern::tb;
using mgmt::HostFile;
using mgmt::TerminalBackend;

namespace {

// A terminal with a person (`user`) at one side and a process at the other.
struct Screen {
  Screen() {
    int both[2] = {-1, -1};
    REQUIRE(openpty(&both[0], &both[1], nullptr, nullptr, nullptr) == 0);
    user = HostFile(both[0]);
    process = HostFile(both[1]);
    REQUIRE(fcntl(user.get(), F_SETFL, O_NONBLOCK) == 0);
  }
  void type(std::string_view text) const { REQUIRE(mgmt::write_all(user.get(), text)); }
  tcflag_t mode() const {
    termios mode{};
    REQUIRE(tcgetattr(process.get(), &mode) == 0);
    return mode.c_lflag & (ICANON | ECHO | ISIG | IEXTEN);
  }
  bool raw() const { return mode() == 0; }
  bool ordinary() const { return mode() == (ICANON | ECHO | ISIG | IEXTEN); }
  HostFile user, process;
};

// A process of its own, in which no test reporter catches signals. Its exit code, or 1000 + signal.
int in_child(const std::function<int()>& body, const std::function<void(pid_t)>& meanwhile = {}) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    for (int number = 1; number < 32; ++number) signal(number, SIG_DFL);
    _exit(body());
  }
  if (meanwhile) meanwhile(child);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::unique_ptr<TerminalBackend> on(const Screen& screen) {
  return std::make_unique<TerminalBackend>([] {}, screen.process.get(), screen.process.get());
}

struct Pipe {
  Pipe() {
    int both[2] = {-1, -1};
    REQUIRE(pipe(both) == 0);
    from = HostFile(both[0]);
    to = HostFile(both[1]);
  }
  HostFile from, to;
};

}  // namespace

TEST_CASE("terminal: every key reaches the guest, every byte the screen") {
  Screen screen;
  REQUIRE(screen.ordinary());
  {
    TerminalBackend backend([] { FAIL("quit"); }, screen.process.get(), screen.process.get());
    CHECK(screen.raw());
    const std::string keys = "a\r\n\x03\x04\x1A\x1C\x11\x13\x7F\x16";
    screen.type(keys);
    CHECK(hears(backend, keys));
    print(backend, "\x1B[2Jx\x07\r");
    CHECK(client_reads(screen.user.get(), 7, backend) == "\x1B[2Jx\x07\r");
  }
  CHECK(screen.ordinary());
}

TEST_CASE("terminal: Ctrl-A begins a command") {
  Screen screen;
  unsigned quits = 0;
  TerminalBackend backend([&] { ++quits; }, screen.process.get(), screen.process.get());
  screen.type("a\x01\x01\x01q\x01hb");
  CHECK(hears(backend,
              "a\x01"
              "b"));
  CHECK(quits == 0);
  std::string help;
  REQUIRE(eventually([&] {
    char byte = 0;
    while (read(screen.user.get(), &byte, 1) == 1) help += byte;
    return help.find("Ctrl-A x      quit") != std::string::npos;
  }));
  screen.type("x\x01xX\x01X");
  CHECK(hears(backend, "xX"));
  CHECK(eventually([&] { return heard(backend).empty() && quits == 2; }));
}

TEST_CASE("terminal: Ctrl-A x asks the program to end") {
  Screen screen;
  TerminalBackend backend({}, screen.process.get(), screen.process.get());
  CHECK_FALSE(base::stop_request());
  screen.type("\x01x");
  CHECK(eventually([&] { return heard(backend).empty() && base::stop_request(); }));
  base::stop_request() = false;
}

TEST_CASE("terminal: signals that end the process leave an ordinary terminal") {
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGABRT, SIGSEGV, SIGBUS}) {
    CAPTURE(number);
    const Screen screen;
    CHECK(in_child([&] {
            const auto backend = on(screen);
            if (!screen.raw()) return 1;
            raise(number);
            return 2;
          }) == 1000 + number);
    CHECK(screen.ordinary());
  }
}

TEST_CASE("terminal: handlers of the program run, ignored signals stay ignored") {
  const Screen screen;
  CHECK(in_child([&] {
          static volatile sig_atomic_t caught = 0;
          signal(SIGTERM, [](int) { caught = caught + 1; });
          signal(SIGHUP, SIG_IGN);
          {
            const auto backend = on(screen);
            raise(SIGHUP);
            if (!screen.raw()) return 1;
            raise(SIGTERM);
            if (caught != 1) return 2;
          }
          raise(SIGTERM);
          return caught == 2 && screen.ordinary() ? 0 : 3;
        }) == 0);
}

TEST_CASE("terminal: exit() and std::terminate() restore it") {
  const Screen screen;
  CHECK(in_child([&] {
          // Without its destructor: the process ends in the middle of something.
          static TerminalBackend* const backend = on(screen).release();
          if (backend == nullptr || !screen.raw()) return 1;
          exit(7);
        }) == 7);
  CHECK(screen.ordinary());
  CHECK(in_child([&]() -> int {
          const auto backend = on(screen);
          close(2);  // what the runtime says about it
          std::terminate();
        }) == 1000 + SIGABRT);
  CHECK(screen.ordinary());
}

TEST_CASE("terminal: a stopped process lends it back") {
  const Screen screen;
  const auto body = [&](int number) {
    return [&screen, number] {
      setpgid(0, 0);  // with a parent outside its group a process can be stopped
      const auto backend = on(screen);
      raise(number);
      return screen.raw() ? 0 : 1;
    };
  };
  CHECK(in_child(body(SIGTSTP), [&](pid_t child) {
          int status = 0;
          REQUIRE(waitpid(child, &status, WUNTRACED) == child);
          REQUIRE(WIFSTOPPED(status));
          CHECK(screen.ordinary());
          kill(child, SIGCONT);
        }) == 0);
  CHECK(screen.ordinary());
  // Nothing can be done at SIGSTOP, but afterwards.
  CHECK(in_child(body(SIGSTOP), [&](pid_t child) {
          int status = 0;
          REQUIRE(waitpid(child, &status, WUNTRACED) == child);
          termios mode{};
          tcgetattr(screen.process.get(), &mode);
          mode.c_lflag |= ICANON | ECHO;
          tcsetattr(screen.process.get(), TCSANOW, &mode);
          kill(child, SIGCONT);
        }) == 0);
}

TEST_CASE("terminal: in the background it is left alone until the process comes to the front") {
  const Screen screen;
  Pipe ready, done;
  const auto background = [&] {
    setpgid(0, 0);
    const auto backend = on(screen);
    screen.type("typed for another");
    if (!screen.ordinary() || !heard(*backend).empty()) return 1;
    char byte = 'r';
    if (write(ready.to.get(), &byte, 1) != 1) return 2;
    if (read(done.from.get(), &byte, 1) != 1) return 3;
    raise(SIGCONT);  // as a shell does after it has put the process in front
    if (!screen.raw()) return 4;
    screen.type("k");
    return eventually([&] { return heard(*backend).find('k') != std::string::npos; }) ? 0 : 5;
  };
  // A session with this terminal, and a job in its background.
  CHECK(in_child([&] {
          setsid();
          if (ioctl(screen.process.get(), TIOCSCTTY, 0) != 0) return 10;
          signal(SIGTTOU, SIG_IGN);
          const pid_t job = fork();
          if (job == 0) {
            signal(SIGTTOU, SIG_DFL);
            _exit(background());
          }
          char byte = 0;
          if (read(ready.from.get(), &byte, 1) != 1) return 11;
          if (tcsetpgrp(screen.process.get(), job) != 0) return 12;
          if (write(done.to.get(), &byte, 1) != 1) return 13;
          int status = 0;
          waitpid(job, &status, WUNTRACED);
          return WIFEXITED(status) ? WEXITSTATUS(status) : 14;
        }) == 0);
}

TEST_CASE("terminal: only one line has it") {
  const Screen screen;
  const auto backend = on(screen);
  CHECK_THROWS_AS(on(screen), UserError);
  CHECK(screen.raw());
}

TEST_CASE("terminal: a pipe as input has no commands and ends, one as output gets no controls") {
  Pipe keys, screen;
  TerminalBackend backend([] { FAIL("quit"); }, keys.from.get(), screen.to.get());
  REQUIRE(mgmt::write_all(keys.to.get(), "a\x01x\n"));
  CHECK(heard(backend) == "a\x01x\n");
  CHECK(backend.may_receive());
  keys.to.close();
  CHECK(heard(backend).empty());
  CHECK_FALSE(backend.may_receive());
  print(backend, "\x1B[2Jtab\t\x7F\xC3\xBC\r\n");
  screen.to.close();
  std::string text(100, 0);
  text.resize(static_cast<std::size_t>(read(screen.from.get(), text.data(), text.size())));
  CHECK(text == "\\x1b[2Jtab\t\\x7f\xC3\xBC\r\n");
}

TEST_CASE("terminal: output that cannot be written is dropped") {
  const HostFile full(open("/dev/full", O_RDWR)), nothing(open("/dev/null", O_RDONLY));
  TerminalBackend backend([] {}, nothing.get(), full.get());
  print(backend, "text");
  CHECK(heard(backend).empty());
  CHECK_FALSE(backend.may_receive());
}
