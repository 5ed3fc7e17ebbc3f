// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "sw/base/user_error.h"
#include "systemc/mgmt/devices/plic.h"
#include "tb/common/seed.h"
#include "tb/mgmt/devices/device_bench.h"

using namespace tern;
using namespace tern::tb;
using mgmt::Plic;

namespace {

std::uint64_t priority(unsigned source) {
  return 4 * source;
}
std::uint64_t pending(unsigned source) {
  return 0x1000 + source / 32 * 4;
}
std::uint64_t enable(unsigned context, unsigned source) {
  return 0x2000 + 0x80 * context + source / 32 * 4;
}
std::uint64_t threshold(unsigned context) {
  return 0x200000 + 0x1000 * context;
}
std::uint64_t claim(unsigned context) {
  return threshold(context) + 4;
}

struct Bench : DeviceBench {
  explicit Bench(Plic::Config config = {})
      : DeviceBench(bench_name()), plic("plic", config, [this](unsigned context, bool level) {
          lines[context] = level;
          ++changes;
        }) {}
  void run(std::function<void()> body) { DeviceBench::run(plic, std::move(body)); }
  unsigned get32(std::uint64_t offset) { return static_cast<unsigned>(get(offset, 4)); }
  void put32(std::uint64_t offset, std::uint64_t value) { put(offset, 4, value); }
  void enable_source(unsigned context, unsigned source) {
    put32(enable(context, source), get32(enable(context, source)) | 1U << source % 32);
  }

  std::map<unsigned, bool> lines;
  unsigned changes = 0;
  Plic plic;
};

}  // namespace

TEST_CASE("plic: which bits the registers keep") {
  Bench bench({40, 2});
  bench.run([&] {
    bench.put32(priority(0), 7);
    CHECK(bench.get32(priority(0)) == 0);
    bench.put32(priority(40), 0xFFFFFFFF);
    CHECK(bench.get32(priority(40)) == 7);
    bench.put32(priority(41), 7);
    CHECK(bench.get32(priority(41)) == 0);
    for (unsigned context = 0; context < 4; ++context) {
      for (unsigned source = 0; source < 96; source += 32)
        bench.put32(enable(context, source), 0xFFFFFFFF);
      CHECK(bench.get32(enable(context, 0)) == 0xFFFFFFFE);
      CHECK(bench.get32(enable(context, 32)) == 0x1FF);
      CHECK(bench.get32(enable(context, 64)) == 0);
      bench.put32(threshold(context), 0xFFFFFFFF);
      CHECK(bench.get32(threshold(context)) == 7);
    }
    bench.put32(enable(4, 1), 0xFFFFFFFF);
    CHECK(bench.get32(enable(4, 1)) == 0);
    bench.put32(threshold(4), 7);
    CHECK(bench.get32(threshold(4)) == 0);
    CHECK(bench.get32(claim(4)) == 0);
    bench.put32(claim(15871), 1);
    bench.put32(0x3FFFFFC, 1);
    CHECK(bench.get32(0x3FFFFFC) == 0);
    bench.put32(pending(1), 0xFFFFFFFF);
    CHECK(bench.get32(pending(1)) == 0);
    CHECK(bench.changes == 0);
    for (const unsigned size : {1U, 2U, 8U}) {
      CHECK(bench.read(8, size).status == tlm::TLM_BURST_ERROR_RESPONSE);
      CHECK(bench.write(8, size, 1) == tlm::TLM_BURST_ERROR_RESPONSE);
    }
    CHECK(bench.read(0x4000000, 4).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
}

TEST_CASE("plic: one interrupt from its level to its completion") {
  Bench bench;
  bench.run([&] {
    bench.put32(priority(10), 1);
    bench.enable_source(0, 10);
    bench.plic.set_level(10, true);
    CHECK(bench.lines == std::map<unsigned, bool>{{0, true}});
    CHECK(bench.get32(pending(10)) == 1U << 10);
    CHECK(bench.get32(claim(1)) == 0);  // not enabled there
    CHECK(bench.look(claim(0), 4) == 10);
    CHECK(bench.lines[0]);
    CHECK(bench.get32(claim(0)) == 10);
    CHECK_FALSE(bench.lines[0]);
    CHECK(bench.get32(pending(10)) == 0);
    CHECK(bench.get32(claim(0)) == 0);
    bench.plic.set_level(10, false);
    bench.plic.set_level(10, true);  // the gateway waits for the completion
    CHECK_FALSE(bench.lines[0]);
    bench.put32(claim(0), 10);
    CHECK(bench.lines[0]);  // still asserted: once more
    CHECK(bench.get32(claim(0)) == 10);
    bench.plic.set_level(10, false);
    bench.put32(claim(0), 10);
    CHECK_FALSE(bench.lines[0]);
    CHECK(bench.get32(pending(10)) == 0);
  });
}

TEST_CASE("plic: a request stays when its level falls before the claim") {
  Bench bench;
  bench.run([&] {
    bench.put32(priority(3), 1);
    bench.enable_source(1, 3);
    bench.plic.set_level(3, true);
    bench.plic.set_level(3, false);
    CHECK(bench.lines[1]);
    CHECK(bench.get32(claim(1)) == 3);
    bench.put32(claim(1), 3);
    CHECK(bench.get32(pending(3)) == 0);
    CHECK_FALSE(bench.lines[1]);
  });
}

TEST_CASE("plic: priorities, ties, threshold, and the claim that ignores it") {
  Bench bench;
  bench.run([&] {
    for (const unsigned source : {5U, 31U, 32U, 95U}) {
      bench.enable_source(0, source);
      bench.plic.set_level(source, true);
    }
    CHECK(bench.changes == 0);  // priority 0: never
    CHECK(bench.get32(claim(0)) == 0);
    bench.put32(threshold(0), 4);
    bench.put32(priority(5), 2);
    bench.put32(priority(31), 4);
    bench.put32(priority(32), 4);
    CHECK_FALSE(bench.lines[0]);
    bench.put32(priority(95), 5);
    CHECK(bench.lines[0]);
    CHECK(bench.get32(claim(0)) == 95);
    CHECK_FALSE(bench.lines[0]);
    CHECK(bench.get32(claim(0)) == 31);
    bench.put32(threshold(0), 3);
    CHECK(bench.lines[0]);
    CHECK(bench.get32(claim(0)) == 32);
    CHECK(bench.get32(claim(0)) == 5);
    CHECK(bench.get32(claim(0)) == 0);
  });
}

TEST_CASE("plic: completions that do not count") {
  Bench bench;
  bench.run([&] {
    for (const unsigned source : {1U, 2U}) {
      bench.put32(priority(source), 1);
      bench.enable_source(0, source);
    }
    bench.plic.set_level(1, true);
    bench.put32(claim(0), 1);  // not claimed
    CHECK(bench.get32(claim(0)) == 1);
    bench.put32(claim(1), 1);  // not enabled there
    for (const std::uint64_t none : {std::uint64_t{0}, std::uint64_t{96}, std::uint64_t{1024 + 1},
                                     std::uint64_t{0xFFFFFFFF}}) {
      bench.put32(claim(0), none);
    }
    CHECK_FALSE(bench.lines[0]);
    // Which context has claimed it does not matter.
    bench.enable_source(1, 1);
    bench.put32(claim(1), 1);
    CHECK(bench.lines[0]);
    CHECK(bench.lines[1]);
    CHECK(bench.get32(claim(0)) == 1);
    // Nor the order.
    bench.plic.set_level(2, true);
    CHECK(bench.get32(claim(0)) == 2);
    bench.put32(claim(0), 1);
    bench.put32(claim(0), 2);
    CHECK(bench.get32(pending(1)) == 6);
  });
}

TEST_CASE("plic: a snapshot, and reset") {
  Bench bench;
  bench.run([&] {
    bench.put32(priority(1), 3);
    bench.put32(priority(2), 4);
    bench.enable_source(0, 1);
    bench.enable_source(0, 2);
    bench.put32(threshold(0), 2);
    bench.plic.set_level(1, true);
    bench.plic.set_level(2, true);
    CHECK(bench.get32(claim(0)) == 2);
    const Plic::State state = bench.plic.save();
    bench.lines.clear();
    bench.plic.reset();
    CHECK(bench.lines == std::map<unsigned, bool>{{0, false}, {1, false}});
    CHECK(bench.get32(priority(1)) == 0);
    CHECK(bench.get32(enable(0, 1)) == 0);
    CHECK(bench.get32(pending(1)) == 0);
    CHECK(bench.get32(threshold(0)) == 0);
    bench.plic.restore(state);
    CHECK(bench.lines[0]);
    CHECK(bench.get32(claim(0)) == 1);
    bench.put32(claim(0), 2);
    CHECK(bench.get32(claim(0)) == 2);  // its level is high
    const auto refused = [&](const std::function<void(Plic::State&)>& change) {
      Plic::State other = state;
      change(other);
      CHECK_THROWS_AS(bench.plic.restore(other), RunError);
    };
    refused([](Plic::State& other) { other.contexts.pop_back(); });
    refused([](Plic::State& other) { other.contexts[1].enabled.push_back(0); });
    refused([](Plic::State& other) { other.contexts[0].threshold = 8; });
    refused([](Plic::State& other) { other.priorities.push_back(0); });
    refused([](Plic::State& other) { other.priorities[5] = 8; });
    refused([](Plic::State& other) { other.pending[0] |= 1; });
    refused([](Plic::State& other) { other.pending.pop_back(); });
    refused([](Plic::State& other) { other.in_service.clear(); });
    refused([](Plic::State& other) { other.inputs.push_back(0); });
    CHECK_THROWS_WITH(bench.plic.set_level(0, true), "PLIC: no source 0");
    CHECK_THROWS_AS(bench.plic.set_level(96, true), RunError);
  });
}

TEST_CASE("plic: impossible configurations are named") {
  CHECK_THROWS_AS(Plic("a", {0, 1}, nullptr), UserError);
  CHECK_THROWS_AS(Plic("b", {1024, 1}, nullptr), UserError);
  CHECK_THROWS_WITH(Plic("c", {95, 0}, nullptr), "PLIC: 0 harts, 1 to 4095 are possible");
  CHECK_NOTHROW(Plic("d", {1023, 4095}, nullptr));
}

// The rule of the specification in sets: which source a claim returns and which targets have an
// interrupt, computed anew from everything each time.
TEST_CASE("plic: random sources and harts against the rule of the specification") {
  const std::uint64_t seed = test_seed();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  constexpr unsigned kSources = 70, kHarts = 2, kContexts = 2 * kHarts;
  Bench bench({kSources, kHarts});
  std::map<unsigned, unsigned> priorities;
  std::set<unsigned> high, requested, serviced;
  std::map<unsigned, std::set<unsigned>> enabled;
  std::map<unsigned, unsigned> thresholds;
  // Pairs compare by priority first, then the lower id is better.
  const auto candidate = [&](unsigned context) {
    std::pair<unsigned, int> best{0, 0};
    for (const unsigned source : requested) {
      if (enabled[context].count(source) == 0 || priorities[source] == 0) continue;
      best = std::max(best, {priorities[source], -static_cast<int>(source)});
    }
    return best;
  };
  bench.run([&] {
    for (unsigned step = 0; step < 20'000; ++step) {
      CAPTURE(step);
      const unsigned context = random() % kContexts, source = 1 + random() % kSources;
      switch (random() % 8) {
        case 0:
        case 1: {
          const bool level = random() % 2 == 0;
          bench.plic.set_level(source, level);
          if (level) {
            high.insert(source);
            if (serviced.count(source) == 0) requested.insert(source);
          } else {
            high.erase(source);
          }
          break;
        }
        case 2: {
          const unsigned value = random() % 8;
          bench.put32(priority(source), value | (random() & 0xF8));
          priorities[source] = value;
          break;
        }
        case 3: {
          const unsigned word = random() % 3;
          const auto bits = static_cast<std::uint32_t>(random() | random());
          bench.put32(enable(context, 32 * word), bits);
          for (unsigned i = 32 * word; i < 32 * word + 32 && i <= kSources; ++i) {
            if ((bits >> i % 32 & 1) != 0 && i > 0) {
              enabled[context].insert(i);
            } else {
              enabled[context].erase(i);
            }
          }
          break;
        }
        case 4: {
          const unsigned value = random() % 8;
          bench.put32(threshold(context), value);
          thresholds[context] = value;
          break;
        }
        case 5:
        case 6: {
          const auto best = candidate(context);
          const auto expected = static_cast<unsigned>(-best.second);
          REQUIRE(bench.get32(claim(context)) == expected);
          if (expected != 0) {
            requested.erase(expected);
            serviced.insert(expected);
          }
          break;
        }
        default: {
          // Mostly one in service, sometimes any.
          unsigned id = source;
          if (!serviced.empty() && random() % 4 != 0) {
            id = *std::next(serviced.begin(), static_cast<long>(random() % serviced.size()));
          }
          bench.put32(claim(context), id);
          if (enabled[context].count(id) != 0 && serviced.erase(id) != 0 && high.count(id) != 0) {
            requested.insert(id);
          }
        }
      }
      for (unsigned c = 0; c < kContexts; ++c) {
        const bool expected = candidate(c).first > thresholds[c];
        REQUIRE(bench.lines[c] == expected);
      }
      for (unsigned word = 0; word < 3; ++word) {
        std::uint32_t bits = 0;
        for (unsigned i = 0; i < 32; ++i)
          bits |= static_cast<std::uint32_t>(requested.count(32 * word + i)) << i;
        REQUIRE(bench.get32(0x1000 + 4 * word) == bits);
      }
    }
  });
}
