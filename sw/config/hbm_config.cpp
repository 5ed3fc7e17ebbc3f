// SPDX-License-Identifier: Apache-2.0
#include "sw/config/hbm_config.h"

#include <string>
#include <utility>

#include "sw/base/user_error.h"
#include "sw/config/hbm_misfit.h"

namespace tern::hbm {

namespace {

bool power_of_two(unsigned value) {
  return value != 0 && (value & (value - 1)) == 0;
}

bool within(double value, double least, double most) {
  return value >= least && value <= most;
}

constexpr std::pair<const char*, double TimingNs::*> kShortTimes[] = {
    {"timing.t_rcd", &TimingNs::t_rcd},     {"timing.t_rp", &TimingNs::t_rp},
    {"timing.t_ras", &TimingNs::t_ras},     {"timing.t_rc", &TimingNs::t_rc},
    {"timing.t_cl", &TimingNs::t_cl},       {"timing.t_wl", &TimingNs::t_wl},
    {"timing.t_rrd_s", &TimingNs::t_rrd_s}, {"timing.t_rrd_l", &TimingNs::t_rrd_l},
    {"timing.t_faw", &TimingNs::t_faw},     {"timing.t_rtp", &TimingNs::t_rtp},
    {"timing.t_wr", &TimingNs::t_wr},       {"timing.t_wtr_s", &TimingNs::t_wtr_s},
    {"timing.t_wtr_l", &TimingNs::t_wtr_l}, {"timing.t_rrefd", &TimingNs::t_rrefd}};

// The first rule that does not hold is kept.
class Rules {
 public:
  void require(bool good, const char* key, const char* expected) {
    if (!good && !misfit_) misfit_ = Misfit{key, expected};
  }
  std::optional<Misfit> misfit() const { return misfit_; }

 private:
  std::optional<Misfit> misfit_;
};

void check_timing(const TimingNs& t, Rules* rules) {
  for (const auto& [key, time] : kShortTimes)
    rules->require(t.*time > 0 && t.*time <= 200, key, "more than 0 and at most 200");
  rules->require(t.t_rfc_ab > 0, "timing.t_rfc_ab", "more than 0");
  rules->require(t.t_rfc_pb > 0, "timing.t_rfc_pb", "more than 0");
  rules->require(within(t.t_refi, 100, 1e6), "timing.t_refi", "100 to 1000000");
  rules->require(t.t_rfc_ab < t.t_refi, "timing.t_rfc_ab", "less than t_refi");
  rules->require(t.t_rfc_pb * 2 < t.t_refi, "timing.t_rfc_pb", "less than half of t_refi");
  rules->require(t.t_rc >= t.t_ras, "timing.t_rc", "at least t_ras");
  rules->require(t.ccd_s_clocks >= kBurstTicks && t.ccd_s_clocks <= 16, "timing.ccd_s_clocks",
                 "2 (a burst) to 16");
  rules->require(t.ccd_l_clocks >= t.ccd_s_clocks && t.ccd_l_clocks <= kBankGroups * t.ccd_s_clocks,
                 "timing.ccd_l_clocks", "ccd_s_clocks to four times as many");
  rules->require(t.ccd_r_clocks >= t.ccd_s_clocks && t.ccd_r_clocks <= 64, "timing.ccd_r_clocks",
                 "ccd_s_clocks to 64");
  rules->require(t.rtw_gap_clocks <= 64, "timing.rtw_gap_clocks", "at most 64");
}

void check_queues(const Config& c, Rules* rules) {
  rules->require(within(c.read_queue, 8, 128), "read_queue", "8 to 128 slots");
  rules->require(within(c.write_queue, 8, 128), "write_queue", "8 to 128 slots");
  rules->require(c.write_high <= c.write_queue, "write_high", "at most write_queue");
  rules->require(c.write_low < c.write_high, "write_low", "less than write_high");
  // The least urgent class has that many places.
  rules->require(c.write_low < c.write_queue - c.write_queue / 8 * 3, "write_low",
                 "less than 5/8 of write_queue");
}

// Refreshes that block have to leave time for accesses.
void check_blocking(const Config& c, Rules* rules) {
  if (c.refresh != Refresh::kBlocking) return;
  const TimingNs& t = c.timing;
  const double clocks = 16 * 4 / c.pin_gbps;  // rounded up, and those of the commands
  const double longest = t.t_ras + t.t_rp + t.t_wr + t.t_rrefd + clocks;
  rules->require(t.t_refi >= kBanksPerStackId * c.stack_ids * longest, "timing.t_refi",
                 "with refresh: blocking at least 16 stack_ids (t_ras + t_rp + t_wr + t_rrefd + 16 "
                 "clocks)");
}

}  // namespace

std::optional<Misfit> first_misfit(const Config& c) {
  Rules rules;
  rules.require(c.stacks >= 1 && c.stacks <= 16, "stacks", "1 to 16");
  rules.require(c.stack_bytes >= kPieceBytes && c.stack_bytes <= (64ull << 30) &&
                    c.stack_bytes % kPieceBytes == 0,
                "stack_gib", "1 KiB to 64 GiB, a whole number of KiB");
  rules.require(power_of_two(c.pseudo_channels_per_stack()) && c.pseudo_channels_per_stack() <= 64,
                "pseudo_channels", "a power of two up to 64 in a stack");
  rules.require(c.stack_ids >= 1 && c.stack_ids <= kMaxStackIds, "stack_ids", "1 to 4");
  rules.require(power_of_two(c.page_bytes) && within(c.page_bytes, 256, 8192), "page_bytes",
                "a power of two from 256 to 8192");
  rules.require(within(c.pin_gbps, 0.5, 16), "pin_gbps", "0.5 to 16");
  check_timing(c.timing, &rules);
  rules.require(within(c.front_ns, 0, 10000), "front_ns", "0 to 10000");
  rules.require(within(c.back_ns, 0, 10000), "back_ns", "0 to 10000");
  rules.require(within(c.update_ns, 0, 10000), "update_ns", "0 to 10000");
  check_queues(c, &rules);
  rules.require(within(c.age_cap_ns, 0, 1e6), "age_cap_ns", "0 to 1000000");
  rules.require(within(c.write_idle_ns, 0, 10000), "write_idle_ns", "0 to 10000");
  check_blocking(c, &rules);
  rules.require(c.refresh_postpone <= 8, "refresh_postpone", "at most 8");
  rules.require(within(c.scrub_gb_per_s, 0, 1000), "scrub_gb_per_s", "0 to 1000");
  rules.require(within(c.faults_per_s, 0, 1e9), "faults_per_s", "0 to 1e9");
  return rules.misfit();
}

void check(const Config& config) {
  if (const auto misfit = first_misfit(config))
    throw UserError("hbm." + misfit->key + ": expected " + misfit->expected);
}

}  // namespace tern::hbm
