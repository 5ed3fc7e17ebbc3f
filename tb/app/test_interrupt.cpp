// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <functional>

#include "sw/app/host/interrupt.h"
#include "sw/base/stop.h"

namespace tern::app {
namespace {

using Handler = void (*)(int);

Handler handler_of(int number) {
  struct sigaction now = {};
  sigaction(number, nullptr, &now);
  return now.sa_handler;
}

// What a child that receives signals ends with: 0, or the signal that killed it.
int end_of_child(const std::function<void()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGTERM, SIG_DFL);  // not Catch2's handler, which reports a failed test
    body();
    ::_exit(0);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

TEST_CASE("interrupts are caught once, whoever asks in between") {
  const std::array<int, 3> signals{SIGINT, SIGTERM, SIGHUP};
  std::array<Handler, 3> before{};
  for (std::size_t i = 0; i < signals.size(); ++i) before[i] = handler_of(signals[i]);
  const std::atomic<bool>* stop = catch_interrupts();
  CHECK_FALSE(*stop);
  for (const int number : signals) CHECK(handler_of(number) != SIG_DFL);
  std::raise(SIGINT);
  CHECK(*stop);
  CHECK(catch_interrupts() == stop);
  CHECK(*stop);
  base::stop_request() = false;
  for (std::size_t i = 0; i < signals.size(); ++i) std::signal(signals[i], before[i]);
  std::signal(SIGXFSZ, SIG_DFL);
}

TEST_CASE("a second signal kills, unless it is the same one twice as `timeout` sends it") {
  CHECK(end_of_child([] {
          catch_interrupts();
          std::raise(SIGINT);
          std::raise(SIGINT);
        }) == 0);
  CHECK(end_of_child([] {
          catch_interrupts();
          std::raise(SIGINT);
          ::usleep(400'000);
          std::raise(SIGTERM);
        }) == SIGTERM);
}

TEST_CASE("nohup stays in force") {
  CHECK(end_of_child([] {
          std::signal(SIGHUP, SIG_IGN);
          catch_interrupts();
          std::raise(SIGHUP);
          if (base::stop_request()) ::_exit(1);
        }) == 0);
}

}  // namespace tern::app
