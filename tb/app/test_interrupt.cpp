// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <csignal>

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

}  // namespace

TEST_CASE("interrupts are caught once: a second signal kills, whoever asks in between") {
  const Handler before = handler_of(SIGINT), before_term = handler_of(SIGTERM);
  const std::atomic<bool>* stop = catch_interrupts();
  CHECK_FALSE(*stop);
  CHECK(handler_of(SIGINT) != SIG_DFL);
  std::raise(SIGINT);
  CHECK(*stop);
  CHECK(handler_of(SIGINT) == SIG_DFL);
  CHECK(catch_interrupts() == stop);
  CHECK(*stop);
  CHECK(handler_of(SIGINT) == SIG_DFL);
  base::stop_request() = false;
  std::signal(SIGINT, before);
  std::signal(SIGTERM, before_term);
}

}  // namespace tern::app
