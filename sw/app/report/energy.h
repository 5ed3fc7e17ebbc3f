// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/config/chip_config.h"
#include "systemc/trace/trace.h"

namespace tern::app {

// What estimates tell apart: docs/energy.md.
enum class EnergyBlock : std::uint8_t {
  kTensor,   // both arrays and their weights
  kEngines,  // Vector, Scalar, GpSimd
  kSbuf,
  kPsum,
  kDma,
  kHbm,
  kLinks,
  kIdle
};
constexpr unsigned kEnergyBlocks = 8;
const char* energy_block_name(EnergyBlock block);

// The energy of a chip in a stretch of time.
struct EnergyUse {
  std::array<double, kEnergyBlocks> uj{};      // by EnergyBlock
  std::array<double, kEnergyBlocks> peak_w{};  // what each can draw when it does nothing but work
  double us = 0;
  // The power of the whole chip from a moment after the beginning on, in steps; idle before.
  double curve_from_us = 0, step_us = 0;
  std::vector<double> curve_w;

  double all_uj() const;
  double mean_w() const { return us > 0 ? all_uj() / us : 0; }
  double highest_w() const;
  double limit_w() const;  // all of peak_w
  // Of two programs. The curve is that of the longer one.
  EnergyUse& operator+=(const EnergyUse& later);
};

// What a chip's blocks can draw at most: at their full rate, each by itself.
std::array<double, kEnergyBlocks> peak_power(const ChipConfig& chip);

// Adds up the activity of all cores of a chip: a sink of its trace.
class EnergyLog : public trace::Sink {
 public:
  explicit EnergyLog(const ChipConfig& chip);

  void track(trace::TrackId id, const std::string& process, const std::string& thread) override;
  void span(const trace::Span& span) override;
  void counter(trace::TrackId track, std::string_view name, std::uint64_t time_fs,
               double value) override;

  // Forgets what was: a program begins.
  void begin();
  // Of a program that ran from begin_fs to end_fs; hbm_bytes: on the buses of all stacks meanwhile.
  // Their curve is that of the network's counters, a microsecond each.
  EnergyUse use(std::uint64_t begin_fs, std::uint64_t end_fs, std::uint64_t hbm_bytes) const;

 private:
  // Amounts over time: in steps that double when there are too many.
  class Curve {
   public:
    // Evenly in [from, to).
    void add(std::uint64_t from, std::uint64_t to, double amount);
    std::uint64_t step_fs() const { return step_fs_; }
    // `count` steps of step_fs() times a power of two.
    std::vector<double> steps(std::uint64_t step_fs, std::size_t count) const;

   private:
    std::uint64_t step_fs_ = 10'000'000;  // 10 ns
    std::vector<double> steps_;
  };

  void add_to(Curve* curve, std::uint64_t from, std::uint64_t to, double amount) const;

  const ChipConfig chip_;
  std::vector<bool> is_hbm_;                // by track
  std::optional<std::uint64_t> origin_fs_;  // of the curves: the first activity
  std::array<double, kEnergyBlocks> pj_{};
  Curve work_, hbm_;  // picojoules; busy time
};

}  // namespace tern::app
