// SPDX-License-Identifier: Apache-2.0
// Reset with columns in flight: they never leave, and the next ones leave in their cycle.
#include <VMxDequantize.h>
#include <VMxQuantize.h>

#include <catch2/catch.hpp>

#include "sw/spec/generated/formats.h"
#include "systemc/cosim/rtl_block.h"
#include "tb/common/bench_wave.h"

namespace {

// A column in every cycle, a reset without a clock edge, then one more column.
template <typename Block>
void check_reset(Block& block, unsigned latency) {
  auto& model = block.model;
  const auto cycle = [&](bool valid) {
    model.clk_i = 0;
    model.valid_i = valid;
    model.eval();
    const bool leaves = model.valid_o != 0;
    block.clock.edge();
    return leaves;
  };
  const auto reset = [&] {
    model.clk_i = 0;
    model.eval();
    model.rst_ni = 0;
    model.eval();
    CHECK(model.valid_o == 0);
    model.rst_ni = 1;
    model.eval();
  };
  model.rst_ni = 1;
  reset();
  for (unsigned columns = 1; columns <= 4; ++columns) {
    CAPTURE(columns);
    for (unsigned i = 0; i < columns; ++i) CHECK(cycle(true) == (i >= latency));
    reset();
    for (unsigned i = 0; i < 4; ++i) CHECK_FALSE(cycle(false));
    for (unsigned i = 0; i < 4; ++i) CHECK(cycle(i == 0) == (i == latency));
  }
}

}  // namespace

TEST_CASE("mx reset: it leaves no column in flight") {
  {
    tern::cosim::RtlBlock<VMxQuantize> quantize(tern::tb::bench_wave(), "mx_quantize");
    check_reset(quantize, 2);
  }
  tern::cosim::RtlBlock<VMxDequantize> dequantize({}, "mx_dequantize");
  dequantize.model.src_i = TERN_DTYPE_E4M3FN_X4;
  dequantize.model.dst_i = TERN_DTYPE_FP32;
  check_reset(dequantize, 1);
}
