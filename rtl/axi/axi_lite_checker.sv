// SPDX-License-Identifier: Apache-2.0
// Rules of AXI4-Lite on all five channels (README.md): a bit for each that is broken in this cycle.
// Next to a manager, a subordinate or anything between.
`include "tern_assert.svh"

module axi_lite_checker #(
  parameter int unsigned Depth = 16     // Accesses of a kind in flight
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        aw_valid_i,
  input  logic        aw_ready_i,
  input  logic [11:0] aw_addr_i,
  input  logic        w_valid_i,
  input  logic        w_ready_i,
  input  logic [31:0] w_data_i,
  input  logic  [3:0] w_strb_i,
  input  logic        b_valid_i,
  input  logic        b_ready_i,
  input  logic  [1:0] b_resp_i,
  input  logic        ar_valid_i,
  input  logic        ar_ready_i,
  input  logic [11:0] ar_addr_i,
  input  logic        r_valid_i,
  input  logic        r_ready_i,
  input  logic [31:0] r_data_i,
  input  logic  [1:0] r_resp_i,
  output logic  [9:0] broken_o
);
  localparam int unsigned CountW = $clog2(Depth + 1);

  // Offers that wait.
  logic  [4:0] waits_q;
  logic [11:0] aw_q, ar_q;
  logic [35:0] w_q;
  logic [33:0] r_q;
  logic  [1:0] b_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q <= '0;
    end else begin
      waits_q <= {r_valid_i, ar_valid_i, b_valid_i, w_valid_i, aw_valid_i}
               & ~{r_ready_i, ar_ready_i, b_ready_i, w_ready_i, aw_ready_i};
    end
  end
  always_ff @(posedge clk_i) begin
    aw_q <= aw_addr_i;
    w_q  <= {w_data_i, w_strb_i};
    b_q  <= b_resp_i;
    ar_q <= ar_addr_i;
    r_q  <= {r_data_i, r_resp_i};
  end

  // Taken and not answered: addresses and data of writes, addresses of reads.
  logic [CountW-1:0] aw_open_q, w_open_q, ar_open_q;
  logic aw_taken, w_taken, b_taken, ar_taken, r_taken, written, read;
  assign aw_taken = aw_valid_i && aw_ready_i;
  assign w_taken  = w_valid_i && w_ready_i;
  assign b_taken  = b_valid_i && b_ready_i;
  assign ar_taken = ar_valid_i && ar_ready_i;
  assign r_taken  = r_valid_i && r_ready_i;
  assign written  = aw_open_q != '0 && w_open_q != '0;
  assign read     = ar_open_q != '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      aw_open_q <= '0;
      w_open_q  <= '0;
      ar_open_q <= '0;
    end else begin
      aw_open_q <= aw_open_q + CountW'(aw_taken && !broken_o[9]) - CountW'(b_taken && written);
      w_open_q  <= w_open_q + CountW'(w_taken && !broken_o[9]) - CountW'(b_taken && written);
      ar_open_q <= ar_open_q + CountW'(ar_taken && !broken_o[9]) - CountW'(r_taken && read);
    end
  end

  assign broken_o[0] = waits_q[0] && (!aw_valid_i || aw_q != aw_addr_i);
  assign broken_o[1] = waits_q[1] && (!w_valid_i || w_q != {w_data_i, w_strb_i});
  assign broken_o[2] = waits_q[2] && (!b_valid_i || b_q != b_resp_i);
  assign broken_o[3] = waits_q[3] && (!ar_valid_i || ar_q != ar_addr_i);
  assign broken_o[4] = waits_q[4] && (!r_valid_i || r_q != {r_data_i, r_resp_i});
  assign broken_o[5] = b_valid_i && !written;
  assign broken_o[6] = r_valid_i && !read;
  assign broken_o[7] = b_valid_i && b_resp_i == axi_pkg::RespExOkay;
  assign broken_o[8] = r_valid_i && r_resp_i == axi_pkg::RespExOkay;
  assign broken_o[9] = (aw_taken && aw_open_q == CountW'(Depth))
                    || (w_taken && w_open_q == CountW'(Depth))
                    || (ar_taken && ar_open_q == CountW'(Depth));

  `TERN_ASSERT(AwStays, !broken_o[0])
  `TERN_ASSERT(WStays, !broken_o[1])
  `TERN_ASSERT(BStays, !broken_o[2])
  `TERN_ASSERT(ArStays, !broken_o[3])
  `TERN_ASSERT(RStays, !broken_o[4])
  `TERN_ASSERT(BOfWrite, !broken_o[5])
  `TERN_ASSERT(ROfRead, !broken_o[6])
  `TERN_ASSERT(BNotExclusive, !broken_o[7])
  `TERN_ASSERT(RNotExclusive, !broken_o[8])
  `TERN_ASSERT(WithinDepth, !broken_o[9])
endmodule
