// SPDX-License-Identifier: Apache-2.0
// The rule of valid and ready (docs/style.md, "RTL", 5) as a macro, for property files that formal
// tools include: an offer stays, with its data, until it is taken. f_started: reset is over.
`ifndef TERN_HANDSHAKE_PROPERTIES_SVH
`define TERN_HANDSHAKE_PROPERTIES_SVH

`define TERN_OFFER_STAYS(name_, valid_, ready_, data_) \
  logic f_``name_``_waits = 1'b0; \
  logic [$bits(data_)-1:0] f_``name_``_data = '0; \
  always_ff @(posedge clk_i) begin \
    f_``name_``_waits <= rst_ni && (valid_) && !(ready_); \
    f_``name_``_data  <= data_; \
  end \
  always_comb begin \
    if (f_started && f_``name_``_waits) begin \
      assert (valid_); \
      assert ((data_) == f_``name_``_data); \
    end \
  end

`endif
