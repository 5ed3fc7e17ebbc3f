// SPDX-License-Identifier: Apache-2.0
#include "sw/platform/live/live_publisher.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>

#include "sw/base/atomic_file.h"
#include "sw/base/child_process.h"
#include "sw/base/seconds_since.h"
#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "sw/live/live_files.h"
#include "sw/live/process_start.h"
#include "sw/live/run_folder.h"

namespace tern::live {

namespace {

double now_s() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

Description& description() {
  static Description text;
  return text;
}

Publisher::Publisher() : folder_(run_folder()), pid_(getpid()), begin_(Clock::now()) {
  state_.pid = pid_;
  state_.kind = description().kind;
  state_.command = description().command;
  state_.version = description().version;
  if (state_.command.empty()) state_.command = base::own_program();
  state_.started_s = now_s();
}

Publisher::~Publisher() {
  if (simulation_ != nullptr) simulation_->set_watcher({}, 0);
  if (!written_ || getpid() != pid_) return;
  std::error_code ignored;
  std::filesystem::remove(state_file(*folder_, pid_), ignored);
}

void Publisher::add(HostedChip& chip, const std::string& name) {
  if (chips_.size() < kMaxDevices) chips_.emplace_back(chip, name);
}

void Publisher::add(mgmt::Board& board) {
  board_ = &board;
}

void Publisher::watch(Simulation& simulation) {
  if (!folder_) return;
  simulation_ = &simulation;
  simulation.set_watcher([this] { publish(); }, kPeriodMs);
}

void Publisher::tick() {
  if (!folder_) return;
  const auto now = Clock::now();
  if (now - last_tick_ < std::chrono::milliseconds(kPeriodMs)) return;
  last_tick_ = now;
  publish();
}

State Publisher::sample() {
  state_.updated_s = now_s();
  state_.wall_s = base::seconds_since(begin_);
  state_.simulated_us = sc_core::sc_time_stamp().to_seconds() * 1e6;
  const double wall = state_.wall_s - last_wall_s_;
  if (wall > 0) state_.speed = (state_.simulated_us - last_simulated_us_) / wall;
  last_wall_s_ = state_.wall_s;
  last_simulated_us_ = state_.simulated_us;
  state_.devices.clear();
  for (ChipSampler& chip : chips_) state_.devices.push_back(chip.sample());
  if (board_ != nullptr) state_.management = sample_of(*board_);
  return state_;
}

// At the first publication: most runs of a test are over before.
void Publisher::open() {
  make_run_folder(*folder_);
  remove_dead(*folder_);  // processes that were killed
  state_.start_ticks = process_start(pid_).value_or(0);
  opened_ = true;
}

void Publisher::warn(const std::string& why) {
  if (!warned_ && std::getenv("TERN_RUN_DIR") != nullptr)
    base::to_stderr(fmt::format("tern: warning: this run is not shown: {}\n", why));
  warned_ = true;
}

void Publisher::publish() {
  if (!folder_ || getpid() != pid_) return;
  try {
    if (!opened_) open();
  } catch (const std::exception& error) {
    warn(error.what());
    folder_.reset();
    return;
  }
  try {
    base::write_file(state_file(*folder_, pid_), to_json(sample()).dump(), base::NamedBy::kProgram);
    written_ = true;
  } catch (const std::exception& error) {
    // The disk is full, or the folder was cleaned away: the next attempt may find it otherwise.
    warn(error.what());
    std::error_code ignored;
    std::filesystem::remove(state_file(*folder_, pid_), ignored);
    opened_ = written_ = false;
  }
}

}  // namespace tern::live
