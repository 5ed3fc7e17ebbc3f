// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sw/spec/queues.h"
#include "systemc/trace/trace.h"

namespace tern::app {

// How cores that work together spend their time, means of the cores. Either engines compute; or no
// engine computes and sums over cores are in progress (KernelBuilder::core_sum, transfers of the
// most urgent class). The rest is loads, stores, starts.
struct CoreTimes {
  double us = 0;  // from the first instruction of any to the last one's end
  double computing_us = 0, reduction_us = 0;
  std::string busiest;  // engine
  double busiest_us = 0;
  double other_us() const { return us - computing_us - reduction_us; }
};

// Listens to cores 0 .. cores - 1 while they execute a program each.
class CoreLog : public trace::Sink {
 public:
  void track(trace::TrackId id, const std::string& process, const std::string& thread) override;
  void span(const trace::Span& span) override;
  void counter(trace::TrackId, std::string_view, std::uint64_t, double) override {}

  // Discards all records; from now on this number of cores.
  void begin(unsigned cores);
  CoreTimes times() const;

 private:
  static constexpr unsigned kEngines = kComputeQueues;
  using Interval = std::pair<std::uint64_t, std::uint64_t>;
  struct Core {
    std::array<std::vector<Interval>, kEngines> busy;
    std::vector<std::pair<unsigned, std::uint64_t>> triggers;  // on Sync: ring, when
  };
  struct Track {
    enum Kind : std::uint8_t { kOther, kEngine, kSync, kDma } kind = kOther;
    unsigned core = 0, engine = 0;
  };

  std::vector<Core> cores_;
  std::vector<Track> tracks_;
  std::uint64_t begin_ = UINT64_MAX, end_ = 0;
  std::set<unsigned> urgent_rings_;
  std::uint64_t urgent_end_ = 0;
};

}  // namespace tern::app
