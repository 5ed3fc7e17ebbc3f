// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "sw/config/hbm_config.h"

namespace tern::hbm {

// Time of a pseudo-channel: clocks of the command bus (a quarter of the pins' rate).
using Tick = std::int64_t;
constexpr Tick kNever = std::numeric_limits<Tick>::max() / 4;
constexpr Tick kLongAgo = -kNever;

// Clocks to femtoseconds without accumulating error: one clock is 4e6 / pin_mbps picoseconds.
class Clock {
 public:
  explicit Clock(double pin_gbps);
  // Rounded down to a femtosecond.
  std::uint64_t fs(Tick tick) const {
    const auto t = static_cast<std::uint64_t>(tick);
    return t / mbps_ * kFs + t % mbps_ * kFs / mbps_;
  }
  // The first clock edge at or after a moment.
  Tick at_or_after(std::uint64_t fs) const {
    const std::uint64_t rest = fs % kFs * mbps_;
    return static_cast<Tick>(fs / kFs * mbps_ + rest / kFs + (rest % kFs != 0));
  }
  Tick from_ns(double ns) const;  // rounded up

 private:
  static constexpr std::uint64_t kFs = 4'000'000'000;  // of mbps_ clocks
  std::uint64_t mbps_;
};

// The constraints in clocks, as the scheduler uses them.
struct Timing {
  explicit Timing(const Config& config);

  Clock clock;
  Tick rcd, rp, ras, rc, cl, wl, rrd_s, rrd_l, faw, rtp, wr;
  Tick ccd_s, ccd_l, ccd_r;
  Tick rtw;                 // RD to WR: CL + burst + gap - WL
  Tick wtr_s, wtr_l;        // WR to RD, from command to command: WL + burst + tWTR
  Tick write_to_precharge;  // WL + burst + tWR
  Tick refi, rfc_ab, rfc_pb, rrefd;
  Tick age_cap, update;
  Tick write_idle;  // RD to a WR outside a drain, at least rtw
  Tick lookahead;   // row commands issue this long before their column command can
};

}  // namespace tern::hbm
