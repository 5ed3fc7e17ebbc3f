// SPDX-License-Identifier: Apache-2.0
// The checker of writes: silent on legal traffic, and each rule broken on purpose shows alone.
#include <VAxiWriteChecker.h>

#include <algorithm>
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
  kAwStays,
  kWStays,
  kBStays,
  kAwWidth,
  kAw4KiB,
  kWOfAddress,
  kWLast,
  kBOfWrite,
  kBExclusive,
  kAwDepth
};

class Rules {
 public:
  Rules() {
    dut().rst_ni = 1;
    quiet();
    reset_between_edges(dut());
  }
  VAxiWriteChecker& dut() { return block_.model; }
  void quiet() {
    dut().aw_valid_i = dut().aw_ready_i = dut().w_valid_i = dut().w_ready_i = 0;
    dut().b_valid_i = dut().b_ready_i = dut().b_resp_i = dut().w_last_i = 0;
    dut().w_strb_i = ~0ULL;
    address(kTop, 0);
  }
  void address(std::uint64_t to, unsigned len) {
    dut().aw_addr_i = to;
    dut().aw_len_i = len;
    dut().aw_size_i = 6;
    dut().aw_burst_i = 1;
    dut().aw_qos_i = dut().aw_user_i = 0;
  }
  unsigned cycle() {
    dut().clk_i = 0;
    dut().eval();
    const unsigned broken = dut().broken_o;
    block_.clock.edge();
    return broken;
  }
  void request(unsigned len) {
    address(kTop, len);
    dut().aw_valid_i = dut().aw_ready_i = 1;
    CHECK(cycle() == 0);
    quiet();
  }
  unsigned beat(bool last, bool ready = true) {
    dut().w_valid_i = 1;
    dut().w_last_i = last;
    dut().w_ready_i = ready;
    return cycle();
  }
  unsigned answer(unsigned response, bool ready = true) {
    dut().b_valid_i = 1;
    dut().b_resp_i = response;
    dut().b_ready_i = ready;
    return cycle();
  }

 private:
  cosim::RtlBlock<VAxiWriteChecker> block_{bench_wave(), "axi_write_checker"};
};

}  // namespace

TEST_CASE("axi write rules: legal traffic breaks none") {
  std::mt19937_64 random(test_seed());
  Rules rules;
  std::deque<unsigned> data;  // beats that are left of each burst
  bool asks = false, sends = false, answers = false;
  unsigned len = 0, in_flight = 0, addresses = 0, done = 0, answered = 0;
  for (unsigned cycle = 0; cycle < 20000; ++cycle) {
    VAxiWriteChecker& dut = rules.dut();
    if (!asks && in_flight < 64 && random() % 2 == 0) {
      asks = true;
      len = random() % 4 == 0 ? random() % 64 : random() % 3;
      rules.address(random_top(random) + random() % (64 - len) * 64 + random() % 8 * 4096, len);
      data.push_back(len + 1);
      ++in_flight;
    }
    if (!sends && !data.empty() && random() % 4 != 0) {
      sends = true;
      for (auto& word : dut.w_data_i.m_storage) word = static_cast<std::uint32_t>(random());
      dut.w_strb_i = random();
      dut.w_last_i = data.front() == 1;
    }
    if (!answers && std::min(addresses, done) > answered && random() % 2 == 0) {
      answers = true;
      dut.b_resp_i = random_response(random);
    }
    dut.aw_valid_i = asks;
    dut.w_valid_i = sends;
    dut.b_valid_i = answers;
    dut.aw_ready_i = random() % 4 == 0;
    dut.w_ready_i = random() % 4 != 0;
    dut.b_ready_i = random() % 2;
    INFO("cycle " << cycle);
    REQUIRE(rules.cycle() == 0);
    if (answers && dut.b_ready_i != 0) {
      answers = false;
      ++answered;
      --in_flight;
    }
    if (sends && dut.w_ready_i != 0) {
      sends = false;
      if (--data.front() == 0) {
        data.pop_front();
        ++done;
      }
    }
    if (asks && dut.aw_ready_i != 0) {
      asks = false;
      ++addresses;
    }
  }
  CHECK(answered > 1000);
}

TEST_CASE("axi write rules: each one alone") {
  for (unsigned change = 0; change < 7; ++change) {
    CAPTURE(change);
    Rules rules;
    VAxiWriteChecker& dut = rules.dut();
    dut.aw_valid_i = 1;
    CHECK(rules.cycle() == 0);
    CHECK(rules.cycle() == 0);
    if (change == 0) dut.aw_valid_i = 0;
    if (change == 1) dut.aw_addr_i ^= 1ULL << 40;
    if (change == 2) dut.aw_len_i ^= 1;
    if (change == 3) dut.aw_size_i = 5;
    if (change == 4) dut.aw_burst_i = 2;
    if (change == 5) dut.aw_qos_i = 8;
    if (change == 6) dut.aw_user_i = 2;
    const unsigned width = change == 3 || change == 4 ? 1U << kAwWidth : 0;
    CHECK(rules.cycle() == (1U << kAwStays | width));
  }
  for (unsigned change = 0; change < 4; ++change) {
    CAPTURE(change);
    Rules rules;
    VAxiWriteChecker& dut = rules.dut();
    rules.request(1);
    CHECK(rules.beat(false, false) == 0);
    CHECK(rules.beat(false, false) == 0);
    if (change == 0) dut.w_valid_i = 0;
    if (change == 1) dut.w_data_i[15] ^= 1;
    if (change == 2) dut.w_strb_i ^= 1;
    if (change == 3) dut.w_last_i = 1;
    CHECK(rules.cycle() == (1U << kWStays | (change == 3 ? 1U << kWLast : 0)));
  }
  for (unsigned change = 0; change < 2; ++change) {
    CAPTURE(change);
    Rules rules;
    rules.request(0);
    CHECK(rules.beat(true) == 0);
    rules.quiet();
    CHECK(rules.answer(0, false) == 0);
    CHECK(rules.answer(0, false) == 0);
    if (change == 0) rules.dut().b_valid_i = 0;
    if (change == 1) rules.dut().b_resp_i = 3;
    CHECK(rules.cycle() == 1U << kBStays);
  }
  Rules rules;
  VAxiWriteChecker& dut = rules.dut();
  CHECK(rules.beat(true) == 1U << kWOfAddress);
  rules.quiet();
  CHECK(rules.answer(0) == 1U << kBOfWrite);  // neither address nor data
  rules.quiet();
  // Data complete, their address still waits.
  dut.aw_valid_i = 1;
  CHECK(rules.beat(true) == 0);
  dut.w_valid_i = 0;
  CHECK(rules.answer(0) == 1U << kBOfWrite);
  dut.b_valid_i = 0;
  dut.aw_ready_i = 1;
  CHECK(rules.cycle() == 0);
  rules.quiet();
  CHECK(rules.answer(0) == 0);
  rules.quiet();
  // Address taken, data not complete.
  rules.request(1);
  CHECK(rules.beat(false) == 0);
  dut.w_valid_i = 0;
  CHECK(rules.answer(0) == 1U << kBOfWrite);
  rules.quiet();
  CHECK(rules.beat(false) == 1U << kWLast);  // the second of two is not called the last one
  CHECK(rules.beat(true) == 1U << kWLast);
  rules.quiet();
  CHECK(rules.answer(1) == 1U << kBExclusive);
  rules.quiet();
  for (const unsigned len : {3U, 4U}) {
    rules.address(kTop + 4096 - 256 + 63, len);
    dut.aw_valid_i = dut.aw_ready_i = 1;
    CHECK(rules.cycle() == (len == 4 ? 1U << kAw4KiB : 0));
    rules.quiet();
  }
  for (unsigned i = 0; i < 62; ++i) rules.request(0);
  dut.aw_valid_i = dut.aw_ready_i = 1;
  CHECK(rules.cycle() == 1U << kAwDepth);
}

TEST_CASE("axi write rules: a reset forgets what waits and what is in flight") {
  Rules rules;
  rules.request(5);
  CHECK(rules.beat(false, false) == 0);
  reset_between_edges(rules.dut());
  rules.quiet();
  CHECK(rules.cycle() == 0);
  CHECK(rules.beat(true) == 1U << kWOfAddress);
  rules.quiet();
  rules.request(0);
  CHECK(rules.beat(true) == 0);
  rules.quiet();
  CHECK(rules.answer(0) == 0);
  CHECK(rules.answer(0) == 1U << kBOfWrite);
}
