// SPDX-License-Identifier: Apache-2.0
#include "sw/app/host/interrupt.h"

#include <csignal>
#include <cstdint>
#include <ctime>

#include "sw/base/stop.h"

namespace tern::app {
namespace {

static_assert(std::atomic<bool>::is_always_lock_free, "used in a signal handler");

// Milliseconds; may be called in a handler.
std::int64_t now_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

std::atomic<std::int64_t> g_first_ms{0};
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "used in a signal handler");

void on_signal(int number) {
  // `timeout` signals the process and then its group.
  constexpr std::int64_t kSameMs = 300;
  if (!base::stop_request().exchange(true)) {
    g_first_ms = now_ms();
  } else if (now_ms() - g_first_ms > kSameMs) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
}

}  // namespace

const std::atomic<bool>* catch_interrupts() {
  // Once: armed again after the first signal, the program would not notice a second one.
  static const bool armed = [] {
    base::stop_request();  // exists before a handler needs it
    std::signal(SIGINT, on_signal);
    std::signal(SIGTERM, on_signal);
    struct sigaction hangup {};
    const bool ignored = sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler == SIG_IGN;
    if (!ignored) std::signal(SIGHUP, on_signal);  // ignored under nohup
    // A file beyond the limit (ulimit -f) is a failed write, not the end of the process.
    std::signal(SIGXFSZ, SIG_IGN);
    return true;
  }();
  static_cast<void>(armed);
  return &base::stop_request();
}

}  // namespace tern::app
