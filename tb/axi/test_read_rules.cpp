// SPDX-License-Identifier: Apache-2.0
// The checker of reads: silent on legal traffic, and each rule broken on purpose shows alone.
#include <VAxiReadChecker.h>

#include <catch2/catch.hpp>
#include <deque>
#include <random>

#include "systemc/cosim/rtl_block.h"
#include "tb/axi/bus.h"
#include "tb/common/bench_wave.h"
#include "tb/common/rtl_reset.h"
#include "tb/common/seed.h"

using namespace tern;      // NOLINT: a test uses the names of what it tests
using namespace tern::tb;  // NOLINT

namespace {

enum Rule : unsigned {
  kArStays,
  kRStays,
  kArWidth,
  kAr4KiB,
  kROfRequest,
  kRLast,
  kRExclusive,
  kArDepth
};

class Rules {
 public:
  Rules() {
    dut().rst_ni = 1;
    quiet();
    reset_between_edges(dut());
  }
  VAxiReadChecker& dut() { return block_.model; }
  void quiet() {
    dut().ar_valid_i = dut().ar_ready_i = dut().r_valid_i = dut().r_ready_i = 0;
    dut().r_resp_i = dut().r_last_i = 0;
    address(kTop, 0);
  }
  void address(std::uint64_t to, unsigned len) {
    dut().ar_addr_i = to;
    dut().ar_len_i = len;
    dut().ar_size_i = 6;
    dut().ar_burst_i = 1;
    dut().ar_qos_i = 0;
  }
  // The rules that this cycle breaks, a bit for each.
  unsigned cycle() {
    dut().clk_i = 0;
    dut().eval();
    const unsigned broken = dut().broken_o;
    block_.clock.edge();
    return broken;
  }
  void request(unsigned len) {
    address(kTop, len);
    dut().ar_valid_i = dut().ar_ready_i = 1;
    CHECK(cycle() == 0);
    quiet();
  }
  unsigned beat(bool last, bool ready = true) {
    dut().r_valid_i = 1;
    dut().r_last_i = last;
    dut().r_ready_i = ready;
    const unsigned broken = cycle();
    return broken;
  }

 private:
  cosim::RtlBlock<VAxiReadChecker> block_{bench_wave(), "axi_read_checker"};
};

}  // namespace

TEST_CASE("axi read rules: legal traffic breaks none") {
  std::mt19937_64 random(test_seed());
  Rules rules;
  std::deque<unsigned> open;  // beats that are left of each burst
  bool asks = false, answers = false;
  unsigned len = 0;
  for (unsigned cycle = 0; cycle < 20000; ++cycle) {
    VAxiReadChecker& dut = rules.dut();
    if (!asks && open.size() < 64 && random() % 2 == 0) {
      asks = true;
      len = random() % 64;
      rules.address(
          random_top(random) + random() % (64 - len) * 64 + random() % 64 + random() % 8 * 4096,
          len);
    }
    if (!answers && !open.empty() && random() % 2 == 0) {
      answers = true;
      for (auto& word : dut.r_data_i.m_storage) word = static_cast<std::uint32_t>(random());
      dut.r_resp_i = random_response(random);
      dut.r_last_i = open.front() == 1;
    }
    dut.ar_valid_i = asks;
    dut.r_valid_i = answers;
    dut.ar_ready_i = random() % 2;
    dut.r_ready_i = random() % 2;
    INFO("cycle " << cycle);
    REQUIRE(rules.cycle() == 0);
    if (answers && dut.r_ready_i != 0) {
      answers = false;
      if (--open.front() == 0) open.pop_front();
    }
    if (asks && dut.ar_ready_i != 0) {
      asks = false;
      open.push_back(len + 1);
    }
  }
}

TEST_CASE("axi read rules: each one alone") {
  // An offer that waits is withdrawn or changed in one signal.
  for (unsigned change = 0; change < 6; ++change) {
    CAPTURE(change);
    Rules rules;
    VAxiReadChecker& dut = rules.dut();
    dut.ar_valid_i = 1;
    CHECK(rules.cycle() == 0);
    CHECK(rules.cycle() == 0);
    if (change == 0) dut.ar_valid_i = 0;
    if (change == 1) dut.ar_addr_i ^= 1ULL << 40;
    if (change == 2) dut.ar_len_i ^= 1;
    if (change == 3) dut.ar_size_i = 5;
    if (change == 4) dut.ar_burst_i = 2;
    if (change == 5) dut.ar_qos_i = 8;
    const unsigned width = change == 3 || change == 4 ? 1U << kArWidth : 0;
    CHECK(rules.cycle() == (1U << kArStays | width));
  }
  for (unsigned change = 0; change < 4; ++change) {
    CAPTURE(change);
    Rules rules;
    VAxiReadChecker& dut = rules.dut();
    rules.request(1);
    CHECK(rules.beat(false, false) == 0);
    CHECK(rules.beat(false, false) == 0);
    if (change == 0) dut.r_valid_i = 0;
    if (change == 1) dut.r_data_i[15] ^= 1;
    if (change == 2) dut.r_resp_i = 2;
    if (change == 3) dut.r_last_i = 1;
    CHECK(rules.cycle() == (1U << kRStays | (change == 3 ? 1U << kRLast : 0)));
  }
  Rules rules;
  VAxiReadChecker& dut = rules.dut();
  dut.r_valid_i = dut.r_ready_i = 1;
  CHECK(rules.cycle() == 1U << kROfRequest);
  rules.quiet();
  CHECK(rules.cycle() == 0);
  // To the last line of 4 KiB, and one further.
  for (const unsigned len : {3U, 4U}) {
    rules.address(kTop + 4096 - 256 + 63, len);
    dut.ar_valid_i = dut.ar_ready_i = 1;
    CHECK(rules.cycle() == (len == 4 ? 1U << kAr4KiB : 0));
    rules.quiet();
  }
  for (unsigned i = 0; i < 4; ++i) CHECK(rules.beat(i == 3) == 0);
  CHECK(rules.beat(true) == 1U << kRLast);  // the second of five beats is called the last one
  rules.quiet();
  rules.request(0);
  dut.r_resp_i = 1;
  CHECK(rules.beat(true) == 1U << kRExclusive);
  rules.quiet();
  CHECK(rules.cycle() == 0);
  for (unsigned i = 0; i < 64; ++i) rules.request(0);
  dut.ar_valid_i = dut.ar_ready_i = 1;
  CHECK(rules.cycle() == 1U << kArDepth);
}

TEST_CASE("axi read rules: a reset forgets what waits and what is in flight") {
  Rules rules;
  rules.request(5);
  CHECK(rules.beat(false) == 0);
  CHECK(rules.beat(false, false) == 0);
  rules.quiet();
  rules.dut().ar_valid_i = 1;
  CHECK(rules.cycle() == 1U << kRStays);
  rules.quiet();
  reset_between_edges(rules.dut());
  CHECK(rules.cycle() == 0);
  rules.request(0);
  CHECK(rules.beat(true) == 0);
  CHECK(rules.beat(true) == 1U << kROfRequest);
}
