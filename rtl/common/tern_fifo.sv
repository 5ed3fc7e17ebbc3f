// SPDX-License-Identifier: Apache-2.0
// Synchronous FIFO for small control words. The head is visible one cycle after it was written. The
// user guarantees that it neither overflows nor underflows (asserted): credits are counted
// elsewhere.
`include "tern_assert.svh"

module tern_fifo #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 16,  // Power of two
  localparam int unsigned PtrW = $clog2(Depth)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             push_i,
  input  logic [Width-1:0] data_i,
  input  logic             pop_i,
  output logic             valid_o,
  output logic [Width-1:0] data_o
);
  // One extra bit distinguishes empty from full.
  logic [PtrW:0] write_q, read_q;

  assign valid_o = write_q != read_q;

`ifdef FORMAL
  logic [Depth*Width-1:0] words;
`endif
  tern_regfile #(.Width(Width), .Depth(Depth)) u_words (
    .clk_i          (clk_i),
    .write_i        (push_i),
    .write_address_i(write_q[PtrW-1:0]),
    .write_data_i   (data_i),
    .read_i         (1'b1),
    .read_address_i (read_q[PtrW-1:0]),
    .read_data_o    (data_o)
`ifdef FORMAL
    , .words_o      (words)
`endif
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
    end else begin
      if (push_i) write_q <= write_q + 1'b1;
      if (pop_i) read_q <= read_q + 1'b1;
    end
  end

  `TERN_ASSERT_INIT(DepthPowerOfTwo, Depth == (1 << PtrW) && Depth > 1)
  `TERN_ASSERT(NoUnderflow, !pop_i || valid_o)
  `TERN_ASSERT(NoOverflow,
               !push_i || (write_q[PtrW-1:0] != read_q[PtrW-1:0]) ||
               (write_q[PtrW] == read_q[PtrW]))

`ifdef FORMAL
`include "fifo_properties.svh"
`endif
endmodule
