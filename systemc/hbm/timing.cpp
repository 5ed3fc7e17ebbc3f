// SPDX-License-Identifier: Apache-2.0
#include "systemc/hbm/timing.h"

#include <algorithm>
#include <cmath>

namespace tern::hbm {

Clock::Clock(double pin_gbps) : mbps_(static_cast<std::uint64_t>(std::llround(pin_gbps * 1000))) {}

Tick Clock::from_ns(double ns) const {
  // A value that is a whole number of clocks except for its binary fraction is not rounded up.
  return static_cast<Tick>(std::ceil(ns * static_cast<double>(mbps_) / 4000 - 1e-6));
}

Timing::Timing(const Config& c) : clock(c.pin_gbps) {
  const TimingNs& t = c.timing;
  const auto ticks = [this](double ns) { return clock.from_ns(ns); };
  rcd = ticks(t.t_rcd);
  rp = ticks(t.t_rp);
  ras = ticks(t.t_ras);
  rc = ticks(t.t_rc);
  cl = ticks(t.t_cl);
  wl = ticks(t.t_wl);
  // An activation occupies the row bus for two clocks.
  rrd_s = std::max<Tick>(ticks(t.t_rrd_s), 2);
  rrd_l = std::max(ticks(t.t_rrd_l), rrd_s);
  faw = ticks(t.t_faw);
  rtp = ticks(t.t_rtp);
  wr = ticks(t.t_wr);
  ccd_s = t.ccd_s_clocks;
  ccd_l = t.ccd_l_clocks;
  ccd_r = t.ccd_r_clocks;
  // Never less than a burst apart, even if the write latency is long.
  const Tick read_end = cl + kBurstTicks + t.rtw_gap_clocks;
  rtw = read_end > wl + ccd_s ? read_end - wl : ccd_s;
  wtr_s = wl + kBurstTicks + ticks(t.t_wtr_s);
  wtr_l = wl + kBurstTicks + ticks(t.t_wtr_l);
  write_to_precharge = wl + kBurstTicks + wr;
  refi = ticks(t.t_refi);
  rfc_ab = ticks(t.t_rfc_ab);
  rfc_pb = ticks(t.t_rfc_pb);
  rrefd = ticks(t.t_rrefd);
  age_cap = ticks(c.age_cap_ns);
  update = ticks(c.update_ns);
  write_idle = std::max(rtw, ticks(c.write_idle_ns));
  // Four precharges, then four activations, before the columns of a whole piece.
  lookahead = kBankGroups + rp + rcd + (kBankGroups - 1) * (rrd_s > ccd_s ? rrd_s - ccd_s : 0);
}

}  // namespace tern::hbm
