// SPDX-License-Identifier: Apache-2.0
#include "sw/app/host/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "sw/app/report/text.h"
#include "sw/base/text.h"

namespace tern::app {
namespace {

constexpr int kBarWidth = 28;
constexpr std::chrono::milliseconds kFirstShown{400}, kTerminalPeriod{100}, kLinePeriod{5000};
constexpr double kLineShare = 0.05;  // of the step, between two lines

// Assumes that the rest goes on as the step has gone so far; nothing before there is a basis.
std::string time_left(double fraction, double seconds) {
  constexpr double kLeastFraction = 0.01;
  if (fraction < kLeastFraction) return "";
  const double left = seconds * (1 - fraction) / fraction;
  constexpr double kMinutes = 100;
  return left < kMinutes ? fmt::format(" ({:.0f} s left)", left)
                         : fmt::format(" ({:.0f} min left)", left / 60);
}

}  // namespace

Progress::Progress(std::string title, bool quiet)
    : title_(printable(title)),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) != 0),
      begin_(Clock::now()),
      last_(begin_) {}

Progress::~Progress() {
  if (shown_ && terminal_) base::to_stderr(fmt::format("\r\033[K"));
}

void Progress::update(double fraction, const std::string& note) {
  const auto now = Clock::now();
  const auto period = terminal_ ? (shown_ ? kTerminalPeriod : kFirstShown) : kLinePeriod;
  if (quiet_ || now - last_ < period) return;
  fraction = std::clamp(fraction, 0.0, 1.0);
  if (!terminal_ && fraction - last_fraction_ < kLineShare) return;
  last_ = now;
  last_fraction_ = fraction;
  shown_ = true;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const std::string left = time_left(fraction, seconds);
  if (terminal_) {
    const int full = static_cast<int>(fraction * kBarWidth);
    base::to_stderr(fmt::format("\r\033[K{:<22} [{:█<{}}{:·<{}}] {:3.0f} % {:5.1f} s{} {}", title_,
                                "", full, "", kBarWidth - full, fraction * 100, seconds, left,
                                note));
    std::fflush(stderr);
  } else {
    base::to_stderr(fmt::format("{}: {:.0f} % after {:.0f} s{} {}\n", title_, fraction * 100,
                                seconds, left, note));
  }
}

}  // namespace tern::app
