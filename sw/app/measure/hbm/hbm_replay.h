// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "sw/app/measure/hbm/hbm_trace.h"
#include "sw/app/measure/hbm/rate_log.h"
#include "systemc/hbm/stack.h"
#include "systemc/trace/latency_histogram.h"

namespace tern::app {

struct HbmReplayStack {
  unsigned number = 0;
  std::vector<hbm::ChannelCounters> channels;  // per pseudo-channel
  hbm::ChannelCounters sum;
};

struct HbmReplay {
  hbm::Config config;
  std::string chip;
  std::uint64_t requests = 0, bytes = 0;
  std::uint64_t first_fs = 0, last_fs = 0;  // from the first request to empty queues
  double host_seconds = 0;
  std::vector<HbmReplayStack> stacks;  // those that were used
  // From the time of the line, including the wait for a free queue slot; eager requests: from that
  // slot on.
  std::array<trace::LatencyHistogram, 2> latency;  // reads, writes
  std::array<trace::LatencyHistogram, kTrafficClasses> class_latency;
  RateLog rates;  // of completions, since first_fs

  double seconds() const { return static_cast<double>(last_fs - first_fs) * 1e-15; }
  double gb_per_s() const {
    return last_fs == first_fs ? 0 : static_cast<double>(bytes) * 1e-9 / seconds();
  }
  // Of the stacks used.
  double peak_gb_per_s() const {
    return config.stack_gb_per_s() * static_cast<double>(stacks.size());
  }
};

// Sends requests to the stacks of a chip, each as early as its time and the queues allow.
HbmReplay replay_hbm(const hbm::Config& config, HbmSource& source,
                     const std::function<void(double)>& progress);

}  // namespace tern::app
