// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sw/config/chip_config.h"
#include "sw/spec/queues.h"
#include "systemc/trace/trace.h"

namespace tern::app {

// How busy one resource was in a phase, 0 .. 1.
struct ResourceUse {
  std::string name;  // "tensor", "DMA engines", "network port of the core", "HBM reads", ...
  double share = 0;
};

// A part of a program, and what bounds it.
struct PhaseBound {
  std::string name;  // "fill", "work", "drain"; "transfers" when nothing computes
  double us = 0;
  std::vector<ResourceUse> uses;  // those that did anything, the busiest first
  double only_transfers = 0;      // part of the time: data in transit, no engine works
  double nothing = 0;             // part of the time: neither; starts of transfers, semaphores
  // "tensor" when it is busy for kBoundShare of the time; otherwise "latency: ..." with the kind of
  // wait that dominates.
  std::string bound;
};

constexpr double kBoundShare = 0.9;

// Records the activity of one core, its DMA engines and its memory: a sink of the trace.
class BoundLog : public trace::Sink {
 public:
  BoundLog(const ChipConfig& chip, unsigned core);

  void track(trace::TrackId id, const std::string& process, const std::string& thread) override;
  void span(const trace::Span& span) override;
  void counter(trace::TrackId track, std::string_view name, std::uint64_t time_fs,
               double value) override;

  // The program that ran from begin to end: until the first instruction of a computing engine,
  // until the end of the last, the rest.
  std::vector<PhaseBound> phases(std::uint64_t begin_fs, std::uint64_t end_fs) const;

 private:
  static constexpr unsigned kEngines = kComputeQueues;
  using Interval = std::pair<std::uint64_t, std::uint64_t>;
  using Intervals = std::vector<Interval>;  // by begin, disjoint
  struct Packet {
    std::uint64_t begin, end;
    double bytes;
  };
  struct Load {
    std::string name;
    std::vector<std::pair<std::uint64_t, double>> busy;  // share of the microsecond from there on
  };
  enum class Kind : std::uint8_t { kOther, kEngine, kDma, kLoad };
  struct Track {
    Kind kind = Kind::kOther;
    unsigned index = 0;
  };

  PhaseBound phase(const std::string& name, std::uint64_t begin_fs, std::uint64_t end_fs) const;
  static double covered(const Intervals& intervals, std::uint64_t begin, std::uint64_t end);

  const std::string core_;
  const double dma_gb_per_s_;
  const unsigned stack_;
  std::vector<Track> tracks_;
  std::array<Intervals, kEngines> engines_;  // computing
  std::array<Intervals, kEngines> busy_;     // with any instruction
  std::vector<Packet> packets_;
  std::vector<Load> loads_;
};

// "tensor busy", "DMA engines, of their rate": docs/reference/report-json.md has the definitions.
std::string share_name(const std::string& resource);
// For a terminal, at most 81 characters: "work 12.34 us: tensor busy 97 %".
std::string bound_text(const PhaseBound& phase);

}  // namespace tern::app
