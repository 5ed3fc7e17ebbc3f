// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "systemc/trace/latency_histogram.h"

namespace tern {

// The programs that a core has run, as its queues show it: how many, and for how long.
class ProgramTimes {
 public:
  // Whenever its status may have changed. running: a queue is; failed: the core is in error.
  void update(bool running, bool failed, std::uint64_t now_fs) {
    const bool active = running && !failed;
    if (active == active_) return;
    active_ = active;
    if (active) {
      begin_fs_ = now_fs;
      return;
    }
    ++ended_;
    if (failed) ++failed_;
    times_.add(now_fs - begin_fs_);
    end_fs_ = now_fs;
  }

  std::uint64_t ended() const { return ended_; }
  std::uint64_t last_end_fs() const { return end_fs_; }
  std::uint64_t failed() const { return failed_; }  // of these
  const trace::LatencyHistogram& times() const { return times_; }

 private:
  bool active_ = false;
  std::uint64_t begin_fs_ = 0, end_fs_ = 0, ended_ = 0, failed_ = 0;
  trace::LatencyHistogram times_;
};

}  // namespace tern
