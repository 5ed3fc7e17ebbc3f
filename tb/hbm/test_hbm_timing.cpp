// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "tb/hbm/drive.h"

using namespace tern;
using hbm::Config;
using hbm::Refresh;
using hbm::Request;
using hbm::Stack;

namespace {

Request read_of(std::uint64_t offset, std::uint32_t bytes) {
  Request request;
  request.offset = offset;
  request.bytes = bytes;
  return request;
}

// Whole clocks of a time, as femtoseconds.
double clocks_fs(const Config& config, double ns) {
  const double clock_ns = 4 / config.pin_gbps;
  return std::ceil(ns / clock_ns - 1e-6) * clock_ns * 1e6;
}

double single_latency_fs(Stack& stack, std::uint64_t at_fs, std::uint64_t offset,
                         std::uint32_t bytes) {
  const auto result = tb::drive(
      stack, 1, [&](std::uint64_t) { return read_of(offset, bytes); }, at_fs);
  return static_cast<double>(result.end_fs - at_fs);
}

}  // namespace

TEST_CASE("unloaded latency is the sum of its timing parameters") {
  for (Config config : {Config(), tb::trn2_hbm()}) {
    config.refresh = Refresh::kOff;
    Stack stack(config);
    const double burst = 8 / config.pin_gbps * 1e6;
    const double ends = (config.front_ns + config.back_ns) * 1e6;
    const double column = clocks_fs(config, config.timing.t_cl) + burst;
    const double rcd = clocks_fs(config, config.timing.t_rcd);
    const double rp = clocks_fs(config, config.timing.t_rp);
    // A request reaches the scheduler at a clock edge, so up to a clock later; the end is rounded
    // down to a femtosecond.
    const double clock = 4 / config.pin_gbps * 1e6;
    const auto close = [&](double got, double sum) { return got >= sum - 1 && got < sum + clock; };
    const std::uint64_t us = 1'000'000'000;
    CHECK(close(single_latency_fs(stack, 1 * us, 0, 32), ends + rcd + column));  // closed
    CHECK(close(single_latency_fs(stack, 2 * us, 0, 32), ends + column));        // open row
    // The other row of the same bank: the same location in the map with another row number.
    const auto home = stack.address_map().locate(0);
    std::uint64_t other = 1024;
    for (;; other += 1024) {
      const auto there = stack.address_map().locate(other);
      if (there.pseudo_channel == home.pseudo_channel && there.set == home.set &&
          there.row != home.row && there.rotation == home.rotation)
        break;
    }
    CHECK(close(single_latency_fs(stack, 3 * us, other, 32), ends + rp + rcd + column));
    // A whole piece: four activations, then 32 bursts without a gap.
    const double spread =
        3 * (std::max(clocks_fs(config, config.timing.t_rrd_s), 2 * clock) - 2 * clock);
    CHECK(close(single_latency_fs(stack, 4 * us, 5 << 20, 1024),
                ends + rcd + spread + column + 31 * burst));
    CHECK(close(single_latency_fs(stack, 5 * us, 5 << 20, 1024), ends + column + 31 * burst));
  }
}

TEST_CASE("streaming reads without refresh reach 99 % of the pins' bandwidth") {
  for (Config config : {Config(), tb::trn2_hbm()}) {
    config.refresh = Refresh::kOff;
    for (std::uint32_t bytes : {64u, 512u, 1024u, 8192u}) {
      Stack stack(config);
      const std::uint64_t total = 48 << 20;
      const auto result = tb::drive(stack, total / bytes,
                                    [&](std::uint64_t i) { return read_of(i * bytes, bytes); });
      INFO("request of " << bytes << " bytes: " << result.gb_per_s() << " of "
                         << config.stack_gb_per_s());
      CHECK(result.gb_per_s() >= 0.99 * config.stack_gb_per_s());
      CHECK(result.gb_per_s() <= config.stack_gb_per_s());
    }
  }
}

TEST_CASE("results do not depend on how often the stack is advanced") {
  const auto run = [](unsigned every) {
    std::mt19937_64 random(7);
    Config config;
    config.stack_bytes = 1 << 24;
    config.scrub_gb_per_s = 5;
    Stack stack(config);
    std::vector<std::uint8_t> data(1024);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> done;
    const auto note = [&](const hbm::Completion& c) { done.emplace_back(c.id, c.time_fs); };
    std::uint64_t now = 0;
    unsigned refused = 0;
    for (unsigned i = 0; i < 30000; ++i) {
      const std::uint64_t later = now + random() % 3'000'000;
      for (unsigned step = 1; step <= every; ++step)
        stack.advance(now + (later - now) * step / every, note);
      now = later;
      Request request;
      request.id = i;
      request.bytes = 64u << random() % 5;
      request.offset = random() % (config.stack_bytes / 1024) * 1024 + random() % 2 * 8;
      if (request.offset + request.bytes > config.stack_bytes) request.offset = 0;
      request.write = random() % 3 == 0;
      request.traffic_class = random() % 4;
      request.data = data.data();
      if (stack.accepts(now, request)) {
        stack.submit(now, request);
      } else {
        ++refused;
      }
    }
    while (!stack.idle()) stack.advance(stack.next_event_fs(), note);
    done.emplace_back(refused, 0);
    return done;
  };
  const auto once = run(1);
  CHECK(once.size() > 20000);
  CHECK(run(0) == once);
  CHECK(run(7) == once);
}

TEST_CASE("data go between those of two older accesses whose rows open one after the other") {
  Config config;
  config.refresh = Refresh::kOff;
  Stack stack(config);
  // Bank groups 0 and 1, 2 and 3, 0 and 1 of one row, each when the one before is decided.
  const double clock = 4 / config.pin_gbps * 1e6;
  std::vector<std::uint64_t> done(3);
  const auto note = [&](const hbm::Completion& c) { done.at(c.id) = c.time_fs; };
  std::uint64_t now = 0;
  for (std::uint64_t i = 0; i < 3; ++i) {
    Request request = read_of(i * 64, 64);
    request.id = i;
    now = static_cast<std::uint64_t>(static_cast<double>(i) * 3 * clock);
    stack.advance(now, note);
    stack.submit(now, request);
  }
  while (!stack.idle()) stack.advance(stack.next_event_fs(), note);
  // tRRD_S is 5 clocks and tCCD_S 2: columns 3 and 5, 13 and 15, 7 and 9 after tRCD.
  CHECK(static_cast<double>(done[2]) - static_cast<double>(done[0]) == Approx(4 * clock).margin(1));
  CHECK(static_cast<double>(done[1]) - static_cast<double>(done[2]) == Approx(6 * clock).margin(1));
}
