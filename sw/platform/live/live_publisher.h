// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sw/live/live_state.h"
#include "sw/platform/hosted_chip.h"
#include "sw/platform/live/chip_sampler.h"
#include "systemc/chip/simulation.h"
#include "systemc/mgmt/board/board.h"

namespace tern::live {

// What this process runs, for those who look: "mlp", "boot"; the command as typed. Set before a
// publisher is made; without it the process has its own name.
struct Description {
  std::string kind, command, version;
};
Description& description();

// Shows the chips of a simulation to other processes of this user (sw/live): a file, written anew
// twice a second of wall time while it runs, and removed at the end. It only reads, so a run takes
// the same course with it. While no file can be written, nothing is shown and there is no message,
// except for a folder that the user has named. A folder that is refused is not tried again.
class Publisher {
 public:
  static constexpr unsigned kPeriodMs = 500;

  Publisher();
  ~Publisher();
  Publisher(const Publisher&) = delete;
  Publisher& operator=(const Publisher&) = delete;

  // Before the first publication; they must outlive the publisher.
  void add(HostedChip& chip, const std::string& name);
  void add(mgmt::Board& board);
  // From now on in each run of the simulation, which must outlive the publisher.
  void watch(Simulation& simulation);

  // For simulations of another kind: publishes if it is time. Cheap enough to call often.
  void tick();
  void publish();

  // As it would be published now.
  State sample();

 private:
  using Clock = std::chrono::steady_clock;

  void open();
  void warn(const std::string& why);

  std::optional<std::filesystem::path> folder_;  // none: nothing is shown
  const int pid_;                                // a fork of the process shows nothing
  const Clock::time_point begin_;
  State state_;
  std::vector<ChipSampler> chips_;
  mgmt::Board* board_ = nullptr;
  Simulation* simulation_ = nullptr;
  bool opened_ = false, written_ = false, warned_ = false;
  Clock::time_point last_tick_;
  double last_wall_s_ = 0, last_simulated_us_ = 0;
};

}  // namespace tern::live
