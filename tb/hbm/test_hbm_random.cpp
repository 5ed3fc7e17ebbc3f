// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "tb/common/seed.h"
#include "tb/hbm/command_checker.h"
#include "tb/hbm/drive.h"

using namespace tern;
using hbm::Config;
using hbm::Refresh;
using hbm::Request;
using hbm::Stack;

namespace {

struct Trace {
  explicit Trace(Stack& stack, unsigned channels) : commands(channels) {
    for (unsigned c = 0; c < channels; ++c)
      stack.observe(c, [this, c](const hbm::Command& command) { commands[c].push_back(command); });
  }
  std::vector<std::vector<hbm::Command>> commands;
};

}  // namespace

TEST_CASE("random traffic of all kinds keeps every timing constraint") {
  std::mt19937_64 random(tb::test_seed() + 1);
  for (unsigned round = 0; round < 8; ++round) {
    Config config = round % 2 ? tb::trn2_hbm() : Config();
    config.refresh = round % 3 == 0   ? Refresh::kAllBank
                     : round % 4 == 1 ? Refresh::kBlocking
                                      : Refresh::kPerBank;
    config.refresh_postpone = round % 4 * 2;
    config.stack_bytes = 64 << 20;
    config.scrub_gb_per_s = round % 2 ? 20 : 0;
    if (round >= 4) {
      const auto any = [&](double low, double high) {
        return low + (high - low) * static_cast<double>(random() % 1000) / 1000;
      };
      hbm::TimingNs& t = config.timing;
      t.t_rcd = any(2, 30);
      t.t_rp = any(2, 30);
      t.t_ras = any(5, 40);
      t.t_rc = t.t_ras + any(0, 80);
      t.t_cl = any(2, 30);
      t.t_wl = any(1, 20);
      t.t_rrd_s = any(0.1, 6);
      t.t_rrd_l = any(0.1, 10);
      t.t_faw = any(1, 60);
      t.t_rtp = any(1, 20);
      t.t_wr = any(1, 40);
      t.t_wtr_s = any(0.5, 10);
      t.t_wtr_l = t.t_wtr_s + any(0, 10);
      t.t_rrefd = any(1, 20);
      if (config.refresh == Refresh::kBlocking) t.t_refi = 8000;
      t.ccd_s_clocks = 2 + random() % 2;
      t.ccd_l_clocks = t.ccd_s_clocks + random() % 4;
      t.ccd_r_clocks = t.ccd_s_clocks + random() % 3;
    }
    Stack stack(config);
    Trace trace(stack, config.pseudo_channels_per_stack());
    const unsigned mix = round % 4;
    std::vector<std::uint8_t> data(4096);
    tb::drive(stack, 4000, [&](std::uint64_t i) {
      Request request;
      constexpr std::uint32_t kSizes[] = {32, 64, 100, 512, 1024, 4096};
      request.bytes = mix == 3 ? 1024 : kSizes[random() % 6];
      request.write = random() % 4 < mix;
      if (request.write && random() % 8 == 0) request.op = WriteOp::kAddFp32;
      const std::uint64_t range = (random() % 3 ? config.stack_bytes : 1 << 16) - request.bytes;
      request.offset = (random() % 2 ? i * 512 % range : random() % range) & ~3ull;
      request.traffic_class = random() % 4;
      request.data = data.data();
      return request;
    });
    std::size_t commands = 0;
    for (const auto& channel : trace.commands) {
      commands += channel.size();
      const auto faults = tb::check_commands(config, channel);
      INFO("round " << round << ": " << (faults.empty() ? "" : faults.front()));
      REQUIRE(faults.empty());
    }
    CHECK(commands > 20000);
  }
}

TEST_CASE("a blocking refresh that would leave no time for accesses is refused") {
  Config config;
  config.refresh = Refresh::kBlocking;
  CHECK_NOTHROW(Stack(config));
  config.timing.t_refi = 1000;
  CHECK_THROWS_WITH(Stack(config),
                    Catch::Contains("hbm.timing.t_refi: expected with refresh: blocking"));
}

TEST_CASE("no bank is activated while a blocking refresh waits for its own") {
  Config config;
  config.refresh = Refresh::kBlocking;
  config.stack_bytes = 64 << 20;
  Stack stack(config);
  Trace trace(stack, config.pseudo_channels_per_stack());
  std::mt19937_64 random(tb::test_seed() + 4);
  tb::drive(stack, 20000, [&](std::uint64_t) {
    Request request;
    request.bytes = hbm::kBurstBytes;  // one bank
    request.offset = random() % (config.stack_bytes / hbm::kBurstBytes) * hbm::kBurstBytes;
    return request;
  });
  const double clock = 4 / config.pin_gbps;
  const double interval = config.timing.t_refi / (config.stack_ids * 16) / clock;
  for (std::vector<hbm::Command>& commands : trace.commands) {
    std::sort(commands.begin(), commands.end(),
              [](const hbm::Command& a, const hbm::Command& b) { return a.tick < b.tick; });
    unsigned refreshes = 0, waited = 0;
    double due = interval;
    for (const hbm::Command& command : commands) {
      const auto tick = static_cast<double>(command.tick);
      if (command.kind == hbm::Command::Kind::kRefreshBank) {
        due = interval * (++refreshes + 1);
        waited += tick > due - interval + 10;
      } else if (command.kind == hbm::Command::Kind::kActivate) {
        CHECK(tick <= due + 2);  // the row bus may have been busy
      }
    }
    CHECK(refreshes > 10);
    CHECK(waited > refreshes / 2);
  }
}
