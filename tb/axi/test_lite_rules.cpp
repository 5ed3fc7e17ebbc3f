// SPDX-License-Identifier: Apache-2.0
// The checker of AXI4-Lite: silent on legal traffic, and each rule broken on purpose shows alone.
#include <VAxiLiteChecker.h>

#include <catch2/catch.hpp>
#include <random>

#include "systemc/cosim/rtl_block.h"
#include "tb/axi/bus.h"
#include "tb/common/bench_wave.h"
#include "tb/common/rtl_reset.h"
#include "tb/common/seed.h"

using namespace tern;      // NOLINT: a test uses the names of what it tests
using namespace tern::tb;  // NOLINT

namespace {

constexpr unsigned kDepth = 16, kExOkay = 1;

enum Rule : unsigned {
  kAwStays,
  kWStays,
  kBStays,
  kArStays,
  kRStays,
  kBOfWrite,
  kROfRead,
  kBExclusive,
  kRExclusive,
  kDepthKept
};

class Rules {
 public:
  Rules() {
    dut().rst_ni = 1;
    quiet();
    reset();
  }
  void reset() { reset_between_edges(dut()); }
  VAxiLiteChecker& dut() { return block_.model; }
  void quiet() {
    VAxiLiteChecker& d = dut();
    d.aw_valid_i = d.w_valid_i = d.b_valid_i = d.ar_valid_i = d.r_valid_i = 0;
    d.aw_ready_i = d.w_ready_i = d.b_ready_i = d.ar_ready_i = d.r_ready_i = 0;
    d.aw_addr_i = d.ar_addr_i = 0x10;
    d.w_data_i = d.r_data_i = 0x1234;
    d.w_strb_i = 15;
    d.b_resp_i = d.r_resp_i = kOkay;
  }
  // The rules that this cycle breaks, a bit for each.
  unsigned cycle() {
    dut().clk_i = 0;
    dut().eval();
    const unsigned broken = dut().broken_o;
    block_.clock.edge();
    return broken;
  }
  // The same, and no offer after it.
  unsigned once() {
    const unsigned broken = cycle();
    quiet();
    return broken;
  }
  void write() {
    dut().aw_valid_i = dut().aw_ready_i = dut().w_valid_i = dut().w_ready_i = 1;
    CHECK(once() == 0);
  }
  void read() {
    dut().ar_valid_i = dut().ar_ready_i = 1;
    CHECK(once() == 0);
  }

 private:
  cosim::RtlBlock<VAxiLiteChecker> block_{bench_wave(), "axi_lite_checker"};
};

unsigned bit(Rule rule) {
  return 1U << rule;
}

// An offer of a channel that waits, withdrawn or changed in the next cycle.
template <typename Offer, typename Change>
void check_stays(Rule rule, Offer offer, Change change) {
  CAPTURE(rule);
  Rules rules;
  rules.write();
  rules.read();
  offer(rules.dut(), true);
  CHECK(rules.cycle() == 0);
  CHECK(rules.cycle() == 0);  // it stays
  change(rules.dut());
  CHECK(rules.once() == bit(rule));
  rules.reset();
  rules.write();
  rules.read();
  offer(rules.dut(), true);
  CHECK(rules.cycle() == 0);
  offer(rules.dut(), false);
  CHECK(rules.once() == bit(rule));
}

}  // namespace

TEST_CASE("axi-lite rules: legal traffic breaks none") {
  std::mt19937_64 random(test_seed());
  Rules rules;
  VAxiLiteChecker& d = rules.dut();
  unsigned addresses = 0, words = 0, reads = 0, answered = 0;
  for (unsigned cycle = 0; cycle < 20000; ++cycle) {
    if (d.aw_valid_i == 0 && addresses < kDepth && random() % 2 == 0) {
      d.aw_valid_i = 1;
      d.aw_addr_i = random() % 4096;
    }
    if (d.w_valid_i == 0 && words < kDepth && random() % 2 == 0) {
      d.w_valid_i = 1;
      d.w_data_i = static_cast<std::uint32_t>(random());
      d.w_strb_i = random() % 16;
    }
    if (d.ar_valid_i == 0 && reads < kDepth && random() % 2 == 0) {
      d.ar_valid_i = 1;
      d.ar_addr_i = random() % 4096;
    }
    if (d.b_valid_i == 0 && addresses > 0 && words > 0 && random() % 2 == 0) {
      d.b_valid_i = 1;
      d.b_resp_i = random_response(random);
    }
    if (d.r_valid_i == 0 && reads > 0 && random() % 2 == 0) {
      d.r_valid_i = 1;
      d.r_data_i = static_cast<std::uint32_t>(random());
      d.r_resp_i = random_response(random);
    }
    d.aw_ready_i = random() % 2;
    d.w_ready_i = random() % 2;
    d.b_ready_i = random() % 2;
    d.ar_ready_i = random() % 2;
    d.r_ready_i = random() % 2;
    INFO("cycle " << cycle);
    REQUIRE(rules.cycle() == 0);
    const auto taken = [](auto& valid, auto ready) {
      const bool both = valid != 0 && ready != 0;
      if (both) valid = 0;
      return both ? 1U : 0U;
    };
    addresses += taken(d.aw_valid_i, d.aw_ready_i);
    words += taken(d.w_valid_i, d.w_ready_i);
    reads += taken(d.ar_valid_i, d.ar_ready_i);
    const unsigned b = taken(d.b_valid_i, d.b_ready_i), r = taken(d.r_valid_i, d.r_ready_i);
    addresses -= b;
    words -= b;
    reads -= r;
    answered += b + r;
  }
  CHECK(answered > 5000);
}

TEST_CASE("axi-lite rules: an offer stays until it is taken") {
  using Dut = VAxiLiteChecker;
  check_stays(
      kAwStays, [](Dut& d, bool on) { d.aw_valid_i = on; }, [](Dut& d) { d.aw_addr_i ^= 4; });
  check_stays(
      kWStays, [](Dut& d, bool on) { d.w_valid_i = on; },
      [](Dut& d) { d.w_data_i ^= 0x8000'0000; });
  check_stays(
      kWStays, [](Dut& d, bool on) { d.w_valid_i = on; }, [](Dut& d) { d.w_strb_i ^= 8; });
  check_stays(
      kBStays, [](Dut& d, bool on) { d.b_valid_i = on; }, [](Dut& d) { d.b_resp_i = kSlvErr; });
  check_stays(
      kArStays, [](Dut& d, bool on) { d.ar_valid_i = on; }, [](Dut& d) { d.ar_addr_i ^= 0x800; });
  check_stays(
      kRStays, [](Dut& d, bool on) { d.r_valid_i = on; }, [](Dut& d) { d.r_data_i ^= 1; });
  check_stays(
      kRStays, [](Dut& d, bool on) { d.r_valid_i = on; }, [](Dut& d) { d.r_resp_i = kDecErr; });
}

TEST_CASE("axi-lite rules: an answer follows its request, address and data") {
  Rules rules;
  VAxiLiteChecker& d = rules.dut();
  const auto answer_write = [&] {
    d.b_valid_i = d.b_ready_i = 1;
    return rules.once();
  };
  const auto answer_read = [&] {
    d.r_valid_i = d.r_ready_i = 1;
    return rules.once();
  };
  CHECK(answer_write() == bit(kBOfWrite));
  CHECK(answer_read() == bit(kROfRead));
  d.aw_valid_i = d.aw_ready_i = 1;
  CHECK(rules.once() == 0);
  CHECK(answer_write() == bit(kBOfWrite));  // its data are missing
  d.w_valid_i = d.w_ready_i = 1;
  CHECK(rules.once() == 0);
  CHECK(answer_write() == 0);
  CHECK(answer_write() == bit(kBOfWrite));  // one answer each
  d.w_valid_i = d.w_ready_i = 1;
  CHECK(rules.once() == 0);
  CHECK(answer_write() == bit(kBOfWrite));  // its address is missing
  rules.reset();
  rules.read();
  CHECK(answer_read() == 0);
  CHECK(answer_read() == bit(kROfRead));
  // A reset forgets what is in flight.
  rules.write();
  rules.read();
  rules.reset();
  CHECK(answer_write() == bit(kBOfWrite));
  CHECK(answer_read() == bit(kROfRead));
}

TEST_CASE("axi-lite rules: no exclusive accesses, and no more in flight than Depth") {
  Rules rules;
  VAxiLiteChecker& d = rules.dut();
  for (unsigned i = 0; i < kDepth; ++i) {
    rules.write();
    rules.read();
  }
  d.aw_valid_i = d.aw_ready_i = 1;
  CHECK(rules.once() == bit(kDepthKept));
  d.w_valid_i = d.w_ready_i = 1;
  CHECK(rules.once() == bit(kDepthKept));
  d.ar_valid_i = d.ar_ready_i = 1;
  CHECK(rules.once() == bit(kDepthKept));
  d.b_valid_i = d.b_ready_i = 1;
  d.b_resp_i = kExOkay;
  CHECK(rules.once() == bit(kBExclusive));
  d.r_valid_i = d.r_ready_i = 1;
  d.r_resp_i = kExOkay;
  CHECK(rules.once() == bit(kRExclusive));
}
