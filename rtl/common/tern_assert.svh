// SPDX-License-Identifier: Apache-2.0
// Assertion macros. They exist only in simulation with assertions on (verilator --assert) and
// vanish in synthesis.
`ifndef TERN_ASSERT_SVH
`define TERN_ASSERT_SVH

`ifdef VERILATOR
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

`endif
