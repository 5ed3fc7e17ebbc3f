// SPDX-License-Identifier: Apache-2.0
#include "sw/app/live/live_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "sw/app/host/interrupt.h"
#include "sw/app/report/text.h"
#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "sw/live/live_files.h"

namespace tern::app {

std::vector<live::State> LiveSource::read() {
  live::Found found;
  try {
    found = live::find_states();
  } catch (const UserError& error) {
    throw RunError(error.what());
  }
  refused_.clear();
  for (const std::string& refused : found.refused) {
    refused_.push_back(printable(refused));
    if (warnings_ == Warnings::kStderr && reported_.insert(refused).second)
      base::to_stderr(fmt::format("tern: warning: {}\n", refused_.back()));
  }
  if (!pid_) return std::move(found.states);
  std::vector<live::State> one;
  for (live::State& state : found.states) {
    if (state.pid == *pid_) one.push_back(std::move(state));
  }
  return one;
}

std::string nothing_text(std::optional<int> pid) {
  return pid ? fmt::format("process {} runs no simulation", *pid) : "no simulation runs";
}

bool wait_or_end(double seconds) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kStep = std::chrono::milliseconds(50);
  const std::atomic<bool>* stop = catch_interrupts();
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(seconds));
  while (!*stop && Clock::now() < end)
    std::this_thread::sleep_for(std::min<Clock::duration>(kStep, end - Clock::now()));
  return !*stop;
}

}  // namespace tern::app
