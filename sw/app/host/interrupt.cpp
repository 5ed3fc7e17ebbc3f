// SPDX-License-Identifier: Apache-2.0
#include "sw/app/host/interrupt.h"

#include <csignal>

#include "sw/base/stop.h"

namespace tern::app {
namespace {

static_assert(std::atomic<bool>::is_always_lock_free, "used in a signal handler");

void on_signal(int number) {
  base::stop_request() = true;
  std::signal(number, SIG_DFL);
}

}  // namespace

const std::atomic<bool>* catch_interrupts() {
  // Once: armed again after the first signal, the program would not notice a second one.
  static const bool armed = [] {
    base::stop_request();  // exists before a handler needs it
    std::signal(SIGINT, on_signal);
    std::signal(SIGTERM, on_signal);
    return true;
  }();
  static_cast<void>(armed);
  return &base::stop_request();
}

}  // namespace tern::app
