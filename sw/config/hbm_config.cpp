// SPDX-License-Identifier: Apache-2.0
#include "sw/config/hbm_config.h"

#include <string>

#include "sw/base/user_error.h"

namespace tern::hbm {

namespace {

void require(bool good, const char* message) {
  if (!good) throw UserError(std::string("hbm: ") + message);
}

bool power_of_two(unsigned value) {
  return value != 0 && (value & (value - 1)) == 0;
}

}  // namespace

void check(const Config& c) {
  require(c.stacks >= 1 && c.stacks <= 16, "stacks must be 1 to 16");
  require(c.stack_bytes >= kPieceBytes && c.stack_bytes <= (64ull << 30) &&
              c.stack_bytes % kPieceBytes == 0,
          "a stack has 1 KiB to 64 GiB, a whole number of KiB");
  require(power_of_two(c.pseudo_channels_per_stack()) && c.pseudo_channels_per_stack() <= 64,
          "pseudo-channels of a stack must be a power of two up to 64");
  require(c.stack_ids >= 1 && c.stack_ids <= kMaxStackIds, "stack ids must be 1 to 4");
  require(power_of_two(c.page_bytes) && c.page_bytes >= 256 && c.page_bytes <= 8192,
          "page_bytes must be a power of two from 256 to 8192");
  require(c.pin_gbps >= 0.5 && c.pin_gbps <= 16, "pin_gbps must be 0.5 to 16");
  const TimingNs& t = c.timing;
  for (double ns : {t.t_rcd, t.t_rp, t.t_ras, t.t_rc, t.t_cl, t.t_wl, t.t_rrd_s, t.t_rrd_l, t.t_faw,
                    t.t_rtp, t.t_wr, t.t_wtr_s, t.t_wtr_l, t.t_rrefd}) {
    require(ns > 0 && ns <= 200, "times must be above 0 and at most 200 ns");
  }
  require(t.t_rfc_ab > 0 && t.t_rfc_pb > 0, "refresh times must be above 0");
  require(t.t_refi >= 100 && t.t_refi <= 1e6, "t_refi must be 100 to 1000000 ns");
  require(t.t_rfc_ab < t.t_refi && t.t_rfc_pb * 2 < t.t_refi, "refreshes take longer than t_refi");
  require(t.t_rc >= t.t_ras, "t_rc must be at least t_ras");
  require(t.ccd_s_clocks >= kBurstTicks && t.ccd_s_clocks <= 16 &&
              t.ccd_l_clocks >= t.ccd_s_clocks && t.ccd_r_clocks >= t.ccd_s_clocks,
          "ccd_s_clocks must be at least a burst (2), ccd_l_clocks and ccd_r_clocks at least that");
  require(t.ccd_l_clocks <= kBankGroups * t.ccd_s_clocks && t.ccd_r_clocks <= 64,
          "ccd_l_clocks must be at most four times ccd_s_clocks");
  require(t.rtw_gap_clocks <= 64, "rtw_gap_clocks must be at most 64");
  require(c.front_ns >= 0 && c.front_ns <= 10000 && c.back_ns >= 0 && c.back_ns <= 10000 &&
              c.update_ns >= 0 && c.update_ns <= 10000,
          "front_ns, back_ns and update_ns must be 0 to 10000");
  require(c.read_queue >= 8 && c.read_queue <= 128 && c.write_queue >= 8 && c.write_queue <= 128,
          "queues must have 8 to 128 slots");
  require(c.write_low < c.write_high && c.write_high <= c.write_queue,
          "write_low < write_high <= write_queue must hold");
  // The least urgent class has that many places.
  require(c.write_low < c.write_queue - c.write_queue / 8 * 3,
          "write_low must be less than 5/8 of write_queue");
  require(c.age_cap_ns >= 0 && c.age_cap_ns <= 1e6, "age_cap_ns must be 0 to 1000000");
  require(c.write_idle_ns >= 0 && c.write_idle_ns <= 10000, "write_idle_ns must be 0 to 10000");
  require(c.refresh_postpone <= 8, "refresh_postpone must be at most 8");
  require(c.scrub_gb_per_s >= 0 && c.scrub_gb_per_s <= 1000, "scrub_gb_per_s must be 0 to 1000");
  require(c.faults_per_s >= 0 && c.faults_per_s <= 1e9, "faults_per_s must be 0 to 1e9");
}

}  // namespace tern::hbm
