// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
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
  std::array<double, kEnergyBlocks> full_w{};  // of each at its full rate
  double us = 0;
  // The power of the whole chip in equal steps; of several programs that of the longest one.
  double curve_us = 0, step_us = 0;
  std::vector<double> curve_w;
  double most_w = 0;  // the highest value of any curve

  double all_uj() const;
  double work_uj() const;  // without links and idle
  double mean_w() const { return us > 0 ? all_uj() / us : 0; }
  double all_full_w() const;
  EnergyUse& operator+=(const EnergyUse& other);  // of another program
};

// What a chip's blocks draw at their full rate, each by itself: 16-bit operands but for MX
// products.
std::array<double, kEnergyBlocks> full_power(const ChipConfig& chip);

// Adds up the activity of all cores of a chip: a sink of its trace.
class EnergyLog : public trace::Sink {
 public:
  explicit EnergyLog(const ChipConfig& chip);

  void track(trace::TrackId id, const std::string& process, const std::string& thread) override;
  void span(const trace::Span& span) override;
  void counter(trace::TrackId track, std::string_view name, std::uint64_t time_fs,
               double value) override;

  // Forgets what was.
  void begin();
  // Of a program that ran from begin_fs to end_fs; hbm_bytes: on the buses of all stacks meanwhile.
  // Their curve is that of the network's counters, a microsecond each.
  EnergyUse use(std::uint64_t begin_fs, std::uint64_t end_fs, std::uint64_t hbm_bytes) const;

 private:
  static constexpr unsigned kWorkBlocks = 5;  // those before HBM: what spans tell of
  struct Work {
    std::uint64_t begin_fs, end_fs;
    std::array<float, kWorkBlocks> pj;
  };
  struct Load {
    std::uint64_t begin_fs;
    double busy;
  };

  const ChipConfig chip_;
  std::vector<bool> is_hbm_;  // by track
  std::vector<Work> work_;
  std::vector<Load> loads_;
};

}  // namespace tern::app
