// SPDX-License-Identifier: Apache-2.0
#include "systemc/app/interrupt.h"

#include <atomic>

namespace tern::app {
namespace {

std::atomic<int> caught{0};
static_assert(std::atomic<int>::is_always_lock_free, "used in a signal handler");

void on_signal(int number) {
  caught = number;
  std::signal(number, SIG_DFL);
}

}  // namespace

void catch_interrupts() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

int interrupted() {
  return caught;
}

}  // namespace tern::app
