// SPDX-License-Identifier: Apache-2.0
// The divided clock: one pulse out of three, after the cycle that announces it, and no other.
#include <VCdcDivider.h>

#include <catch2/catch.hpp>

#include "systemc/cosim/rtl_block.h"
#include "tb/common/bench_wave.h"
#include "tb/common/rtl_reset.h"

using namespace tern;  // NOLINT: a test uses the names of what it tests

TEST_CASE("cdc divider: one pulse of three, which the cycle before announces") {
  cosim::RtlBlock<VCdcDivider> block(tb::bench_wave(), "cdc_divider");
  VCdcDivider& dut = block.model;
  for (const unsigned cycles : {23U, 10U, 12U}) {  // ends in mid-count: a reset begins again
    dut.rst_ni = 1;
    tb::reset_between_edges(dut);
    CHECK(dut.clk_o == 0);
    for (unsigned cycle = 0; cycle < cycles; ++cycle) {
      CAPTURE(cycles, cycle);
      dut.clk_i = 0;  // the second half of the cycle
      dut.eval();
      CHECK(dut.edge_o == (cycle % 3 == 2));
      CHECK(dut.clk_o == 0);
      block.clock.edge();
      CHECK(dut.clk_o == (cycle % 3 == 2));
    }
  }
}

TEST_CASE("cdc divider: a reset ends the pulse, and none follows it") {
  cosim::RtlBlock<VCdcDivider> block(tb::bench_wave(), "cdc_divider");
  VCdcDivider& dut = block.model;
  dut.rst_ni = 1;
  tb::reset_between_edges(dut);
  for (unsigned cycle = 0; cycle < 3; ++cycle) {
    dut.clk_i = 0;
    dut.eval();
    block.clock.edge();
  }
  CHECK(dut.clk_o == 1);
  dut.rst_ni = 0;
  dut.eval();
  CHECK(dut.clk_o == 0);
  for (unsigned half = 0; half < 20; ++half) {
    dut.clk_i = half % 2;
    dut.eval();
    CHECK(dut.clk_o == 0);
  }
}
