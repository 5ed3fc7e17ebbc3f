// SPDX-License-Identifier: Apache-2.0
// Macros of assertions and of cover points. Assertions exist in every simulator that knows
// concurrent ones, and are on when it is asked to (verilator --assert). Synthesis sees none: a
// synthesis tool defines SYNTHESIS, Yosys defines YOSYS. Icarus knows no concurrent assertions.
`ifndef TERN_ASSERT_SVH
`define TERN_ASSERT_SVH

`ifndef SYNTHESIS
`ifndef YOSYS
`ifndef __ICARUS__
`define TERN_ASSERTIONS
`endif
`endif
`endif

`ifdef TERN_ASSERTIONS
// Concurrent check on every rising clock edge outside reset.
`define TERN_ASSERT(name_, prop_) \
  name_ : assert property (@(posedge clk_i) disable iff (!rst_ni) (prop_)) \
  else $error("assertion %m failed");
// A parameter set that cannot work stops elaboration.
`define TERN_ASSERT_INIT(name_, prop_) \
  if (!(prop_)) begin : gen_``name_ \
    $error("illegal parameters: name_"); \
  end
`else
`define TERN_ASSERT(name_, prop_)
`define TERN_ASSERT_INIT(name_, prop_)
`endif

// Something that the tests are to provoke: functional coverage (scripts/coverage --rtl). The files
// *_cover.svh hold them, included by the block with TERN_COVER_POINTS defined.
`ifdef TERN_COVER_POINTS
`define TERN_COVER(name_, prop_) \
  name_ : cover property (@(posedge clk_i) disable iff (!rst_ni) (prop_));
`endif

`endif
