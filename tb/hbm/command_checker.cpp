// SPDX-License-Identifier: Apache-2.0
#include "tb/hbm/command_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace tern::tb {

namespace {

using hbm::Command;
using Kind = Command::Kind;

const char* name_of(Kind kind) {
  constexpr const char* kNames[] = {"ACT", "PRE", "PREab", "RD", "WR", "REFpb", "REFab"};
  return kNames[static_cast<unsigned>(kind)];
}

bool is_column(Kind kind) {
  return kind == Kind::kRead || kind == Kind::kWrite;
}

class Checker {
 public:
  explicit Checker(const hbm::Config& config) : config_(config) {}

  std::vector<std::string> run(std::vector<Command> commands) {
    std::stable_sort(commands.begin(), commands.end(), [](const Command& a, const Command& b) {
      if (a.tick != b.tick) return a.tick < b.tick;
      return !is_column(a.kind) && is_column(b.kind);
    });
    for (std::size_t i = 0; i < commands.size() && faults_.size() < 10; ++i) {
      buses(commands, i);
      pairs(commands, i);
      state(commands[i]);
    }
    return faults_;
  }

 private:
  struct BankState {
    std::optional<std::uint32_t> row;
    double last_refresh_ns = 0;
  };

  double clock_ns() const { return 4 / config_.pin_gbps; }
  static bool same_bank(const Command& a, const Command& b) {
    return a.stack_id == b.stack_id && a.bank_group == b.bank_group && a.bank == b.bank;
  }
  void require(const Command& a, const Command& b, double ns, const char* rule) {
    const double gap = static_cast<double>(b.tick - a.tick) * clock_ns();
    if (gap < ns - 1e-6) {
      faults_.push_back(fmt::format("{} at {} to {} at {}: {} asks {} ns, got {}", name_of(a.kind),
                                    a.tick, name_of(b.kind), b.tick, rule, ns, gap));
    }
  }

  // One command per clock on each bus; an activation takes two clocks.
  void buses(const std::vector<Command>& all, std::size_t i) {
    const Command& b = all[i];
    for (std::size_t j = i; j-- > 0 && b.tick - all[j].tick < 2;) {
      const Command& a = all[j];
      if (is_column(a.kind) != is_column(b.kind)) continue;
      const hbm::Tick length = a.kind == Kind::kActivate ? 2 : 1;
      if (b.tick - a.tick < length) {
        faults_.push_back(
            fmt::format("{} and {} share the bus at {}", name_of(a.kind), name_of(b.kind), b.tick));
      }
    }
  }

  // Every earlier command within reach of the longest constraint.
  void pairs(const std::vector<Command>& all, std::size_t i) {
    const hbm::TimingNs& t = config_.timing;
    const Command& b = all[i];
    const double reach = std::max({t.t_rfc_ab, t.t_rfc_pb, t.t_rc, t.t_ras, t.t_faw, 200.0});
    unsigned activates = 0;
    for (std::size_t j = i; j-- > 0;) {
      const Command& a = all[j];
      if (static_cast<double>(b.tick - a.tick) * clock_ns() > reach) break;
      pair(a, b);
      if (b.kind == Kind::kActivate && a.kind == Kind::kActivate && ++activates == 4)
        require(a, b, t.t_faw, "tFAW");
    }
  }

  void pair(const Command& a, const Command& b) {
    const hbm::TimingNs& t = config_.timing;
    const double burst = 8 / config_.pin_gbps, clock = clock_ns();
    const bool bank = same_bank(a, b);
    const bool every = a.kind == Kind::kRefreshAll || b.kind == Kind::kRefreshAll ||
                       a.kind == Kind::kPrechargeAll || b.kind == Kind::kPrechargeAll;
    const bool refresh_b = b.kind == Kind::kRefreshBank || b.kind == Kind::kRefreshAll;
    const bool precharge_a = a.kind == Kind::kPrecharge || a.kind == Kind::kPrechargeAll;
    const bool precharge_b = b.kind == Kind::kPrecharge || b.kind == Kind::kPrechargeAll;
    if (bank || every) {
      if (a.kind == Kind::kActivate) {
        if (is_column(b.kind)) require(a, b, t.t_rcd, "tRCD");
        if (precharge_b) require(a, b, t.t_ras, "tRAS");
        if (b.kind == Kind::kActivate || refresh_b) require(a, b, t.t_rc, "tRC");
      }
      if (precharge_a && (b.kind == Kind::kActivate || refresh_b)) require(a, b, t.t_rp, "tRP");
      if (a.kind == Kind::kRead && precharge_b) require(a, b, t.t_rtp, "tRTP");
      if (a.kind == Kind::kWrite && precharge_b)
        require(a, b, up(t.t_wl) + burst + up(t.t_wr), "WL + burst + tWR");
      if (a.kind == Kind::kRefreshBank && (b.kind == Kind::kActivate || refresh_b))
        require(a, b, t.t_rfc_pb, "tRFCpb");
      if (a.kind == Kind::kRefreshAll && (b.kind == Kind::kActivate || refresh_b))
        require(a, b, t.t_rfc_ab, "tRFCab");
    }
    const bool group = a.bank_group == b.bank_group;
    const bool row_a = a.kind == Kind::kActivate, row_b = b.kind == Kind::kActivate;
    if (row_a && (row_b || b.kind == Kind::kRefreshBank))
      require(a, b, group ? t.t_rrd_l : t.t_rrd_s, group ? "tRRD_L" : "tRRD_S");
    if (a.kind == Kind::kRefreshBank && !bank && (row_b || b.kind == Kind::kRefreshBank))
      require(a, b, t.t_rrefd, "tRREFD");
    if (!is_column(a.kind) || !is_column(b.kind)) return;
    if (a.kind == b.kind) {
      require(a, b, t.ccd_s_clocks * clock, "tCCD_S");
      if (group) require(a, b, t.ccd_l_clocks * clock, "tCCD_L");
      if (a.stack_id != b.stack_id) require(a, b, t.ccd_r_clocks * clock, "tCCD_R");
    } else if (a.kind == Kind::kRead) {
      require(a, b, up(t.t_cl) + burst + t.rtw_gap_clocks * clock - up(t.t_wl), "RD to WR");
    } else {
      require(a, b, up(t.t_wl) + burst + up(group ? t.t_wtr_l : t.t_wtr_s), "WR to RD");
    }
  }

  // Sums of parameters are sums of whole clocks.
  double up(double ns) const { return std::ceil(ns / clock_ns() - 1e-6) * clock_ns(); }

  void state(const Command& c) {
    auto& bank = banks_[c.stack_id][c.bank_group][c.bank];
    const double now = static_cast<double>(c.tick) * clock_ns();
    const auto fault = [&](const char* text) {
      faults_.push_back(fmt::format("{} at {}: {}", name_of(c.kind), c.tick, text));
    };
    switch (c.kind) {
      case Kind::kActivate:
        if (bank.row) fault("the bank is open");
        bank.row = c.row;
        refreshed_in_time(bank, now, c);
        break;
      case Kind::kPrecharge:
        if (!bank.row) fault("the bank is closed");
        bank.row.reset();
        break;
      case Kind::kPrechargeAll:
        for_all([](BankState& b) { b.row.reset(); });
        break;
      case Kind::kRead:
      case Kind::kWrite:
        if (!bank.row || *bank.row != c.row) fault("another row, or none, is open");
        break;
      case Kind::kRefreshBank:
        if (bank.row) fault("the bank is open");
        refreshed_in_time(bank, now, c);
        bank.last_refresh_ns = now;
        break;
      case Kind::kRefreshAll:
        for_all([&](BankState& b) {
          if (b.row) fault("a bank is open");
          b.last_refresh_ns = now;
        });
        break;
    }
  }
  void refreshed_in_time(const BankState& bank, double now, const Command& c) {
    if (config_.refresh == hbm::Refresh::kOff) return;
    // Those postponed, the one that was due, and some time for the commands.
    const double limit =
        (config_.refresh_postpone + 2) * config_.timing.t_refi + config_.age_cap_ns;
    if (now - bank.last_refresh_ns > limit) {
      faults_.push_back(fmt::format("{} at {}: no refresh for {} ns", name_of(c.kind), c.tick,
                                    now - bank.last_refresh_ns));
    }
  }
  template <typename Work>
  void for_all(Work work) {
    for (auto& id : banks_)
      for (auto& group : id)
        for (auto& bank : group) work(bank);
  }

  const hbm::Config& config_;
  BankState banks_[hbm::kMaxStackIds][hbm::kBankGroups][hbm::kBanksPerGroup];
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> check_commands(const hbm::Config& config,
                                        std::vector<hbm::Command> commands) {
  return Checker(config).run(std::move(commands));
}

}  // namespace tern::tb
