// SPDX-License-Identifier: Apache-2.0
#include "sw/app/host/interrupt.h"

#include <csignal>

namespace tern::app {
namespace {

std::atomic<bool> caught{false};
static_assert(std::atomic<bool>::is_always_lock_free, "used in a signal handler");

void on_signal(int number) {
  caught = true;
  std::signal(number, SIG_DFL);
}

}  // namespace

const std::atomic<bool>* catch_interrupts() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  return &caught;
}

}  // namespace tern::app
