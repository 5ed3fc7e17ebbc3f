// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>
#include <set>

#include "tb/common/seed.h"
#include "tb/hbm/drive.h"

using namespace tern;
using hbm::Config;
using hbm::Refresh;
using hbm::Request;
using hbm::Stack;

namespace {

Request access_of(std::uint64_t offset, std::uint32_t bytes, bool write = false,
                  unsigned traffic_class = 0) {
  Request request;
  request.offset = offset;
  request.bytes = bytes;
  request.write = write;
  request.traffic_class = traffic_class;
  return request;
}

double whole_clocks_ns(const Config& config, double ns) {
  const double clock = 4 / config.pin_gbps;
  return std::ceil(ns / clock - 1e-6) * clock;
}

// Offsets of pieces in one pseudo-channel and one set of banks, in a given number of rows.
std::vector<std::uint64_t> pieces_of_one_set(const Stack& stack, std::size_t rows) {
  std::vector<std::uint64_t> offsets;
  std::set<std::uint32_t> seen;
  const auto home = stack.address_map().locate(0);
  for (std::uint64_t offset = 0; seen.size() < rows || offsets.size() < 4 * rows; offset += 1024) {
    const auto place = stack.address_map().locate(offset);
    if (place.pseudo_channel != home.pseudo_channel || place.set != home.set) continue;
    if (seen.size() == rows && seen.count(place.row) == 0) continue;
    seen.insert(place.row);
    offsets.push_back(offset);
  }
  return offsets;
}

}  // namespace

TEST_CASE("streaming with refresh: the analytic share of the pins' bandwidth") {
  for (Config config : {Config(), tb::trn2_hbm()}) {
    const auto share = [&config](std::uint64_t bytes) {
      Stack stack(config);
      const auto result =
          tb::drive(stack, bytes / 1024, [](std::uint64_t i) { return access_of(i * 1024, 1024); });
      return result.gb_per_s() / config.stack_gb_per_s();
    };
    const hbm::TimingNs& t = config.timing;
    const auto up = [&](double ns) { return whole_clocks_ns(config, ns); };
    // Bank by bank, in banks that the stream has left: nothing is lost.
    config.refresh = Refresh::kPerBank;
    CHECK(share(128 << 20) == Approx(1).margin(0.005));
    // All banks at once: from the last column before to the first after.
    config.refresh = Refresh::kAllBank;
    config.refresh_postpone = 0;
    const double clock = 4 / config.pin_gbps;
    const double spread = 3 * std::max(0.0, up(t.t_rrd_s) - 2 * clock);
    const double stop =
        up(t.t_rtp) + up(t.t_rp) + up(t.t_rfc_ab) + up(t.t_rcd) + spread - 2 * clock;
    CHECK(share(128 << 20) == Approx(1 - stop / t.t_refi).margin(0.005));
  }
}

TEST_CASE("traffic on one set of banks loses each refresh of its banks") {
  Config config;
  config.refresh = Refresh::kOff;
  const auto time_of = [&](std::uint64_t count) {
    Stack stack(config);
    // One row: nothing but row hits, and the refreshes.
    const auto offsets = pieces_of_one_set(stack, 1);
    return static_cast<double>(tb::drive(stack, count, [&](std::uint64_t i) {
                                 return access_of(offsets[i % offsets.size()], 1024);
                               }).end_fs);
  };
  const double without = time_of(6000);
  config.refresh = Refresh::kPerBank;
  config.refresh_postpone = 0;
  const double with = time_of(6000);
  const hbm::TimingNs& t = config.timing;
  const auto up = [&](double ns) { return whole_clocks_ns(config, ns); };
  const double clock = 4 / config.pin_gbps;
  // Precharge, four refreshes in sequence, the last one's time, activation of that bank.
  const double stop =
      up(t.t_rtp) + up(t.t_rp) + 3 * up(t.t_rrefd) + up(t.t_rfc_pb) + up(t.t_rcd) - 2 * clock;
  CHECK(without / with == Approx(1 - stop / t.t_refi).margin(0.005));
}

TEST_CASE("every power-of-two stride spreads over pseudo-channels and banks") {
  Config config;
  config.refresh = Refresh::kOff;
  for (std::uint64_t stride = 64; stride <= 512ull << 20; stride *= 2) {
    Stack stack(config);
    std::set<unsigned> channels, sets;
    for (std::uint64_t i = 0; i < 64 && i * stride < config.stack_bytes; ++i) {
      const auto place = stack.address_map().locate(i * stride);
      channels.insert(place.pseudo_channel);
      sets.insert(place.set);
    }
    const std::uint64_t touched = std::min<std::uint64_t>(64, config.stack_bytes / stride);
    const std::uint64_t span = touched * stride;
    INFO("stride " << stride);
    CHECK(channels.size() >= std::min<std::uint64_t>({32, span / 1024, touched / 2 + 1}));
    // At full length and 64 bytes each: never below what random addresses get, less a tenth.
    const std::uint64_t count = std::min<std::uint64_t>(40000, config.stack_bytes / stride);
    if (count < 4000) continue;
    const auto result =
        tb::drive(stack, count, [&](std::uint64_t i) { return access_of(i * stride, 64); });
    CHECK(result.gb_per_s() >= 0.18 * config.stack_gb_per_s());
  }
}

TEST_CASE("the address map is a bijection with rows that fit") {
  Config config = tb::trn2_hbm();
  config.stack_bytes = 8 << 20;
  const hbm::AddressMap map(config);
  std::set<std::uint64_t> seen;
  for (std::uint64_t offset = 0; offset < config.stack_bytes; offset += 1024) {
    const auto place = map.locate(offset);
    REQUIRE(place.pseudo_channel < 32);
    REQUIRE(place.set < 8);
    seen.insert((std::uint64_t{place.row} << 16 | place.set << 8 | place.pseudo_channel));
  }
  // Four pieces share a row of a set.
  CHECK(seen.size() == config.stack_bytes / 4096);
  const std::uint64_t rows = (24ull << 30) / 32 / 8 / 4096;
  const hbm::AddressMap full(tb::trn2_hbm());
  std::mt19937_64 random(tb::test_seed());
  for (unsigned i = 0; i < 100000; ++i) REQUIRE(full.locate(random() % (24ull << 30)).row < rows);
}

TEST_CASE("a turnaround of the bus costs its parameters") {
  Config config;
  config.refresh = Refresh::kOff;
  Stack stack(config);
  std::vector<hbm::Command> columns;
  for (unsigned c = 0; c < 32; ++c) {
    stack.observe(c, [&](const hbm::Command& command) {
      if (command.kind == hbm::Command::Kind::kRead || command.kind == hbm::Command::Kind::kWrite)
        columns.push_back(command);
    });
  }
  // An addition reads, then writes the same piece; then a read of it.
  std::vector<std::uint8_t> data(1024);
  tb::drive(stack, 2, [&](std::uint64_t i) {
    Request request = access_of(0, 1024, i == 0);
    if (i == 0) request.op = WriteOp::kAddFp32;
    request.data = data.data();
    return request;
  });
  REQUIRE(columns.size() == 96);
  const auto& t = stack.timing();
  // The write waits for the sums: the last data, and the adder.
  CHECK(columns[32].tick - columns[31].tick == t.cl + hbm::kBurstTicks + t.update);
  // From the last write to the same bank group, three columns before the end and one of the read.
  CHECK(columns[64].tick - columns[63].tick == std::max(t.wtr_s, t.wtr_l - 3 * t.ccd_s));
}

TEST_CASE("classes divide the queues only where the chip has classes") {
  for (const bool by_class : {true, false}) {
    Config config;
    config.by_class = by_class;
    Stack stack(config);
    unsigned taken = 0;
    while (stack.accepts(0, access_of(0, 64, true, 3))) {
      stack.submit(0, access_of(taken * 2048ull % 1024, 64, true, 3));
      ++taken;
    }
    CHECK(taken == (by_class ? 40 : 64));
  }
}

TEST_CASE("a full write queue drains beside a stream of reads, whatever its class") {
  for (unsigned traffic_class = 0; traffic_class < kTrafficClasses; ++traffic_class) {
    Config config;
    config.refresh = Refresh::kOff;
    Stack stack(config);
    tb::drive(stack, 60000, [&](std::uint64_t i) {
      const bool write = i % 3 == 2;
      return access_of((write ? config.stack_bytes / 2 : 0) + i / 3 * 128 + (i % 3 & 1) * 64, 64,
                       write, traffic_class);
    });
    const hbm::ChannelCounters counters = stack.counters();
    INFO("class " << traffic_class);
    // At least 16 writes with each pair of turns.
    CHECK(counters.turnarounds * 8 < counters.write_pieces);
  }
}

TEST_CASE("a single write waits for the idle time after the last read") {
  for (const double idle_ns : {0.0, 100.0}) {
    Config config;
    config.refresh = Refresh::kOff;
    config.write_idle_ns = idle_ns;
    Stack stack(config);
    std::vector<hbm::Command> columns;
    for (unsigned c = 0; c < 32; ++c) {
      stack.observe(c, [&](const hbm::Command& command) {
        if (command.kind == hbm::Command::Kind::kRead || command.kind == hbm::Command::Kind::kWrite)
          columns.push_back(command);
      });
    }
    // Both in one row; a read that arrives within the time goes first.
    stack.submit(0, access_of(0, 32));
    stack.submit(0, access_of(64, 32, true));
    stack.submit(40'000'000, access_of(128, 32));
    stack.finish_fs();
    REQUIRE(columns.size() == 3);
    const auto& t = stack.timing();
    const bool first = idle_ns == 0;
    CHECK((columns[1].kind == hbm::Command::Kind::kWrite) == first);
    const hbm::Command& write = columns[first ? 1 : 2];
    const hbm::Tick gap = write.tick - columns[first ? 0 : 1].tick;
    CHECK(gap == (first ? t.rtw : t.clock.from_ns(idle_ns)));
  }
}

TEST_CASE("no class and no row conflict waits beyond the age cap and a queue's length") {
  Config config;
  config.age_cap_ns = 2000;
  Stack stack(config);
  // Class 0 streams hits in one row as fast as it can; one read of class 3 needs another row of the
  // same bank.
  const auto hot = pieces_of_one_set(stack, 2);
  const auto row = [&](std::uint64_t offset) { return stack.address_map().locate(offset).row; };
  std::vector<std::uint64_t> same;
  std::uint64_t other = 0;
  for (std::uint64_t offset : hot) {
    if (row(offset) == row(hot[0])) {
      same.push_back(offset);
    } else {
      other = offset;
    }
  }
  REQUIRE(other != 0);
  const std::uint64_t victim = 200;
  std::uint64_t sent_fs = 0, now = 0;
  std::vector<std::uint64_t> done(3000);
  const auto note = [&](const hbm::Completion& c) { done[c.id] = c.time_fs; };
  for (std::uint64_t i = 0; i < done.size(); ++i) {
    Request request = i == victim ? access_of(other, 64, false, 3)
                                  : access_of(same[i % same.size()], 1024, false, 0);
    request.id = i;
    if (i == victim) {
      // The queue keeps slots for more urgent classes, so wait until there is room.
      while (!stack.accepts(now, request)) stack.advance(now += 20'000'000, note);
      sent_fs = now;
    }
    while (!stack.accepts(now, request)) {
      now = stack.next_event_fs(true);
      stack.advance(now, note);
    }
    stack.submit(now, request);
  }
  while (!stack.idle()) stack.advance(stack.next_event_fs(), note);
  const double waited_ns = static_cast<double>(done[victim] - sent_fs) * 1e-6;
  const double queue_ns = config.read_queue * 1024 / config.pseudo_channel_gb_per_s();
  CHECK(waited_ns > 200);  // it did wait
  CHECK(waited_ns < config.age_cap_ns + queue_ns + 500);
}

TEST_CASE("urgent reads overtake a queue of background reads") {
  Config config;
  Stack stack(config);
  std::mt19937_64 random(tb::test_seed());
  std::uint64_t now = 0, id = 0;
  trace::LatencyHistogram urgent, background;
  std::vector<std::pair<std::uint64_t, unsigned>> sent;
  const auto note = [&](const hbm::Completion& c) {
    (sent[c.id].second == 0 ? urgent : background).add(c.time_fs - sent[c.id].first);
  };
  const auto push = [&](unsigned traffic_class) {
    Request request = access_of(random() % (1 << 20) * 1024, 1024, false, traffic_class);
    request.id = id;
    if (!stack.accepts(now, request)) return false;
    sent.emplace_back(now, traffic_class);
    ++id;
    stack.submit(now, request);
    return true;
  };
  for (unsigned step = 0; step < 20000; ++step) {
    now += 10'000'000;
    stack.advance(now, note);
    while (push(3)) {
    }
    if (step % 8 == 0) push(0);
  }
  while (!stack.idle()) stack.advance(stack.next_event_fs(), note);
  CHECK(urgent.count() > 2000);
  CHECK(urgent.percentile_fs(0.99) * 2 < background.percentile_fs(0.5));
}
